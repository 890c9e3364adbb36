package main

import (
	"runtime"
	"strings"
	"time"

	"recap/cache"
	"recap/eval/measure"
	"recap/eval/workload"
)

// pathCost is m11 for one size of body: what the planner adds to a request whose messages are known.
type pathCost struct {
	bytes  int
	took   time.Duration // the best of several
	allocs uint64        // bytes
}

// measurePath measures the planner's time and allocations on an agent's history from 2 KB to 1 MB, in full to 10 MB,
// pruning on and nothing to swap: the time depends on the machine, so no golden table holds it.
func measurePath(full bool) ([]pathCost, error) {
	calls, sizes := 220, []int{2 << 10, 20 << 10, 200 << 10, 1 << 20}
	if full {
		calls, sizes = 2100, append(sizes, 10<<20)
	}
	steps := workload.Loop(99, calls).Steps
	setup := measure.Setup{Arm: measure.BudgetNotes, Window: 8 << 20, Checkpoints: true}
	var costs []pathCost
	for _, size := range sizes {
		at := 0
		for at < len(steps)-1 && size > len(steps[at].Body("openai", 0)) {
			at++
		}
		c, err := costOf(steps, at, setup)
		if err != nil {
			return nil, err
		}
		costs = append(costs, c)
	}
	return costs, nil
}

func costOf(steps []workload.Step, at int, setup measure.Setup) (pathCost, error) {
	store := cache.NewMemory(cache.Options{})
	defer store.Close()
	body := steps[at].Body("openai", 0)
	c := pathCost{bytes: len(body), took: time.Hour}
	p := measure.NewPlanner("openai", &setup, store, measure.Faithful)
	defer p.Close()
	if at > 0 {
		if _, err := p.Decide(steps[at-1].Body("openai", 0)); err != nil {
			return c, err
		}
	}
	for range 9 {
		var before, after runtime.MemStats
		fresh := strings.Clone(body)
		runtime.ReadMemStats(&before)
		began := time.Now()
		if _, err := p.Decide(fresh); err != nil {
			return c, err
		}
		took := time.Since(began)
		runtime.ReadMemStats(&after)
		if took < c.took {
			c.took, c.allocs = took, after.TotalAlloc-before.TotalAlloc
		}
	}
	return c, nil
}
