package cache

import (
	"sync"
	"sync/atomic"
	"time"

	"recap/chat"
)

// entry is what the index knows of one row. All but its use is fixed: a change makes a new entry.
type entry struct {
	seq, rev int64
	pinned   bool
	saved    int64        // use that is on disk, Unix nanoseconds
	used     atomic.Int64 // use, Unix nanoseconds
}

func newEntry(m mark) *entry {
	e := &entry{seq: m.seq, rev: m.rev, pinned: m.pinned, saved: stamp(m.used)}
	e.used.Store(e.saved)
	return e
}

// touch moves the use forward, never back.
func (e *entry) touch(now int64) {
	for {
		was := e.used.Load()
		if was >= now || e.used.CompareAndSwap(was, now) {
			return
		}
	}
}

func (e *entry) lastUse() time.Time { return unstamp(e.used.Load()) }

// index holds an entry for every row of the file, so that what is not there costs no read. Writers of the file call
// put and drop in the order of their commits.
type index struct {
	mu   sync.RWMutex
	rows map[chat.Key]*entry
	last int64 // newest seq that was seen

	shallows
}

// shallows are the fewest messages that rows ever covered: they bound from below what may be found.
type shallows struct {
	least  atomic.Int64 // of all rows; 0 = no row yet
	mu     sync.RWMutex
	byOpen map[chat.Key]int // of the rows of chats that open alike; the zero key: of those of which that is not known
}

// note takes in a row that covers to messages.
func (s *shallows) note(opening chat.Key, to int) {
	to = max(to, 1)
	s.mu.Lock()
	if was, ok := s.byOpen[opening]; !ok || to < was {
		if s.byOpen == nil {
			s.byOpen = map[chat.Key]int{}
		}
		s.byOpen[opening] = to
	}
	s.mu.Unlock()
	shallower(&s.least, to)
}

// of returns the bound for chats that open with a message, 0 = nothing can be found.
func (s *shallows) of(opening chat.Key) int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	own, unknown := s.byOpen[opening], s.byOpen[chat.Key{}]
	if own == 0 || unknown != 0 && unknown < own {
		return unknown
	}
	return own
}

// shallower lowers the least number of covered messages that was seen. It never rises again: it bounds from below.
func shallower(least *atomic.Int64, to int) {
	for {
		was := least.Load()
		if was != 0 && was <= int64(to) || least.CompareAndSwap(was, int64(max(to, 1))) {
			return
		}
	}
}

func newIndex() *index { return &index{rows: map[chat.Key]*entry{}} }

// hit is an entry with its place in the question.
type hit struct {
	key chat.Key
	*entry
}

// find returns the entries under keys that alive says yes to, in the order of keys; use touches them.
func (x *index) find(keys []chat.Key, now time.Time, o *Options, use bool) []hit {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var hits []hit
	for _, key := range keys {
		e, ok := x.rows[key]
		if !ok || !o.alive(e.pinned, e.lastUse(), now) {
			continue
		}
		if use {
			e.touch(now.UnixNano())
		}
		if hits == nil {
			hits = make([]hit, 0, 8)
		}
		hits = append(hits, hit{key, e})
	}
	return hits
}

// get returns the entry under key, nil = none.
func (x *index) get(key chat.Key) *entry {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.rows[key]
}

// put takes over marks that are newer than what is known.
func (x *index) put(marks ...mark) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, m := range marks {
		x.set(m)
	}
}

// set needs the lock.
func (x *index) set(m mark) {
	x.last = max(x.last, m.seq)
	x.note(m.opening, m.to)
	e := newEntry(m)
	if old, ok := x.rows[m.key]; ok {
		if old.seq >= m.seq {
			return
		}
		e.touch(old.used.Load())
	}
	x.rows[m.key] = e
}

// reset makes marks all there is.
func (x *index) reset(marks []mark) {
	x.mu.Lock()
	defer x.mu.Unlock()
	old := x.rows
	x.rows = make(map[chat.Key]*entry, len(marks))
	for _, m := range marks {
		if e, ok := old[m.key]; ok && e.seq >= m.seq {
			x.rows[m.key] = e
			continue
		}
		x.set(m)
		if e, ok := old[m.key]; ok {
			x.rows[m.key].touch(e.used.Load())
		}
	}
}

func (x *index) drop(keys ...chat.Key) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, key := range keys {
		delete(x.rows, key)
	}
}

// size returns the number of rows and the newest seq.
func (x *index) size() (rows int, last int64) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.rows), x.last
}

// idle returns the uses that are ahead of the disk by more than lag.
func (x *index) idle(lag time.Duration) map[chat.Key]time.Time {
	x.mu.RLock()
	defer x.mu.RUnlock()
	ahead := map[chat.Key]time.Time{}
	for key, e := range x.rows {
		if used := e.used.Load(); used-e.saved > int64(lag) {
			ahead[key] = unstamp(used)
		}
	}
	return ahead
}
