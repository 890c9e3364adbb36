package main

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"recap/cache"
	"recap/config"
	"recap/dialect"
	"recap/eval/measure"
	"recap/eval/workload"
	"recap/internal/fakellm"
	"recap/pruning"
)

// overHTTP is what a sample of runs gives through the whole proxy.
type overHTTP struct {
	Runs, Requests             int
	Refused                    int
	SharedBytes, EarlierBytes  int // G9
	Breaks, Undeclared, Untrue int // prefixes broken; not said; said without being so

	Delayed, Hung int // G7: requests over a second beside a summary that hangs, and how many there were
	Calls, Equal  int // G8: summary calls, and equal requests at once
}

// sampleProxy runs the proxy's part of the evaluation.
func sampleProxy(h runs) (all, loops overHTTP, err error) {
	type sample struct {
		kind   string
		at     int
		window int
		arm    measure.Arm
	}
	samples := []sample{
		{"W3", 2, k128, measure.BudgetNotes}, // G9: the run of 200 calls
		{"W3", 0, k32, measure.BudgetBoth},
		{"W1", 1, k4, measure.Untouched},
		{"W5", 0, k4, measure.Untouched},
		{"W8", 0, k4, measure.Untouched},
		{"W7", 3, k16, measure.BudgetNotes},
		{"W7", 5, k4, measure.BudgetNotes},
		{"W10", 0, k32, measure.BudgetNotes},
	}
	for i, s := range samples {
		if len(h[s.kind]) <= s.at {
			continue
		}
		o, err := replayProxy(&h[s.kind][s.at], s.window, s.arm)
		if err != nil {
			return all, loops, fmt.Errorf("through the proxy, %s: %w", s.kind, err)
		}
		all.add(&o)
		if i == 0 {
			loops = o
		}
	}
	return all, loops, errors.Join(all.hang(), all.equal())
}

func (o *overHTTP) add(p *overHTTP) {
	o.Runs += p.Runs
	o.Requests += p.Requests
	o.Refused += p.Refused
	o.SharedBytes += p.SharedBytes
	o.EarlierBytes += p.EarlierBytes
	o.Breaks += p.Breaks
	o.Undeclared += p.Undeclared
	o.Untrue += p.Untrue
}

// replayProxy sends a run and compares what the upstream got with what it had got before.
func replayProxy(run *workload.Run, window int, arm measure.Arm) (overHTTP, error) {
	o := overHTTP{Runs: 1}
	p, err := startProxy(window, fakellm.Options{}, func(c *config.Config) {
		s := measure.Setup{Arm: arm, Window: window, Checkpoints: true}
		c.Summarization = s.Options()
	})
	if err != nil {
		return o, err
	}
	before, shown := map[int][]string{}, map[uint64][]string{}
	for i := range run.Steps {
		step := &run.Steps[i]
		a, err := p.chat(run.Dialect, step.Body(run.Dialect, workload.Header(window)))
		o.Requests++
		if errors.Is(err, errRefused) {
			o.Refused++
			continue
		}
		if err == nil {
			err = p.settle()
		}
		if err != nil {
			return o, errors.Join(err, p.close())
		}
		now := raws(run.Dialect, string(p.up.LastChatBody()))
		o.compare(before, step.Thread, now, a.declared() && !otherwise(shown, step, now), a.declared())
		shown[step.Prefix(step.Len())] = now
	}
	o.Refused += len(p.up.Refusals())
	return o, p.close()
}

// otherwise reports whether the request that held most of a step's messages, of whatever thread, was sent in another
// shape: a client that goes once more over what it said on another branch. The proxy compares with that one.
func otherwise(shown map[uint64][]string, step *workload.Step, now []string) bool {
	for n := step.Len(); n > 0; n-- {
		if earlier, ok := shown[step.Prefix(n)]; ok {
			return len(earlier) > len(now) || !slices.Equal(earlier, now[:len(earlier)])
		}
	}
	return false
}

// compare looks at the prefix of a request's messages.
func (o *overHTTP) compare(before map[int][]string, thread int, now []string, untrue, declared bool) {
	earlier, follows := before[thread]
	before[thread] = now
	if !follows {
		return
	}
	broke := false
	for i, raw := range earlier {
		o.EarlierBytes += len(raw)
		if broke = broke || i >= len(now) || now[i] != raw; !broke {
			o.SharedBytes += len(raw)
		}
	}
	switch {
	case broke && declared:
		o.Breaks++
	case broke:
		o.Breaks++
		o.Undeclared++
	case untrue:
		o.Untrue++
	}
}

func raws(name, body string) []string {
	c, err := dialect.ByName(name).Decode(body, nil)
	if err != nil {
		return nil
	}
	list := make([]string, len(c.Messages))
	for i := range c.Messages {
		list[i] = c.Messages[i].Raw
	}
	return list
}

// hang is G7: a chat goes on while its summary hangs for ever. A second is a generous bound for a request that takes
// milliseconds, on a machine that does other things.
func (o *overHTTP) hang() error {
	p, err := startProxy(k4, fakellm.Options{Fault: func(r *fakellm.Recorded) *fakellm.Fault {
		if r.Summary {
			return &fakellm.Fault{Break: fakellm.BreakHang}
		}
		return nil
	}}, nil)
	if err != nil {
		return err
	}
	run := workload.Chat(77, 80)
	for i := range run.Steps {
		a, err := p.chat("openai", run.Steps[i].Body("openai", 0))
		if err != nil {
			return errors.Join(err, p.close())
		}
		if a.took > time.Second {
			o.Delayed++
		}
		if len(p.up.Summaries()) > 0 {
			o.Hung++
		}
	}
	return p.close()
}

// equal is G8: 1,000 equal requests at once, of a chat whose summary is due.
func (o *overHTTP) equal() error {
	p, err := startProxy(k4, fakellm.Options{Summary: func(string) fakellm.Reply {
		return fakellm.Reply{Text: measure.ConstantSentence, Delay: 500 * time.Millisecond}
	}}, func(c *config.Config) { c.Summarization.ContextPruning = pruning.Defaults() })
	if err != nil {
		return err
	}
	body, err := firstDue(workload.Chat(78, 40))
	if err != nil {
		return errors.Join(err, p.close())
	}
	const equal = 1000
	var group sync.WaitGroup
	errs := make(chan error, equal)
	slots := make(chan struct{}, 200)
	for range equal {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if _, err := p.chat("openai", body); err != nil {
				errs <- err
			}
		})
	}
	group.Wait()
	close(errs)
	if err := <-errs; err != nil {
		return errors.Join(err, p.close())
	}
	err = p.settle()
	o.Equal, o.Calls = equal, len(p.up.Summaries())
	return errors.Join(err, p.close())
}

// firstDue returns the body of the first request of a chat for which a summary is due.
func firstDue(run workload.Run) (string, error) {
	store := cache.NewMemory(cache.Options{})
	defer store.Close()
	p := measure.NewPlanner("openai", &measure.Setup{Arm: measure.Untouched, Window: k4, Checkpoints: true}, store, measure.Constant)
	defer p.Close()
	for i := range run.Steps {
		body := run.Steps[i].Body("openai", 0)
		if sent, err := p.Decide(body); err != nil || sent.Decision.Job != nil {
			return body, err
		}
	}
	return "", errors.New("no summary is ever due")
}
