// Package measure replays histories through Recap's planner, request by request and without a network, and counts what
// evaluation.md asks for: what was sent, which prefix was kept, what got lost, whether the right checkpoint was used.
//
//	body ─▶ decode ─▶ keys, sizes ─▶ prune ─▶ decide ─▶ splice ─▶ strict upstream, figures
//	                    ▲                        │
//	                  store ◀─ scripted summariser ◀─ job (a number of requests later)
//
// What is judged is judged from outside: bodies by internal/fakellm, which checkpoint belongs to which prefix by the
// workload's own identities, what is visible by looking into the bytes that were sent.
package measure

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"recap/cache"
	"recap/chat"
	"recap/compaction"
	"recap/dialect"
	"recap/pruning"
	"recap/summarizer"
	"recap/tokens"
)

// Planner is Recap without its HTTP side: what middleware does for one upstream and one tenant.
type Planner struct {
	dialect dialect.Dialect
	window  tokens.Window
	options summarizer.Options
	store   cache.Store
	facts   *dialect.Facts
	counter *tokens.Counter
	pruner  *pruning.Pruner
	client  *http.Client
	queue   *summarizer.Queue
	tenant  string
	seed    chat.Key
	notices notices
}

// Sent is what became of one request.
type Sent struct {
	Chat     *chat.Chat
	Outline  *chat.Outline
	Keys     []chat.Key
	Decision compaction.Decision
	Body     string // as it goes upstream
	Urgent   bool   // what was chosen did not fit, so that it was pruned beyond the batches
}

// remembered is for how many messages facts and prunings are kept.
const remembered = 20000

// NewPlanner returns a planner with a cold memory on a store, which it does not own. answers is the summariser; a
// Script is one.
func NewPlanner(name string, s *Setup, store cache.Store, answers http.RoundTripper) *Planner {
	p := &Planner{
		dialect: dialect.ByName(name),
		window:  tokens.Window{Size: s.Window, Source: "config"},
		options: s.Options(),
		store:   store,
		facts:   chat.NewMemo[dialect.Print, *chat.Facts](remembered),
		counter: tokens.NewCounter(nil),
		pruner:  pruning.New(remembered),
		tenant:  s.Tenant,
		seed:    chat.Seed(s.Tenant, "scripted", summarizer.Recipe(&summarizer.Options{}, "")),
	}
	p.client = &http.Client{Transport: answers}
	p.open()
	return p
}

func (p *Planner) open() {
	p.queue = summarizer.NewQueue(summarizer.Deps{
		Store: p.store, Client: func(string) *http.Client { return p.client }, Observe: p.notices.add,
	})
}

// reopen gives the planner a queue that knows of no failures.
func (p *Planner) reopen() {
	_ = p.queue.Close(context.Background())
	p.open()
}

// Close ends the planner's background work.
func (p *Planner) Close() {
	_ = p.queue.Close(context.Background())
	p.counter.Close()
}

// Decide makes the decision for one body and applies it. Nothing is remembered of it.
func (p *Planner) Decide(body string) (*Sent, error) {
	c, err := p.dialect.Decode(body, p.facts)
	if err != nil {
		return nil, fmt.Errorf("decode body: %w", err)
	}
	s := &Sent{Chat: c, Outline: chat.NewOutline(c), Body: body}
	s.Keys = chat.Keys(s.Outline, p.seed)
	stored, err := p.store.Find(context.Background(), s.Keys)
	if err != nil {
		return nil, fmt.Errorf("find checkpoints: %w", err)
	}
	in := compaction.Input{
		Outline: s.Outline, Keys: s.Keys, Sizes: p.counter.Sizes(c, "scripted"), Window: p.window, Stored: stored, Options: &p.options,
	}
	if p.options.ContextPruning.Enabled {
		in.Prune = func(urgent bool) pruning.Result {
			s.Urgent = s.Urgent || urgent
			return p.pruner.Prune(c, &p.options.ContextPruning, p.window.Size, urgent)
		}
	}
	s.Decision = compaction.Decide(in)
	if s.Decision.Plan.Empty() {
		return s, nil
	}
	sent, err := p.dialect.Apply(make([]byte, 0, len(body)), c, &s.Decision.Plan)
	if err != nil {
		return nil, fmt.Errorf("apply plan: %w", err)
	}
	s.Body = string(sent)
	return s, nil
}

// Mark stores what a request leaves behind: a provisional checkpoint, and that one was sent.
func (p *Planner) Mark(s *Sent) error {
	used := s.Decision.Used
	if used == nil || s.Decision.Provisional == nil && used.Sent {
		return nil
	}
	ctx := context.Background()
	if made := s.Decision.Provisional; made != nil {
		if _, err := p.store.Put(ctx, *made); err != nil {
			return fmt.Errorf("store provisional checkpoint: %w", err)
		}
	}
	err := p.store.Change(ctx, used.Checkpoint.Key, func(cp *chat.Checkpoint) {
		if !slices.Contains(cp.Windows, p.window.Size) {
			cp.Windows = append(cp.Windows, p.window.Size)
		}
	})
	if err != nil {
		return fmt.Errorf("mark checkpoint: %w", err)
	}
	return nil
}

// Summarize has a job done and, unless wait is false, waits for it.
func (p *Planner) Summarize(j *summarizer.Job, wait bool) {
	j.Tenant, j.Upstream = p.tenant, "scripted"
	j.Target = summarizer.Target{Name: "scripted", Dialect: "openai", URL: "http://scripted.invalid/v1/chat/completions"}
	p.queue.Submit(j)
	if wait {
		p.queue.Wait(context.Background(), j.Keys, j.Window)
	}
}
