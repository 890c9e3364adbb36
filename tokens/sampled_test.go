package tokens_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"recap/tokens"
)

// Twice what parts of a long body say is more than all of it weighs, however its texts are mixed.
func TestSampledBounds(t *testing.T) {
	k := tokens.NewCounter(nil)
	t.Cleanup(k.Close)
	texts := []string{
		"The keeper of the light wrote the hour into his book before he went home. ", "早晨的港口很安静。两条船载着鱼进来了，",
		`{\"id\":184467,\"path\":\"/srv/a/b.go\",\"ok\":true},`, "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ", "a", "😀🎉",
		"Утром в порту было тихо. Пришли две лодки с рыбой. ", "\\tif err != nil {\\n\\t\\treturn err\\n\\t}\\n", "0123456789",
	}
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var b strings.Builder
		for b.Len() < 64<<10+rng.IntN(256<<10) {
			text := texts[rng.IntN(len(texts))]
			b.WriteString(`{"role":"user","content":"` + strings.Repeat(text, 1+(512+rng.IntN(12<<10))/len(text)) + `"},`)
		}
		if got, all := k.Sampled("m", b.String()), tokens.Estimate(b.String()); 2*got < all {
			t.Errorf("seed %d: %d tokens by parts, %d by all", seed, got, all)
		}
	}
}
