package tokens_test

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
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

// A few parts of a long body tell nearly what all of it weighs, in any script.
func TestRoughOfScripts(t *testing.T) {
	k := tokens.NewCounter(nil)
	t.Cleanup(k.Close)
	files, err := filepath.Glob("testdata/scripts/*.txt")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	quote := strings.NewReplacer("\n", `\n`, `"`, `\"`, `\`, `\\`, "\t", `\t`)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		message := `{"role":"user","content":"` + quote.Replace(strings.ToValidUTF8(string(data[:min(len(data), 1500)]), "")) + `"},`
		whole, _ := k.Rough("u", "gpt-4o", message)
		got, _ := k.Rough("u", "gpt-4o", strings.Repeat(message, 19)) // a number that makes each part another one of it
		if off := math.Abs(float64(got)/float64(19*whole) - 1); off > 0.15 {
			t.Errorf("%s: %d tokens by parts, 19 of %d by all: off by %.0f %%", filepath.Base(file), got, whole, 100*off)
		}
	}
}
