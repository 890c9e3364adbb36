package tokens_test

import (
	"math"
	"testing"

	"recap/chat"
	"recap/tokens"
)

// L23: the cost of an exchange by models[].price, the first entry that matches.
func TestL23Cost(t *testing.T) {
	models := []tokens.Model{
		{Match: "gpt-4o-mini*", Price: tokens.Price{Input: 0.15, Cached: 0.075, Output: 0.6}},
		{Match: "gpt-*", Price: tokens.Price{Input: 2.5, Output: 10}},
	}
	f := func(model string, u chat.Usage, want float64) {
		t.Helper()
		if got := tokens.PriceOf(models, model).Cost(u); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s, %+v: costs %v, want %v", model, u, got, want)
		}
	}
	f("gpt-4o-mini-2024", chat.Usage{Prompt: 1_000_000, Completion: 500_000}, 0.45)
	f("gpt-4o-mini", chat.Usage{Prompt: 1_000_000, Cached: 600_000}, 0.4*0.15+0.6*0.075)
	f("gpt-4o", chat.Usage{Prompt: 1000, Cached: 900, Completion: 10}, 0.0026)
	f("GPT-4o", chat.Usage{Prompt: 1000, Cached: 5000}, 0.0025) // more cached than there is
	f("llama3", chat.Usage{Prompt: 1_000_000, Completion: 1}, 0)
}
