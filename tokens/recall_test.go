package tokens_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"recap/chat"
	"recap/dialect"
	"recap/tokens"
)

// A chat that goes on from a known one weighs what it weighs when it is read alone, also once texts of its beginning have
// been counted exactly, by another counter, or for another model.
func TestSizesGoOn(t *testing.T) {
	d := dialect.ByName("openai").(dialect.Glancer)
	facts := chat.NewMemo[dialect.Print, *chat.Facts](10_000)
	counters := []*tokens.Counter{newCounter(t), newCounter(t, tokens.Model{Match: "*", Encoding: "cl100k_base", ImageTokens: 7})}
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 8))
		list := []string{`{"role":"system","content":"be brief"}`}
		for step := range 12 {
			for range 1 + rng.IntN(3) {
				text := strings.Repeat([]string{"some words here ", "早晨", "0123 "}[rng.IntN(3)], 1+rng.IntN(20))
				list = append(list, fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":"%d %s"},{"type":"image_url","image_url":{"url":"x"}}]}`, rng.Int(), text))
			}
			k, model := counters[rng.IntN(2)], []string{"gpt-4o", "qwen3"}[rng.IntN(2)]
			body := `{"model":"` + model + `","messages":[` + strings.Join(list, ",") + `]}`
			read := func(tenant uint64) *chat.Chat {
				c, err := d.DecodeFor(tenant, body, facts)
				if err != nil {
					t.Fatal(err)
				}
				return c
			}
			warm := read(seed + 1)
			if (warm.Before != nil) != (step > 0) {
				t.Fatalf("step %d: the chat before it is known: %v", step, warm.Before != nil)
			}
			got, want := k.Sizes(warm, "local"), k.Sizes(read(rng.Uint64()), "local")
			if !slices.Equal(got.Messages, want.Messages) || !slices.Equal(got.Fixed, want.Fixed) || got.Extra != want.Extra ||
				got.FixedExtra != want.FixedExtra || got.Missing != want.Missing {
				t.Fatalf("seed %d, step %d: %+v\nalone %+v", seed, step, got, want)
			}
			if rng.IntN(3) == 0 {
				learned(t, k, warm)
			}
		}
	}
}
