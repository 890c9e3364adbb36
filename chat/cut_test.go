package chat_test

import (
	"fmt"
	"strings"
	"testing"

	"recap/chat"
	"recap/internal/chattest"
)

func outline(t testing.TB, notation string) *chat.Outline {
	t.Helper()
	return chat.NewOutline(decode(t, "openai", chattest.OpenAIBody(notation)))
}

// cuts lists the valid cuts as "covers/carrier", both counted from 1.
func cuts(o *chat.Outline) string {
	var list []string
	for _, c := range o.Cuts() {
		list = append(list, fmt.Sprintf("%d/%d", c.Covers, c.Carrier+1))
	}
	return strings.Join(list, " ")
}

// A1, A2, A4, A7: where a checkpoint may end. P5: whole rounds, the newest turn's opener and last round stay.
func TestP5Cuts(t *testing.T) {
	f := func(notation, want string) {
		t.Helper()
		if got := cuts(outline(t, notation)); got != want {
			t.Errorf("%s: cuts %q, want %q", notation, got, want)
		}
	}
	f("U", "")
	f("U,A,U", "2/3")
	f("S,U,A,U,A,U", "2/3 4/5")
	f("U,A,S,U", "2/3")
	f("A,U", "1/2")
	f("A,A,U", "2/3")
	f("A", "")
	f("S", "")
	// A1, A7: before a round or behind it, never inside.
	f("S,U,A(c1),T(c1),A,U", "3/1 4/5")
	f("S,U,A,U,A(c1),T(c1),U", "2/3 5/6")
	// A2: a parallel batch is one round.
	f("S,U,A(c1,c2,c3),T(c1),T(c2),T(c3),A,U", "5/1 6/7")
	// A4: in the newest turn between finished rounds, the last one kept.
	f("U,A(c1),T(c1)", "")
	f("U,A(c1),T(c1),A(c2),T(c2)", "3/1")
	f("U,A,U,A(c1),T(c1),A(c2),T(c2),A(c3),T(c3)", "2/3 5/3 7/3")
	f("U,A(c1),T(c1),A(c2),T(c2),A(c3)", "3/1 5/1")
	f("U,A(c1),T(c1),A(c2),T(c2),A", "3/1")
	f("U,A(c1),T(c1),A,A(c2),T(c2),A(c3),T(c3)", "3/1")
	// An old turn may stay cut inside.
	f("U,A(c1),T(c1),A(c2),T(c2),A,U", "3/1 5/1 6/7")
	// Results that come late keep their round together; an orphan stays where it is.
	f("U,A(c1),U,T(c1),A,U", "4/3 5/6")
	f("U,A(c1,c2),T(c1),A,U", "4/5")
	f("U,A,T(c9),A,U", "4/5")
	// Two user messages in a row: each may carry.
	f("U,U,A,U", "1/2 3/4")
	// The same id again in each round.
	f("U,A(c),T(c),A(c),T(c),A(c),T(c)", "3/1 5/1")
}

// Legacy functions and Ollama's results without ids pair by position.
func TestP5CutsByPosition(t *testing.T) {
	f := func(name, messages, want string) {
		t.Helper()
		if got := cuts(chat.NewOutline(decode(t, name, `{"messages":[`+messages+`]}`))); got != want {
			t.Errorf("%s: cuts %q, want %q", messages, got, want)
		}
	}
	const user = `{"role":"user","content":"u"}`
	const called = `{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}`
	const answered = `{"role":"function","name":"f","content":"r"}`
	f("openai", user+","+called+","+answered+","+called+","+answered, "3/1")
	const call = `{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{}}},{"function":{"name":"g","arguments":{}}}]}`
	const result = `{"role":"tool","content":"r"}`
	f("ollama", user+","+call+","+result+","+result+","+call+","+result+","+result, "4/1")
	f("ollama", user+","+call+","+result+","+result+","+user, "4/5")
}

// A user message that takes no text cannot carry.
func TestCutNeedsACarrier(t *testing.T) {
	c := decode(t, "openai", `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":null}]}`)
	if got := cuts(chat.NewOutline(c)); got != "" {
		t.Errorf("cuts %q, want none", got)
	}
}

// What leaves at a cut: all that is covered but the carrier, never a system message (A9).
func TestA9Drop(t *testing.T) {
	o := outline(t, "S,U,A,S,U,A(c1),T(c1),A(c2),T(c2)")
	f := func(covers int, want string) {
		t.Helper()
		cut, ok := o.CutAt(covers)
		if !ok {
			t.Fatalf("no cut at %d", covers)
		}
		if got := fmt.Sprint(o.Drop(cut)); got != want {
			t.Errorf("drop at %d: %s, want %s", covers, got, want)
		}
	}
	f(2, "[1 2]")
	f(5, "[1 2 5 6]")
}

// FuzzCuts: no cut orphans a result, whatever the chat looks like.
func FuzzCuts(f *testing.F) {
	f.Add([]byte("UACRCRAU"))
	f.Add([]byte("UCCRRDRAUCR"))
	f.Fuzz(func(t *testing.T, shape []byte) {
		if len(shape) > 60 {
			return
		}
		notation := fuzzNotation(shape)
		if notation == "" {
			return
		}
		o := outline(t, notation)
		for _, cut := range o.Cuts() {
			checkCut(t, notation, o, cut)
		}
	})
}

func fuzzNotation(shape []byte) string {
	var list []string
	calls := 0
	for _, b := range shape {
		switch b % 6 {
		case 0:
			list = append(list, "U")
		case 1:
			list = append(list, "A")
		case 2:
			calls++
			list = append(list, fmt.Sprintf("A(c%d)", calls))
		case 3:
			calls += 2
			list = append(list, fmt.Sprintf("A(c%d,c%d)", calls-1, calls))
		case 4:
			list = append(list, fmt.Sprintf("T(c%d)", int(b/6)%(calls+1)))
		case 5:
			list = append(list, "S")
		}
	}
	return strings.Join(list, ",")
}

func checkCut(t *testing.T, notation string, o *chat.Outline, cut chat.Cut) {
	t.Helper()
	kept := map[int]bool{cut.Carrier: true}
	for at := cut.Covers; at < o.Len(); at++ {
		kept[at] = true
	}
	made, before := map[string]bool{}, map[string]bool{}
	for at := range o.Index {
		m := o.At(at)
		for _, r := range m.Results {
			if before[r.ID] && kept[at] && !made[r.ID] {
				t.Fatalf("%s: cut %+v orphans result %s at %d", notation, cut, r.ID, at)
			}
		}
		for _, c := range m.Calls {
			before[c.ID] = true
			made[c.ID] = kept[at]
		}
	}
	if !o.At(cut.Carrier).Opens() {
		t.Fatalf("%s: cut %+v has no user message to carry", notation, cut)
	}
}
