package summarizer_test

import (
	"math"
	"testing"

	"recap/summarizer"
)

// L9, L10, L12: the levels of triggers on size.
func TestL9L10L12Levels(t *testing.T) {
	f := func(kind string, value float64, window, want int, sized bool) {
		t.Helper()
		trigger := summarizer.Trigger{Type: kind, Value: value}
		got, ok := trigger.Level(window)
		if got != want || ok != sized {
			t.Errorf("%s %g of %d: got %d %v, want %d %v", kind, value, window, got, ok, want, sized)
		}
	}
	f("token_ratio", 0.8, 4096, 3277, true)
	f("token_ratio", 0.1, 30, 3, true)
	f("token_ratio", 0.07, 100, 7, true)
	f("token_ratio", 1, 8192, 8192, true)
	f("remaining_tokens", 8000, 32768, 24768, true)
	f("remaining_tokens", 8000, 4096, 1, true)
	f("remaining_tokens", 1e300, 4096, 1, true)
	f("messages_to_refine", 8, 4096, 0, false)
	f("token_count", 200, 4096, 0, false)
	f("", 0, 4096, 0, false)
}

// L11, N2: the triggers on counts.
func TestL11N2Counts(t *testing.T) {
	f := func(kind string, value float64, minTurns int, c summarizer.Counts, want bool) {
		t.Helper()
		trigger := summarizer.Trigger{Type: kind, Value: value, MinTurns: minTurns}
		if got := trigger.Fires(c); got != want {
			t.Errorf("%s %g, %d turns, %+v: got %v", kind, value, minTurns, c, got)
		}
	}
	f("messages_to_refine", 8, 0, summarizer.Counts{Refinable: 7}, false)
	f("messages_to_refine", 8, 0, summarizer.Counts{Refinable: 8}, true)
	f("messages_to_refine", 8, 5, summarizer.Counts{Refinable: 8, Turns: 4}, false)
	f("token_count", 200, 5, summarizer.Counts{Tokens: 200, Turns: 5}, false)
	f("token_count", 200, 5, summarizer.Counts{Tokens: 201, Turns: 4}, false)
	f("token_count", 200, 5, summarizer.Counts{Tokens: 201, Turns: 5}, true)
	f("token_ratio", 0.1, 0, summarizer.Counts{Tokens: 1e6, Refinable: 1e6}, false)
	f("", 0, 0, summarizer.Counts{Tokens: 1e6}, false)
}

func TestTriggerCheck(t *testing.T) {
	f := func(kind string, value float64, minTurns int, ok bool) {
		t.Helper()
		trigger := summarizer.Trigger{Type: kind, Value: value, MinTurns: minTurns}
		if err := trigger.Check(); (err == nil) != ok {
			t.Errorf("%s %g: got %v", kind, value, err)
		}
	}
	f("", 0, 0, true)
	f("token_ratio", 0.8, 0, true)
	f("token_ratio", 1, 0, true)
	f("token_ratio", 0, 0, false)
	f("token_ratio", 1.01, 0, false)
	f("token_ratio", math.NaN(), 0, false)
	f("remaining_tokens", 8000, 0, true)
	f("remaining_tokens", -1, 0, false)
	f("remaining_tokens", 0.5, 0, false)
	f("remaining_tokens", math.Inf(1), 0, false)
	f("messages_to_refine", 8, 3, true)
	f("token_count", 200, 5, true)
	f("token_count", 200, -1, false)
	f("tokens", 1, 0, false)
}
