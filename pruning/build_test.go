package pruning_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"recap/chat"
	"recap/dialect"
	"recap/pruning"
)

type message = map[string]any

func user(text string) message  { return message{"role": "user", "content": text} }
func agent(text string) message { return message{"role": "assistant", "content": text} }

func call(tool string, ids ...string) message {
	var calls []any
	for _, id := range ids {
		calls = append(calls, message{"id": id, "type": "function", "function": message{"name": tool, "arguments": `{"id":"` + id + `"}`}})
	}
	return message{"role": "assistant", "content": nil, "tool_calls": calls}
}

// ask is a message that makes the same call once for each id.
func ask(tool, args string, ids ...string) message {
	var calls []any
	for _, id := range ids {
		calls = append(calls, message{"id": id, "type": "function", "function": message{"name": tool, "arguments": args}})
	}
	return message{"role": "assistant", "content": nil, "tool_calls": calls}
}

func result(id, text string) message {
	return message{"role": "tool", "tool_call_id": id, "content": text}
}

func build(t testing.TB, messages []message) *chat.Chat {
	t.Helper()
	body, err := json.Marshal(message{"model": "m", "messages": messages})
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, string(body))
}

func decode(t testing.TB, body string) *chat.Chat {
	t.Helper()
	c, err := dialect.ByName("openai").Decode(body, nil)
	if err != nil {
		t.Fatalf("decode: %v", err)
	}
	return c
}

// applied returns the chat that is sent.
func applied(t testing.TB, c *chat.Chat, r pruning.Result) *chat.Chat {
	t.Helper()
	body, err := dialect.ByName("openai").Apply(nil, c, &chat.Plan{Trims: r.Trims})
	if err != nil {
		t.Fatalf("apply: %v", err)
	}
	return decode(t, string(body))
}

// options returns the defaults, enabled, with changes.
func options(change ...func(*pruning.Options)) *pruning.Options {
	o := pruning.Defaults()
	o.Enabled = true
	for _, c := range change {
		c(&o)
	}
	return &o
}

func everyRequest(o *pruning.Options) { o.Cadence = pruning.EveryRequest }

func budget(o *pruning.Options) { o.Strategy = pruning.Budget }

var texts = map[[2]int]string{} // tests here run one after another

// long returns a text of n characters that no other seed gives.
func long(seed, n int) string {
	if text, ok := texts[[2]int{seed, n}]; ok {
		return text
	}
	text := newText(seed, n)
	texts[[2]int{seed, n}] = text
	return text
}

func newText(seed, n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "line %d of result %d: src/pkg%d/file_%d.go says %x\n", i, seed, seed, i%40, i*7919+seed)
	}
	return b.String()[:n]
}

// upTo returns the chat that a client had sent when it had n messages.
func upTo(c *chat.Chat, n int) *chat.Chat {
	part := *c
	part.Messages = c.Messages[:n]
	return &part
}

// describe says what happened to each message of c: "3c 7t" for cleared and trimmed.
func describe(o *pruning.Options, r pruning.Result) string {
	var words []string
	for _, t := range r.Trims {
		mark := "t"
		if strings.HasPrefix(t.Text, o.HardClear.Placeholder) {
			mark = "c"
		}
		words = append(words, fmt.Sprint(t.Message, mark))
	}
	return strings.Join(words, " ")
}

// randomHistory builds a history of turns with rounds of parallel calls, late and missing results, orphans, errors,
// placeholders and small texts.
func randomHistory(r *rand.Rand, size int) []message {
	var list []message
	if r.IntN(2) == 0 {
		list = append(list, message{"role": "system", "content": "s"})
	}
	if r.IntN(8) == 0 {
		list = append(list, call("f", "early"), result("early", long(1, 9000)))
	}
	for n := 0; len(list) < size; n++ {
		switch r.IntN(6) {
		case 0:
			list = append(list, user(fmt.Sprint("question ", n)))
		case 1:
			list = append(list, agent(fmt.Sprint("answer ", n)))
		default:
			list = append(list, randomRound(r, n)...)
		}
	}
	return list
}

func randomRound(r *rand.Rand, n int) []message {
	var ids []string
	for i := range 1 + r.IntN(3) {
		ids = append(ids, fmt.Sprintf("c%d-%d", n, i))
	}
	list := []message{call([]string{"read", "bash", "search"}[r.IntN(3)], ids...)}
	repeat := r.IntN(3) == 0
	if repeat { // the same call again, maybe with the same result
		list[0] = ask("read", fmt.Sprintf(`{"file":"%d"}`, r.IntN(3)), ids...)
	}
	for i, id := range ids {
		if r.IntN(20) == 0 {
			continue
		}
		text := randomText(r, n*10+i)
		if repeat && r.IntN(2) == 0 {
			text = long(1, 3000)
		}
		list = append(list, result(id, text))
	}
	if r.IntN(20) == 0 {
		list = append(list, result("orphan", randomText(r, n*10+9)))
	}
	return list
}

func randomText(r *rand.Rand, seed int) string {
	switch r.IntN(8) {
	case 0:
		return ""
	case 1:
		return "Error: exit status 1\n" + newText(seed, r.IntN(4000))
	case 2:
		return strings.Repeat("ż😀", r.IntN(3000))
	case 3:
		return "[Old tool result content cleared]"
	case 4:
		return long(seed, r.IntN(300))
	}
	return newText(seed, r.IntN(8000))
}

// randomOptions are valid options of either strategy and cadence, with small limits so that something happens.
func randomOptions(r *rand.Rand) *pruning.Options {
	return options(func(o *pruning.Options) {
		if r.IntN(2) == 0 {
			o.Strategy = pruning.Budget
		}
		if r.IntN(3) == 0 {
			o.Cadence = pruning.EveryRequest
		}
		o.KeepLastAssistants = r.IntN(4)
		o.MinPrunableToolChars = r.IntN(3) * 1000
		o.SoftTrimRatio, o.HardClearRatio = r.Float64(), r.Float64()
		o.HardClear.Enabled = r.IntN(4) > 0
		o.HardClear.Placeholder = []string{"[Old tool result content cleared]", "", "gone", strings.Repeat("cleared ", 60)}[r.IntN(4)]
		o.SoftTrim = pruning.SoftTrim{MaxChars: 101 + r.IntN(4000), HeadChars: r.IntN(50), TailChars: r.IntN(50)}
		o.ProtectTokens = r.IntN(2000)
		o.ClearAtLeast = r.IntN(3) * 700
		o.DigestChars = r.IntN(3) * 200
		if r.IntN(2) == 0 {
			o.CapNewChars = 200 + r.IntN(4000)
		}
		if r.IntN(3) == 0 {
			o.ExcludeTools = []string{"rea*"}
		}
	})
}
