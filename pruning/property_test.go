package pruning_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unicode/utf8"

	"recap/chat"
	"recap/pruning"
)

// P6, P7: what a longer history says about the messages of a shorter one is what the shorter one said: trims stay exactly as
// they were and only new ones come. Results that were only capped may be cleared by a later batch.
func TestP6P7OldDecisionsStay(t *testing.T) {
	batches := 0
	for seed := range uint64(24) {
		r := rand.New(rand.NewPCG(seed, 1))
		list := randomHistory(r, 20+r.IntN(40))
		o := randomOptions(r)
		o.Cadence = pruning.Batched
		window := r.IntN(3) * 16000
		var before []chat.Trim
		c := build(t, list)
		p := &pruning.Pruner{}
		if seed%2 == 0 {
			p = pruning.New(1000)
		}
		for n := 1; n <= len(list); n++ {
			now := p.Prune(upTo(c, n), o, window, false).Trims
			kept := 0
			for _, old := range before {
				if slices.Contains(now, old) {
					kept++
				} else if o.CapNewChars == 0 {
					t.Fatalf("seed %d, %d messages: the trim of message %d changed", seed, n, old.Message)
				}
			}
			if len(now) > kept {
				batches++
			}
			before = now
		}
	}
	if batches < 24 {
		t.Errorf("only %d batches in all", batches)
	}
}

// The outcome does not depend on what was remembered: a warm memory, a cold one and none agree. Urgent contains
// what the batches did.
func TestP7MemoryChangesNothing(t *testing.T) {
	p := pruning.New(50)
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		c := build(t, randomHistory(r, 10+r.IntN(60)))
		o := randomOptions(r)
		window := r.IntN(3) * 16000
		bare := pruning.Prune(c, o, window, false)
		for range 2 {
			if got := p.Prune(c, o, window, false); !slices.Equal(got.Trims, bare.Trims) || got.Saved != bare.Saved {
				t.Fatalf("seed %d: with a memory %d trims, without %d", seed, len(got.Trims), len(bare.Trims))
			}
		}
		urgent := p.Prune(c, o, window, true)
		for _, trim := range bare.Trims {
			if o.CapNewChars == 0 && !slices.Contains(urgent.Trims, trim) {
				t.Fatalf("seed %d: urgent lacks the trim of message %d", seed, trim.Message)
			}
		}
		if urgent.Saved < bare.Saved {
			t.Errorf("seed %d: urgent saves %d, the batches %d", seed, urgent.Saved, bare.Saved)
		}
		every := *o
		every.Cadence = pruning.EveryRequest
		if fresh := p.Prune(c, &every, window, false); len(urgent.Trims) < len(fresh.Trims) {
			t.Errorf("seed %d: urgent trims %d results, everyRequest %d", seed, len(urgent.Trims), len(fresh.Trims))
		}
	}
}

// Pruning never grows a text, names each result once and in order, and a second pass changes nothing.
func FuzzPrune(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed, seed%2 == 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, urgent bool) {
		r := rand.New(rand.NewPCG(seed, 3))
		c := build(t, randomHistory(r, 1+r.IntN(60)))
		o := randomOptions(r)
		window := r.IntN(3) * 16000
		got := pruning.Prune(c, o, window, urgent)
		last := -1
		for _, trim := range got.Trims {
			m := &c.Messages[trim.Message]
			old := m.ResultText(trim.Result)
			if at := trim.Message*100 + trim.Result; at <= last {
				t.Fatal("trims are not in order")
			} else {
				last = at
			}
			if len(trim.Text) >= len(old) || utf8.RuneCountInString(trim.Text) >= utf8.RuneCountInString(old) || !utf8.ValidString(trim.Text) {
				t.Errorf("message %d: %d bytes became %d", trim.Message, len(old), len(trim.Text))
			}
		}
		if len(got.Trims) > 0 && got.Saved <= 0 {
			t.Errorf("%d trims save %d tokens", len(got.Trims), got.Saved)
		}
		if again := pruning.Prune(applied(t, c, got), o, window, urgent); len(again.Trims) != 0 {
			t.Errorf("a second pass changed %d results: %.80q", len(again.Trims), again.Trims[0].Text)
		}
	})
}

// A trimmed text and a placeholder are final: as old as they may grow, they stay as they are.
func TestShortenedTextsAreFinal(t *testing.T) {
	trim := options(everyRequest, func(o *pruning.Options) { o.HardClear.Enabled = false })
	sent := applied(t, build(t, golden(10, 60000)), pruning.Prune(build(t, golden(10, 60000)), trim, 0, false))
	for _, o := range []*pruning.Options{
		options(everyRequest, func(o *pruning.Options) { o.MinPrunableToolChars, o.SoftTrimRatio, o.HardClearRatio = 100, 0, 0 }),
		options(everyRequest, budget, func(o *pruning.Options) { o.ProtectTokens = 0 }),
	} {
		r := pruning.Prune(sent, o, 0, false)
		for _, again := range r.Trims {
			if again.Message <= 27 {
				t.Errorf("%s: message %d was shortened before", o.Strategy, again.Message)
			}
		}
		cleared := applied(t, sent, r)
		if more := pruning.Prune(cleared, o, 0, true); len(more.Trims) != 0 {
			t.Errorf("%s: %d placeholders were shortened", o.Strategy, len(more.Trims))
		}
	}
}

// The batches look after complete sets of results only: what happens inside a set of parallel calls moves nothing.
func TestNoBatchInsideASet(t *testing.T) {
	list := []message{
		user("u"), call("read", "a"), result("a", long(1, 30000)), call("read", "b", "c", "d"),
		result("b", long(2, 30000)), result("c", long(3, 30000)), result("d", long(4, 30000)),
	}
	o := options(budget, func(o *pruning.Options) { o.KeepLastAssistants, o.ProtectTokens, o.ClearAtLeast = 0, 10000, 1000 })
	c := build(t, list)
	f := func(n int, want string) {
		t.Helper()
		if got := describe(o, pruning.Prune(upTo(c, n), o, 0, false)); got != want {
			t.Errorf("%d messages: got %q, want %q", n, got, want)
		}
	}
	f(3, "")
	f(5, "")
	f(6, "")
	f(7, "2c 4c 5c")
}
