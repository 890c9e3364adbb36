package chat_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"recap/chat"
	"recap/dialect"
	"recap/internal/chattest"
)

// A chat that goes on from a known one has the outline and the keys of one that is read alone, whatever its calls and
// results answer: those before it, none, or several with one id.
func TestOutlineGoesOn(t *testing.T) {
	d := dialect.ByName("openai").(dialect.Glancer)
	facts := chat.NewMemo[dialect.Print, *chat.Facts](10_000)
	keys := chat.Seed("t", "u", "r")
	resumed := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		shape := make([]byte, 4+rng.IntN(60))
		for i := range shape {
			shape[i] = byte(rng.IntN(256))
		}
		list := strings.Split(fuzzNotation(shape), ",")
		for n := 2; n <= len(list); n += 1 + rng.IntN(4) {
			if n < len(list) && strings.Count(strings.Join(list[:n], ","), "(") != strings.Count(strings.Join(list[:n], ","), ")") {
				continue // a call of several ids is one message
			}
			body := chattest.OpenAIBody(strings.Join(list[:n], ","))
			if rng.IntN(4) == 0 {
				if _, _, err := d.Glance(body, seed+1, 1<<20); err != nil {
					t.Fatal(err)
				}
			}
			warm, err := d.DecodeFor(seed+1, body, facts)
			if err != nil {
				t.Fatal(err)
			}
			if warm.Before != nil {
				resumed++
			}
			sameOutline(t, body, chat.NewOutline(warm), chat.NewOutline(decode(t, "openai", body)), keys)
		}
	}
	if resumed < 500 {
		t.Errorf("only %d chats went on from a known one", resumed)
	}
}

func sameOutline(t *testing.T, body string, got, want *chat.Outline, seed chat.Key) {
	t.Helper()
	f := func(what string, a, b any) {
		t.Helper()
		if x, y := fmt.Sprint(a), fmt.Sprint(b); x != y {
			t.Fatalf("%s\n%s %s, alone %s", body, what, x, y)
		}
	}
	f("index", got.Index, want.Index)
	f("turns", got.Turns, want.Turns)
	f("cuts", got.Cuts(), want.Cuts())
	for n := range want.Index {
		f(fmt.Sprint("whole up to ", n), got.Whole(n), want.Whole(n))
	}
	if !slices.Equal(chat.Keys(got, seed), chat.Keys(want, seed)) {
		t.Fatalf("%s\nother keys", body)
	}
}

// A result with the id of a call that was read before answers that one, though a newer call without an id waits for one.
func TestOutlineGoesOnBesideCallsWithoutID(t *testing.T) {
	const begin = `{"messages":[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","function":{"name":"f"}}]}`
	const more = `,{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"g"}}]},{"role":"tool","tool_call_id":"a","content":"r"}`
	d := dialect.ByName("openai").(dialect.Glancer)
	facts := chat.NewMemo[dialect.Print, *chat.Facts](100)
	var warm *chat.Chat
	for _, body := range []string{begin + `]}`, begin + more + `]}`} {
		c, err := d.DecodeFor(1<<40, body, facts)
		if err != nil {
			t.Fatal(err)
		}
		warm = c
		chat.NewOutline(c)
	}
	if warm.Before == nil {
		t.Fatal("the chat did not go on from the known one")
	}
	sameOutline(t, warm.Body, chat.NewOutline(warm), chat.NewOutline(decode(t, "openai", warm.Body)), chat.Seed("t", "u", "r"))
}
