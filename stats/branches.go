package stats

import (
	"slices"
	"sync"
	"sync/atomic"

	"recap/chat"
)

// maxHeld bounds all accounts together, in bytes.
const maxHeld = 16 << 20

// Branches keeps the accounts of conversations (rows L22 and L23): how full the window is, and what the exchanges of
// each branch and the summaries written for it have used.
//
// A conversation is known by its keys, and by nothing else: a request goes on with the branch whose newest request is a
// prefix of it. Where others have gone on from there already, it opens a branch of its own, which takes over what was
// used up to the place where they part and nothing of what came after:
//
//	1 ── 3 ── 5 ── 7        the first branch: 1 + 3 + 5 + 7
//	      └── 5' ── 7'      message 4 was edited: 1 + 3 + 5' + 7'
//
// It forgets what was not used for longest when it holds more than 16 MiB. Safe for concurrent use.
type Branches struct {
	mu     sync.Mutex
	byID   map[chat.Key]*branch
	places map[chat.Key]*place
	jobs   map[chat.Key][]*branch // by the checkpoint that is waited for
	early  map[chat.Key]written   // summaries of turns that have not ended yet
	newest *branch
	oldest *branch
	held   int // bytes
	side   Spend
	missed atomic.Uint64
	costs  costs
}

// maxEarly bounds the summaries that wait for their turn.
const maxEarly = 256

// NewBranches returns empty accounts.
func NewBranches() *Branches {
	return &Branches{
		byID: map[chat.Key]*branch{}, places: map[chat.Key]*place{}, jobs: map[chat.Key][]*branch{}, early: map[chat.Key]written{},
	}
}

// Record adds one turn. It keeps nothing of t but copies.
func (s *Branches) Record(t *Turn) {
	if len(t.Keys) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.deepest(t.Keys)
	var b *branch
	switch {
	case p == nil:
		b = s.open(t, nil)
	case p.n == len(t.Keys):
		b = p.b
		s.change(b, func() { b.repeat(p, t) })
	default:
		p.settleAnswer(t)
		if b = p.b; b.tip() != p {
			b = s.open(t, p)
			break
		}
		s.change(b, func() { s.forget(b.grow(newPlace(t, p))); b.show(t) })
		s.places[b.tip().key] = b.tip()
	}
	s.await(b, t)
	s.use(b)
	s.shrink(b)
}

// deepest finds the place whose request is the longest prefix of keys.
func (s *Branches) deepest(keys []chat.Key) *place {
	for n := len(keys); n > 0; n-- {
		if p, ok := s.places[keys[n-1]]; ok {
			return p
		}
	}
	return nil
}

func newPlace(t *Turn, before *place) *place {
	p := &place{key: t.Keys[len(t.Keys)-1], n: len(t.Keys), time: t.Time, gauge: t.Gauge, own: t.Spent}
	if before != nil {
		p.sum, p.again = before.sum, before.again
	}
	p.sum.add(t.Spent)
	return p
}

// settleAnswer estimates what p's answer used, where nobody reported it, now that the answer is in the next request.
func (p *place) settleAnswer(t *Turn) {
	if p.own.Unreported == 0 || p.own.Completion > 0 || t.Answer == nil {
		return
	}
	tokens, cost := t.Answer(p.n)
	more := Spend{Completion: int64(tokens), Cost: cost}
	p.own.add(more)
	p.sum.add(more)
}

// repeat takes an answer to a request that was answered before: the newest one counts for the branch.
func (b *branch) repeat(p *place, t *Turn) {
	if t.Failed && t.Spent == (Spend{}) {
		b.failed++
		return
	}
	p.again.add(p.own)
	p.sum = p.sum.minus(p.own)
	p.own = t.Spent
	p.sum.add(t.Spent)
	p.time, p.gauge = t.Time, t.Gauge
	if b.tip() == p {
		b.show(t)
	}
}

// open starts a branch that leaves another one at p; nil: it is the first that is seen of its conversation.
func (s *Branches) open(t *Turn, p *place) *branch {
	b := &branch{id: t.Keys[len(t.Keys)-1], since: len(t.Keys)}
	if p != nil {
		b.since, b.gaps = p.b.since, p.b.gaps || p.gap
		b.inherit(p.b, t.Keys)
		for _, key := range b.waiting {
			s.jobs[key] = append(s.jobs[key], b)
		}
	}
	b.grow(newPlace(t, p))
	b.show(t)
	s.byID[b.id], s.places[b.id] = b, b.tip()
	s.held += b.weight()
	return b
}

// change keeps count of the bytes while edit changes b.
func (s *Branches) change(b *branch, edit func()) {
	before := b.weight()
	edit()
	s.held += b.weight() - before
}

func (s *Branches) forget(p *place) {
	if p != nil && s.places[p.key] == p {
		delete(s.places, p.key)
	}
}

// await notes which checkpoint b waits for, and takes the cost of one that was there before its turn had ended.
func (s *Branches) await(b *branch, t *Turn) {
	if len(s.early) > 0 {
		for _, key := range append(t.Stored[:len(t.Stored):len(t.Stored)], t.Checkpoint, t.Due) {
			if w, ok := s.early[key]; ok {
				delete(s.early, key)
				s.change(b, func() { b.wrote(w) })
			}
		}
	}
	if t.Due.IsZero() || slices.Contains(b.waiting, t.Due) {
		return
	}
	s.change(b, func() {
		if len(b.waiting) == maxWaiting { // its job was never taken, or is of no use any more
			s.leave(b, b.waiting[0])
			b.waiting = slices.Delete(b.waiting, 0, 1)
		}
		b.waiting = append(b.waiting, t.Due)
	})
	s.jobs[t.Due] = append(s.jobs[t.Due], b)
}

// leave makes b not wait for the checkpoint under key.
func (s *Branches) leave(b *branch, key chat.Key) {
	left := slices.DeleteFunc(s.jobs[key], func(other *branch) bool { return other == b })
	if s.jobs[key] = left; len(left) == 0 {
		delete(s.jobs, key)
	}
}

// Summarised adds what the calls for the checkpoint under key, which covers to messages, have used, to every branch
// that waits for it. last tells that no more calls follow: whoever waits on has to ask again.
func (s *Branches) Summarised(key chat.Key, to int, spent Spend, last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := written{key: key, to: to, spent: spent}
	waiting := s.jobs[key]
	if len(waiting) == 0 && spent.Calls > 0 {
		if len(s.early) >= maxEarly {
			clear(s.early)
		}
		s.early[key] = w
	}
	for _, b := range waiting {
		s.change(b, func() {
			if spent.Calls > 0 {
				b.wrote(w)
			}
			if last {
				b.waiting = slices.DeleteFunc(b.waiting, func(k chat.Key) bool { return k == key })
			}
		})
	}
	if last {
		delete(s.jobs, key)
	}
}

// Side adds an exchange that stands beside a conversation: a title, tags, follow-ups.
func (s *Branches) Side(spent Spend) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.side.add(spent)
}

// Missed counts an exchange that was not looked at closely enough to know its conversation.
func (s *Branches) Missed() { s.missed.Add(1) }
