package main

import (
	"fmt"
	"runtime"
	"sync"

	"recap/eval/measure"
	"recap/eval/workload"
)

// row is one line of the table: runs of one workload under one setup.
type row struct {
	kind  string
	setup measure.Setup
	runs  []workload.Run
	sum   measure.Figures
}

// name is the row's name in the golden table.
func (r *row) name() string {
	name := fmt.Sprintf("%s · %s · %s", r.kind, windowName(r.setup.Window), r.setup.Arm.Name)
	if r.setup.Checkpoints {
		name += " + checkpoints"
	}
	if r.setup.Script != measure.Faithful && r.setup.Script != "" {
		name += fmt.Sprintf(" (summariser: %s)", r.setup.Script)
	}
	if r.setup.Delay > 1 {
		name += fmt.Sprintf(" (%d requests late)", r.setup.Delay)
	}
	return name
}

func windowName(n int) string { return fmt.Sprintf("%dk", n/1024) }

const (
	k4   = 4 << 10
	k16  = 16 << 10
	k32  = 32 << 10
	k128 = 128 << 10
)

var windows = []int{k4, k16, k32, k128}

// runs are the histories of a suite by workload.
type runs map[string][]workload.Run

// histories makes the runs: a few of each workload, or with full many.
func histories(full bool, traces string) (runs, error) {
	h := runs{}
	seeds := uint64(1)
	if full {
		seeds = 6
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		for _, turns := range []int{20, 60, 150, 400} {
			h["W1"] = append(h["W1"], workload.Chat(seed*10, turns))
		}
		h["W2"] = append(h["W2"], workload.RAG(seed, 8))
		for i, calls := range []int{50, 115, 200} {
			h["W3"] = append(h["W3"], workload.Loop(seed*10+uint64(i), calls))
		}
		if full {
			h["W3"] = append(h["W3"], workload.Loop(seed*10+9, 471))
			h["W4"] = append(h["W4"], workload.Sessions(seed+100, 88))
		}
		h["W4"] = append(h["W4"], workload.Sessions(seed, 55))
		h["W5"] = append(h["W5"], workload.Branches(seed, 40))
		h["W7"] = append(h["W7"], workload.Odd(seed, 24)...)
		h["W8"] = append(h["W8"], workload.Clients(seed, 70)...)
		h["W9"] = append(h["W9"], workload.Chat(seed*10+5, 40))
	}
	recorded, err := workload.Recorded(traces)
	if err != nil {
		return nil, fmt.Errorf("read traces: %w", err)
	}
	if len(recorded) > 0 {
		h["W10"] = recorded
	}
	return h, nil
}

// table lists the rows: every arm on agents at 128k, with and without checkpoints where that tells something; chats,
// branches and odd clients at every window; each fault of a summariser.
func table(h runs, full bool) []*row {
	var rows []*row
	add := func(kind string, s measure.Setup) {
		if len(h[kind]) > 0 {
			s.Header = workload.Header(s.Window)
			rows = append(rows, &row{kind: kind, setup: s, runs: h[kind]})
		}
	}
	for _, kind := range []string{"W3", "W4", "W10"} {
		for _, window := range windows {
			for _, arm := range measure.Arms() {
				if window == k128 || full {
					add(kind, measure.Setup{Arm: arm, Window: window})
				}
				if full || window == k128 && kind == "W10" || arm.Name == measure.Untouched.Name || arm.Name == measure.BudgetNotes.Name {
					add(kind, measure.Setup{Arm: arm, Window: window, Checkpoints: true})
				}
			}
		}
		add(kind, measure.Setup{Arm: measure.BudgetNotes, Window: k32, Checkpoints: true, Delay: 8})
	}
	for _, kind := range []string{"W1", "W2", "W5", "W7", "W8"} {
		for _, window := range windows {
			add(kind, measure.Setup{Arm: measure.Untouched, Window: window, Checkpoints: true})
			if kind == "W7" {
				add(kind, measure.Setup{Arm: measure.BudgetBoth, Window: window, Checkpoints: true})
			}
		}
	}
	for _, window := range windows {
		add("W1", measure.Setup{Arm: measure.Untouched, Window: window, Checkpoints: true, Script: measure.Constant})
	}
	for _, script := range append(measure.Faults(), measure.Inventing) {
		add("W9", measure.Setup{Arm: measure.Untouched, Window: k4, Checkpoints: true, Script: script})
	}
	return rows
}

// measureAll fills in the rows' figures, on all cores.
func measureAll(rows []*row) error {
	type task struct {
		row *row
		run int
	}
	tasks := make(chan task)
	figures := map[*row][]measure.Figures{}
	for _, r := range rows {
		figures[r] = make([]measure.Figures, len(r.runs))
	}
	var mu sync.Mutex
	var first error
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for t := range tasks {
				f, err := measure.Replay(&t.row.runs[t.run], t.row.setup)
				figures[t.row][t.run] = f
				if err != nil {
					mu.Lock()
					if first == nil {
						first = fmt.Errorf("replay %s: %w", t.row.name(), err)
					}
					mu.Unlock()
				}
			}
		})
	}
	for _, r := range rows {
		for i := range r.runs {
			tasks <- task{r, i}
		}
	}
	close(tasks)
	workers.Wait()
	for _, r := range rows {
		for i := range figures[r] {
			r.sum.Add(&figures[r][i])
		}
	}
	return first
}
