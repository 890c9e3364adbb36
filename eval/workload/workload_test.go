package workload_test

import (
	"slices"
	"sync"
	"testing"

	"recap/eval/workload"
	"recap/internal/fakellm"
)

// all are made once: finding the exact strings in them takes longer than all else.
var all = sync.OnceValue(func() []workload.Run {
	runs := []workload.Run{
		workload.Chat(1, 40), workload.RAG(1, 4), workload.Loop(1, 60), workload.Sessions(1, 12), workload.Branches(1, 30),
	}
	return append(append(runs, workload.Odd(1, 12)...), workload.Clients(1, 45)...)
})

// The strictest upstream takes every request that the workloads make: what is refused later is Recap's fault.
func TestRequestsAreValid(t *testing.T) {
	for _, r := range all() {
		for i := range r.Steps {
			body := r.Steps[i].Body(r.Dialect, 200)
			if err := fakellm.Check(r.Dialect, []byte(body)); err != nil {
				t.Errorf("%s %s, step %d: %v", r.Kind, r.Name, i, err)
				break
			}
		}
	}
}

// The same seed gives the same bytes, another one does not.
func TestSeeds(t *testing.T) {
	body := func(r workload.Run) string { return r.Steps[len(r.Steps)-1].Body(r.Dialect, 0) }
	for name, run := range map[string]func() workload.Run{
		"loop": func() workload.Run { return workload.Loop(7, 30) },
		"chat": func() workload.Run { return workload.Chat(7, 30) },
	} {
		if once, again := body(run()), body(run()); once != again {
			t.Errorf("%s: the same seed gives other bytes", name)
		}
	}
	if body(workload.Loop(7, 30)) == body(workload.Loop(8, 30)) {
		t.Error("another seed gives the same bytes")
	}
}

// W3's results have the sizes of real ones.
func TestLoopSizes(t *testing.T) {
	var sizes []int
	for seed := range uint64(3) {
		l := workload.Loop(seed, 250).Steps[0].Line
		for i, role := range l.Roles {
			if role == "tool" {
				sizes = append(sizes, len(l.Text[i]))
			}
		}
	}
	slices.Sort(sizes)
	f := func(name string, share float64, low, high int) {
		t.Helper()
		if got := sizes[int(share*float64(len(sizes)))]; got < low || got > high {
			t.Errorf("%s: %d characters, want %d to %d", name, got, low, high)
		}
	}
	f("p50", 0.5, 2800, 3700)
	f("p90", 0.9, 9000, 12500)
	f("p99", 0.99, 20000, 42000)
}

// Threads grow: each request of a thread begins with the one before it.
func TestThreadsGrow(t *testing.T) {
	for _, r := range all() {
		last := map[int]int{}
		for i := range r.Steps {
			s := &r.Steps[i]
			if before, ok := last[s.Thread]; ok {
				n := r.Steps[before].Len()
				if s.Len() < n || s.Prefix(n) != r.Steps[before].Prefix(n) {
					t.Errorf("%s %s: step %d does not begin with step %d", r.Kind, r.Name, i, before)
				}
			}
			last[s.Thread] = i
		}
	}
}

// The strings that a call needs were told before it, and agents need some.
func TestNeeds(t *testing.T) {
	r := workload.Loop(3, 60)
	n := 0
	for i := range r.Steps {
		n += len(r.Steps[i].Needs())
	}
	if n < 30 {
		t.Errorf("%d exact strings needed in 60 calls, want 30 at least", n)
	}
}
