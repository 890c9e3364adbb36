package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"recap/chat"
	"recap/compaction"
	"recap/dialect"
	"recap/internal/fakellm"
	"recap/pruning"
	"recap/summarizer"
	"recap/tokens"
)

// generated is goal G3: requests of many shapes in both formats, every cut of each, judged by the strict upstream and
// compared with what the client sent.
type generated struct {
	Requests int64 // judged
	Changed  int64 // of these, rewritten
	Invalid  int64
	First    string

	mu sync.Mutex
}

// generate judges about n requests, on all cores.
func generate(n int64) *generated {
	g := &generated{}
	var next atomic.Uint64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for atomic.LoadInt64(&g.Requests) < n {
				g.conversation(next.Add(1))
			}
		})
	}
	workers.Wait()
	return g
}

// conversation judges one small chat at some of its points, in both formats.
func (g *generated) conversation(seed uint64) {
	r := rand.New(rand.NewPCG(seed, 0x63))
	o := fakellm.ConversationOptions{
		Seed: seed, Turns: 2 + r.IntN(5), Rounds: r.IntN(5), Parallel: 1 + r.IntN(4), ResultChars: 300 + r.IntN(1500), TextChars: 60 + r.IntN(300),
		NoSystem: r.IntN(3) == 0, Parts: float64(r.IntN(2)) * 0.5, Spaced: float64(r.IntN(2)) * 0.3, Media: r.IntN(3) == 0, NoIDs: r.IntN(2) == 0,
		Stream: r.IntN(2) == 0, Legacy: r.IntN(5) == 0,
	}
	c := fakellm.NewConversation(o)
	points := c.Points()
	for range min(3, len(points)) {
		point := points[r.IntN(len(points))]
		for _, name := range []string{"openai", "ollama"} {
			g.everyCut(name, string(c.Body(name, point)), r)
		}
	}
}

var placements = []chat.Placement{chat.InUser, chat.InSystem}

// everyCut judges a request as it is decided without a checkpoint, and with one at each cut.
func (g *generated) everyCut(name, body string, r *rand.Rand) {
	d := dialect.ByName(name)
	c, err := d.Decode(body, nil)
	if err != nil {
		g.count(false, fmt.Sprintf("%s: decode: %v", name, err))
		return
	}
	o := chat.NewOutline(c)
	options := summarizer.Defaults()
	options.Placement, options.MinMessages = string(placements[r.IntN(2)]), 1
	prune(&options.ContextPruning, r)
	in := compaction.Input{
		Outline: o, Keys: chat.Keys(o, chat.Key{}), Sizes: heavy(c), Options: &options,
		Window: tokens.Window{Size: []int{600, 2000, 8000}[r.IntN(3)], Source: "config"},
	}
	if options.ContextPruning.Enabled {
		in.Prune = func(urgent bool) pruning.Result {
			return pruning.Prune(c, &options.ContextPruning, in.Window.Size, urgent)
		}
	}
	g.judge(d, c, &in)
	in.Force = true
	for _, cut := range o.Cuts() {
		in.Stored = []chat.Checkpoint{{
			Key: in.Keys[cut.Covers-1], From: 1, To: cut.Covers, RowFrom: 1, Text: "Said before.", Ledger: "- zażółć 😀 \"quoted\"", Tokens: 4,
		}}
		g.judge(d, c, &in)
	}
}

func prune(o *pruning.Options, r *rand.Rand) {
	o.Enabled = r.IntN(3) > 0
	o.MinPrunableToolChars = 200
	if r.IntN(2) == 0 {
		o.Strategy = pruning.Budget
		o.ProtectTokens, o.ClearAtLeast = r.IntN(500), 1+r.IntN(300)
		o.CapNewChars = []int{0, 400}[r.IntN(2)]
	}
	if r.IntN(2) == 0 {
		o.Cadence = pruning.EveryRequest
	}
	o.SoftTrim = pruning.SoftTrim{MaxChars: 300, HeadChars: 120, TailChars: 100}
}

// heavy weighs a chat three times what it does, so that small ones pass the levels that large ones do.
func heavy(c *chat.Chat) tokens.Sizes {
	k := tokens.NewCounter(nil)
	defer k.Close()
	s := k.Sizes(c, "generated")
	for i := range s.Messages {
		s.Messages[i] *= 3
		s.Fixed[i] *= 3
	}
	return s
}

func (g *generated) judge(d dialect.Dialect, c *chat.Chat, in *compaction.Input) {
	decision := compaction.Decide(*in)
	if decision.Plan.Empty() {
		g.count(false, "")
		return
	}
	sent, err := d.Apply(nil, c, &decision.Plan)
	if err == nil {
		err = fakellm.Check(d.Name(), sent)
	}
	if err == nil {
		check := fakellm.CheckKept
		if in.Options.ContextPruning.Enabled && in.Options.ContextPruning.CapNewChars > 0 {
			check = fakellm.CheckKeptCapped
		}
		err = check(d.Name(), []byte(c.Body), sent)
	}
	if err != nil {
		g.count(true, fmt.Sprintf("%s: %v", d.Name(), err))
		return
	}
	g.count(true, "")
}

func (g *generated) count(changed bool, fault string) {
	atomic.AddInt64(&g.Requests, 1)
	if changed {
		atomic.AddInt64(&g.Changed, 1)
	}
	if fault == "" {
		return
	}
	atomic.AddInt64(&g.Invalid, 1)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.First == "" {
		g.First = fault
	}
}
