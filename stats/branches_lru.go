package stats

import (
	"slices"

	"github.com/VictoriaMetrics/metrics"

	"recap/chat"
)

// use makes b the newest.
func (s *Branches) use(b *branch) {
	if s.newest == b {
		return
	}
	s.unlink(b)
	b.older = s.newest
	if s.newest != nil {
		s.newest.newer = b
	}
	s.newest = b
	if s.oldest == nil {
		s.oldest = b
	}
}

func (s *Branches) unlink(b *branch) {
	if b.newer != nil {
		b.newer.older = b.older
	}
	if b.older != nil {
		b.older.newer = b.newer
	}
	if s.newest == b {
		s.newest = b.older
	}
	if s.oldest == b {
		s.oldest = b.newer
	}
	b.older, b.newer = nil, nil
}

// shrink forgets the branches that were not used for longest, but not keep.
func (s *Branches) shrink(keep *branch) {
	for s.held > maxHeld && s.oldest != keep {
		s.remove(s.oldest)
	}
}

func (s *Branches) remove(b *branch) {
	s.unlink(b)
	s.held -= b.weight()
	delete(s.byID, b.id)
	for _, p := range b.places {
		s.forget(p)
	}
	for _, key := range b.waiting {
		s.leave(b, key)
	}
}

// Held returns how many branches are remembered, and about how many bytes they take.
func (s *Branches) Held() (branches, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.byID), s.held
}

// register makes the metrics of what is held.
func (s *Branches) register(set *metrics.Set) {
	s.costs = costs{set: set, known: map[[2]string]*metrics.FloatCounter{}}
	set.NewGauge("recap_sessions", func() float64 { n, _ := s.Held(); return float64(n) })
	set.NewGauge("recap_sessions_bytes", func() float64 { _, n := s.Held(); return float64(n) })
	set.NewGauge("recap_session_exchanges_missed", func() float64 { return float64(s.missed.Load()) })
}

// Branch is what is known of one branch of a conversation.
type Branch struct {
	ID        chat.Key
	Labels    Labels
	Messages  int   // of its newest request
	First     int64 // Unix milliseconds, of the oldest exchange of its own
	Last      int64 // of the newest one
	Gauge     Gauge
	Status    chat.Status
	Failed    int      // exchanges that ended in an error
	Since     int      // messages of the first exchange that Usage holds
	Gaps      bool     // Usage lacks exchanges between, see Branches
	Used      chat.Key // checkpoint in use; zero = none
	Covers    int
	Rows      int
	Summary   string
	Usage     Spend // of the exchanges of the branch
	Again     Spend // of answers on it that were asked for anew; not in Usage
	Summaries Spend // of the summary calls for it; not in Usage

	Exchanges []Exchanged // the newest ones and some older, in order; only from Get
	Written   []Written   // only from Get
	Stored    []chat.Key  // checkpoints that fitted the newest request; only from Get
}

// Exchanged is one exchange of a branch.
type Exchanged struct {
	Messages int
	Time     int64 // Unix milliseconds
	Gauge    Gauge
	Spent    Spend
}

// Written is what the calls for one checkpoint took.
type Written struct {
	Key    chat.Key
	Covers int
	Spent  Spend
}

// List returns the branches, the newest first, at most limit (0 = all); and what side requests have used.
func (s *Branches) List(limit int) (list []Branch, side Spend, missed uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for b := s.newest; b != nil && (limit <= 0 || len(list) < limit); b = b.older {
		list = append(list, b.tell())
	}
	return list, s.side, s.missed.Load()
}

// Get returns the branch of that id.
func (s *Branches) Get(id chat.Key) (Branch, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.byID[id]
	if !ok {
		return Branch{}, false
	}
	told := b.tell()
	for _, p := range b.places {
		told.Exchanges = append(told.Exchanges, Exchanged{Messages: p.n, Time: p.time, Gauge: p.gauge, Spent: p.own})
	}
	for _, w := range b.summaries {
		told.Written = append(told.Written, Written{Key: w.key, Covers: w.to, Spent: w.spent})
	}
	told.Stored = slices.Clone(b.stored)
	return told, true
}

func (b *branch) tell() Branch {
	tip := b.tip()
	told := Branch{
		ID: b.id, Labels: b.labels, Messages: tip.n, First: b.places[0].time, Last: tip.time, Gauge: tip.gauge,
		Status: b.status, Failed: b.failed, Since: b.since, Gaps: b.gaps, Used: b.used, Covers: b.covers, Rows: b.rows,
		Summary: b.summary, Usage: tip.sum, Again: tip.again,
	}
	for i := range b.summaries {
		told.Summaries.add(b.summaries[i].spent)
	}
	return told
}
