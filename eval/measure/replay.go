package measure

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"recap/cache"
	"recap/chat"
	"recap/eval/workload"
	"recap/internal/fakellm"
	"recap/summarizer"
)

// replay is one run under one setup.
type replay struct {
	*Planner
	setup   Setup
	run     *workload.Run
	f       Figures
	threads map[int]*state // the last request of each
	parents map[int]*state // requests that threads branch off
	oracle  oracle
	landing map[int]landing // by thread
	rest    rest
}

// state is what the next request of a thread is compared with.
type state struct {
	raws   []string // the messages that were sent, the system prompt first
	chars  []int    // code points of each
	step   *workload.Step
	sent   *Sent
	header int // tokens
	swap   swap
	at     int // number of the request in its thread
	pruned bool
}

// landing is a summary that is being written.
type landing struct {
	job  *summarizer.Job
	left int // requests until it is there
}

// Replay sends all requests of a run through a fresh planner and returns what was measured. Errors are Recap's
// refusals to decide what it should have decided.
func Replay(run *workload.Run, setup Setup) (Figures, error) {
	store := cache.NewMemory(cache.Options{})
	defer store.Close()
	return ReplayOn(run, setup, store, nil)
}

// ReplayOn is Replay on a store; each is told of every request, it may be nil.
func ReplayOn(run *workload.Run, setup Setup, store cache.Store, each func(*Sent)) (Figures, error) {
	if setup.Script == "" {
		setup.Script = Faithful
	}
	setup.Delay = max(setup.Delay, 1)
	r := &replay{
		Planner: NewPlanner(run.Dialect, &setup, store, setup.Script), setup: setup, run: run,
		threads: map[int]*state{}, parents: map[int]*state{}, landing: map[int]landing{}, oracle: newOracle(),
	}
	for i := range run.Steps {
		if at := run.Steps[i].Parent; at >= 0 {
			r.parents[at] = nil
		}
	}
	for i := range run.Steps {
		s, err := r.step(i)
		if err != nil {
			r.Close()
			return r.f, fmt.Errorf("%s %s, step %d: %w", run.Kind, run.Name, i, err)
		}
		if each != nil {
			each(s)
		}
	}
	r.Close()
	r.f.Runs = 1
	r.notices.into(&r.f)
	return r.f, r.support()
}

// step sends one request.
func (r *replay) step(i int) (*Sent, error) {
	step := &r.run.Steps[i]
	r.land(step.Thread)
	body := step.Body(r.run.Dialect, r.setup.Header)
	sent, err := r.Decide(body)
	if err != nil {
		return nil, err
	}
	now := &state{step: step, sent: sent, swap: swap{at: -1}, header: chars(workload.Head(r.run.Dialect, r.setup.Header, step.Clock)) / 4}
	if err := r.read(now); err != nil {
		return nil, err
	}
	r.judge(i, body, sent)
	r.compare(now)
	r.lookUp(i, now)
	r.oracle.look(r, now)
	if err := r.Mark(sent); err != nil {
		return nil, err
	}
	r.queueJob(now)
	r.threads[step.Thread] = now
	if _, wanted := r.parents[i]; wanted {
		r.parents[i] = now
	}
	return sent, nil
}

// read lists the messages that were sent.
func (r *replay) read(now *state) error {
	c := now.sent.Chat
	if !now.sent.Decision.Plan.Empty() {
		var err error
		if c, err = r.dialect.Decode(now.sent.Body, r.facts); err != nil {
			return fmt.Errorf("read what was sent: %w", err)
		}
	}
	now.raws = make([]string, len(c.Messages))
	for i := range c.Messages {
		now.raws[i] = c.Messages[i].Raw
	}
	return nil
}

// keptEvery is how often a body whose prefix is still is compared with the client's: it costs more than all the rest.
const keptEvery = 16

// judge asks the strict upstream (m4).
func (r *replay) judge(i int, body string, sent *Sent) {
	r.f.Requests++
	if sent.Decision.Status == chat.OverWindow {
		r.f.OverWindow++
	}
	if sent.Body == body {
		return // it is the workload's own, and workload_test.go has it judged
	}
	err := fakellm.Check(r.run.Dialect, []byte(sent.Body))
	if err == nil && i%keptEvery == 0 {
		check := fakellm.CheckKept
		if r.options.ContextPruning.CapNewChars > 0 {
			check = fakellm.CheckKeptCapped
		}
		err = check(r.run.Dialect, []byte(body), []byte(sent.Body))
	}
	if err != nil {
		r.f.Invalid++
		if r.f.First == "" {
			r.f.First = fmt.Sprintf("%s %s, step %d: %v", r.run.Kind, r.run.Name, i, err)
		}
	}
}

// land lets a summary arrive whose time has come.
func (r *replay) land(thread int) {
	l, ok := r.landing[thread]
	if !ok {
		return
	}
	if l.left--; l.left > 0 {
		r.landing[thread] = l
		return
	}
	delete(r.landing, thread)
	failed := r.notices.failures()
	r.Summarize(l.job, r.setup.Script != Hanging)
	if r.notices.failures() > failed {
		r.rest.failed(r.f.Requests)
		r.reopen()
	} else {
		r.rest.inARow = 0
	}
}

// rest is the pause after failures (design.md §3). The queue's own goes by the clock; so that a slow machine measures what a
// fast one does, requests are counted here, one every five seconds, and the queue starts anew.
type rest struct{ inARow, until int }

func (r *rest) failed(now int) {
	const first, longest = 6, 180 // 30 s and 15 min
	r.until = now + min(first<<min(r.inARow, 10), longest)
	r.inARow++
}

// queueJob starts the summary that is due, unless one is being written for this thread: then the next request will ask
// again.
func (r *replay) queueJob(now *state) {
	j := now.sent.Decision.Job
	if _, busy := r.landing[now.step.Thread]; j == nil || busy || r.f.Requests < r.rest.until {
		return
	}
	r.oracle.name(now, j.Key(), j.To())
	r.landing[now.step.Thread] = landing{j, r.setup.Delay}
}

// support looks at all stored summaries (m8).
func (r *replay) support() error {
	list, err := r.store.List(context.Background(), "", 0)
	if err != nil {
		return fmt.Errorf("list checkpoints: %w", err)
	}
	for i := range list {
		cp := &list[i]
		named, ok := r.oracle.named[cp.Key]
		if cp.Provisional || !ok {
			continue
		}
		covered := strings.Join(named.step.Line.Text[named.step.From:named.step.From+cp.To], "\n")
		for _, word := range workload.Exact(cp.Text) {
			r.f.Claims++
			if strings.Contains(covered, word) {
				r.f.Supported++
			}
		}
	}
	return nil
}

func chars(text string) int { return utf8.RuneCountInString(text) }
