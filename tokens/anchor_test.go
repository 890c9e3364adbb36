package tokens_test

import (
	"strings"
	"testing"

	"recap/tokens"
)

// dialogue is a chat of n turns of about 300 tokens each, the last one not answered.
func dialogue(t testing.TB, k *tokens.Counter, n int) tokens.Sizes {
	t.Helper()
	var list []map[string]any
	for i := range n {
		list = append(list, say("user", strings.Repeat(script(t, "german"), 2)+string(rune('a'+i))))
		if i < n-1 {
			list = append(list, say("assistant", script(t, "english")))
		}
	}
	return k.Sizes(openAI(t, "m", list...), "u")
}

// What the upstream counted takes the place of the estimate to the token; what is new is estimated, and the answer is taken
// as it was counted.
func TestAnchor(t *testing.T) {
	k := newCounter(t)
	first, next := dialogue(t, k, 3), dialogue(t, k, 4)
	for _, share := range []float64{0.75, 1, 1.31, 1.9} {
		reported := int(float64(first.Total()) * share)
		a := tokens.NewAnchor(&first, first.Total(), reported, next.Messages[5]+10)
		if a == nil || a.Len() != 5 {
			t.Fatalf("%v is not believed: %+v", share, a)
		}
		s := next.Anchored(a, true)
		news := int(float64(next.Messages[6])*share + 0.5) // off by as much as the beginning was
		answer := next.Messages[5] + 14
		if off := answer - int(float64(next.Messages[5])*share); max(off, -off) > next.Messages[5]/3 {
			answer = int(float64(next.Messages[5])*share + 0.5)
		}
		if got, want := s.Total(), reported+answer+news; got < want-1 || got > want+1 {
			t.Errorf("%v: total %d, want %d", share, got, want)
		}
		twice := s.Anchored(a, false)
		if got, want := twice.Total(), s.Total(); got != want {
			t.Errorf("%v: anchored twice %d, want %d", share, got, want)
		}
		if got, want := next.Anchored(a, false).Messages[5], int(float64(next.Messages[5])*share+0.5); got < want-1 || got > want+1 {
			t.Errorf("%v: what is no answer weighs %d, want %d", share, got, want)
		}
		if s.FixedTotal() != next.FixedTotal() || s.Fixed[0] != next.Fixed[0] {
			t.Error("P7: an anchor moved the fixed measure")
		}
	}
	odd := tokens.NewAnchor(&first, first.Total(), first.Total(), 5*next.Messages[5])
	if s := next.Anchored(odd, true); s.Messages[5] != next.Messages[5] {
		t.Errorf("an answer that came back without its reasoning weighs %d, want %d", s.Messages[5], next.Messages[5])
	}
}

// A report that cannot be true is no anchor: nothing, ten times too much, a part, or one that did not grow with the chat
// (B1: a silent cut has a ceiling).
func TestB1D11AnchorsAreLookedAt(t *testing.T) {
	k := newCounter(t)
	s := dialogue(t, k, 6)
	f := func(what string, s tokens.Sizes, reported int, believed bool) {
		t.Helper()
		if a := tokens.NewAnchor(&s, s.Total(), reported, 0); (a != nil) != believed {
			t.Errorf("%s: %d for %d, believed %v", what, reported, s.Total(), !believed)
		}
	}
	total := s.Total()
	f("nothing", s, 0, false)
	f("ten times", s, 10*total, false)
	f("only what was not cached", s, total/10, false)
	f("truth", s, total*8/10, true)

	a := tokens.NewAnchor(&s, total, total, 0)
	grown := dialogue(t, k, 8).Anchored(a, true)
	f("grown", grown, grown.Total()-20, true)
	f("a ceiling", grown, total+5, false)
	f("less than before", grown, total-100, false)
	if tokens.NewAnchor(&s, 0, 100, 0) != nil {
		t.Error("nothing was sent, and it is an anchor")
	}
}
