package tokens

import (
	"strings"
	"sync/atomic"
	"time"
)

// answers keeps the newest answers of Lookup, by a few bytes of the model's name: mostly the next request asks the same, and
// nothing that an answer is made of has changed.
type answers struct {
	changes atomic.Uint64 // of what is known
	newest  [16]atomic.Pointer[answer]
}

// answer holds while nothing changes, up to a time.
type answer struct {
	of      Ask
	window  Window
	changes uint64
	until   time.Time // something is asked again then, or does not hold any more
}

func (s *answers) slot(model string) *atomic.Pointer[answer] {
	n := uint(len(model))
	if n == 0 {
		return &s.newest[0]
	}
	return &s.newest[(n*31+uint(model[n-1])+uint(model[n/2])*7)%uint(len(s.newest))]
}

// again returns the answer to a, if it was given before and holds.
func (s *answers) again(a *Ask) (Window, bool) {
	old := s.slot(a.Model).Load()
	if old == nil || old.changes != s.changes.Load() || !old.of.same(a) || time.Now().After(old.until) {
		return Window{}, false
	}
	return old.window, true
}

// keep keeps an answer that was made of k when there were so many changes.
func (s *answers) keep(a *Ask, k *knowledge, kind string, win Window, changes uint64) {
	if k.asking || k.at.IsZero() || len(a.Model) > maxModelName {
		return
	}
	until := k.due(kind)
	if end := k.taught.Add(learnedFor); k.learned > 0 && end.Before(until) {
		until = end
	}
	of := *a
	of.Model, of.Header = strings.Clone(a.Model), nil
	s.slot(a.Model).Store(&answer{of: of, window: win, changes: changes, until: until})
}

// same reports whether a and b are answered alike: credentials and patience make no difference.
func (a *Ask) same(b *Ask) bool {
	return a.Model == b.Model && a.Upstream == b.Upstream && a.URL == b.URL && a.Native == b.Native && a.NumCtx == b.NumCtx &&
		a.Override == b.Override
}
