package compaction_test

import (
	"fmt"
	"strings"
	"testing"

	"recap/compaction"
)

// BenchmarkDecide measures the decision alone: for a chat that needs nothing, and for one that is long over its budget.
func BenchmarkDecide(b *testing.B) {
	for _, turns := range []int{20, 200} {
		for _, window := range []int{1_000_000, 2_000} {
			b.Run(fmt.Sprintf("%dturns/window%d", turns, window), func(b *testing.B) {
				w := newWorld(b, strings.Repeat("U:300,A:900,", turns)+"U", window)
				in := w.input()
				b.ReportAllocs()
				for b.Loop() {
					compaction.Decide(in)
				}
			})
		}
	}
}
