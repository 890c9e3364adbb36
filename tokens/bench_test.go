package tokens_test

import (
	"os"
	"strings"
	"testing"

	"recap/tokens"
)

func script(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/scripts/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func BenchmarkEstimate(b *testing.B) {
	for _, name := range []string{"english", "code", "json", "log", "base64", "polish", "russian", "chinese", "emoji"} {
		text := script(b, name)
		text = strings.Repeat(text, 100_000/len(text)+1)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				tokens.Estimate(text)
			}
		})
	}
}
