package pruning_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"recap/chat"
	"recap/dialect"
	"recap/pruning"
)

// A result goes with the next batch, however young it is, when a later one of the same tool and arguments stands for it.
func TestSupersededResultsGoFirst(t *testing.T) {
	f := func(name, want string, list ...message) {
		t.Helper()
		o := options(budget, everyRequest, func(o *pruning.Options) { o.ProtectTokens, o.KeepLastAssistants = 1<<30, 10 })
		list = append(append([]message{user("do it")}, list...), agent("done"), user("next"))
		if got := describe(o, pruning.Prune(build(t, list), o, 0, false)); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	old, young := long(1, 8000), long(2, 8000)
	one, two, three := ask("read", `{"f":1}`, "a"), ask("read", `{"f":1}`, "b"), ask("read", `{"f":1}`, "c")
	f("newer text", "2c", one, result("a", old), two, result("b", young))
	f("the newest stays", "2c 4c", one, result("a", old), two, result("b", young), three, result("c", old))
	f("the same text", "2c", one, result("a", old), two, result("b", old))
	f("within one set of calls", "2c", ask("read", `{"f":1}`, "a", "b"), result("a", old), result("b", young))
	f("other arguments", "", one, result("a", old), ask("read", `{"f":2}`, "b"), result("b", old))
	f("another tool", "", one, result("a", old), ask("list", `{"f":1}`, "b"), result("b", old))
	f("an error stands for nothing", "", one, result("a", old), two, result("b", "Error: no such file"))
	f("an error stays", "", one, result("a", "Error: exit 1\n"+old), two, result("b", young))
	f("an error between", "2c", one, result("a", old), two, result("b", "Error: busy"), three, result("c", young))
	f("a placeholder stands for nothing", "", one, result("a", old), two, result("b", "[Old tool result content cleared]"))
	f("small ones are not worth it", "", one, result("a", "1 file"), two, result("b", "2 files"))
}

// The placeholder says where the newer text is; a repetition needs no digest.
func TestPlaceholderOfSuperseded(t *testing.T) {
	o := options(budget, everyRequest, func(o *pruning.Options) { o.ProtectTokens = 1 << 30 })
	f := func(second, want string, digest bool) {
		t.Helper()
		list := []message{
			user("u"), ask("read", "{}", "a"), result("a", long(1, 8000)), ask("read", "{}", "b"), result("b", second), user("next"),
		}
		r := pruning.Prune(build(t, list), o, 0, false)
		if len(r.Trims) != 1 {
			t.Fatalf("%d trims, want 1", len(r.Trims))
		}
		text := r.Trims[0].Text
		if !strings.HasPrefix(text, o.HardClear.Placeholder+"\nA later call with the same arguments "+want) {
			t.Errorf("got %q, want it to say: %s", text, want)
		}
		if got := strings.Contains(text, "It mentioned: "); got != digest {
			t.Errorf("digest %v, want %v: %q", got, digest, text)
		}
	}
	f(long(1, 8000), "gave the same content.", false)
	f(long(2, 8000), "has newer content.", true)
}

// Batched: what is superseded counts for the gate and waits for it (P6).
func TestP6SupersededWaitForTheBatch(t *testing.T) {
	o := options(budget, func(o *pruning.Options) { o.ProtectTokens, o.ClearAtLeast = 1<<30, 5000 })
	var list []message
	list = append(list, user("u"))
	for i := range 4 {
		id := fmt.Sprint("c", i)
		list = append(list, ask("read", "{}", id), result(id, long(i, 8000)))
	}
	c := build(t, list)
	f := func(n int, want string) {
		t.Helper()
		if got := describe(o, pruning.Prune(upTo(c, n), o, 0, false)); got != want {
			t.Errorf("%d messages: got %q, want %q", n, got, want)
		}
	}
	f(3, "")
	f(5, "")
	f(7, "2c 4c")
	f(9, "2c 4c")
}

// P7: a pass that goes on where the one over the request before ended finds what a pass over all would find, whatever
// other settings or windows came between.
func TestP7ResumedPassAgrees(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 5))
		list := randomHistory(r, 20+r.IntN(40))
		settings := []*pruning.Options{randomOptions(r), randomOptions(r)}
		facts := chat.NewMemo[dialect.Print, *chat.Facts](1000)
		p := pruning.New(1000)
		resumed := 0
		for n := 1; n <= len(list); n += 1 + r.IntN(3) {
			body, err := json.Marshal(message{"model": "m", "messages": list[:n]})
			if err != nil {
				t.Fatal(err)
			}
			c, err := dialect.ByName("openai").Decode(string(body), facts)
			if err != nil {
				t.Fatal(err)
			}
			if c.Before != nil && c.Before.Pruning.Load() != nil {
				resumed++
			}
			o := settings[r.IntN(len(settings))/(1+r.IntN(4))]
			urgent := r.IntN(4) == 0
			for range 1 + r.IntN(2) {
				got, want := p.Prune(c, o, 16000, urgent), pruning.Prune(c, o, 16000, urgent)
				if !slices.Equal(got.Trims, want.Trims) || got.Saved != want.Saved || !slices.Equal(got.Left, want.Left) {
					t.Fatalf("seed %d, %d messages: resumed %d trims, from the start %d", seed, n, len(got.Trims), len(want.Trims))
				}
			}
		}
		if resumed == 0 {
			t.Errorf("seed %d: no pass was resumed", seed)
		}
	}
}
