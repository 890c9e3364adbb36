//go:build !race

package compaction_test

import (
	"runtime"
	"testing"

	"recap/compaction"
)

// Planning the next request of a known chat of 1 MB: what it allocates. The issue allows 1 MB; the budgets are only ever
// lowered. The kinds of request are those that BenchmarkPlanKnownMegabyte times.
func TestPlanAllocations(t *testing.T) {
	const most = 160 << 10 // bytes
	budgets := map[string]float64{"clear": 40, "ratio": 50, "budget": 50, "checkpoint": 70, "checkpoint and budget": 80}
	for _, k := range plannings {
		p := newPlanner(t, k.window, k.change)
		var d compaction.Decision
		if got := testing.AllocsPerRun(20, func() { d = p.next() }); got > budgets[k.name] {
			t.Errorf("%s: %.0f allocations, the budget is %.0f", k.name, got, budgets[k.name])
		}
		if d.Status != k.status {
			t.Errorf("%s: status %s, want %s", k.name, d.Status, k.status)
		}
		if got := bytesPerRun(20, func() { p.next() }); got > most {
			t.Errorf("%s: %d bytes allocated, the budget is %d", k.name, got, most)
		}
	}
}

// bytesPerRun returns how many bytes a run of f allocates.
func bytesPerRun(runs int, f func()) uint64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		f()
	}
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) / uint64(runs)
}
