package stats

import (
	"strconv"
	"sync/atomic"

	"github.com/VictoriaMetrics/metrics"

	"recap/chat"
)

// alike is what decides which counters an exchange goes to.
type alike struct {
	dialect, model, upstream, source string
	status                           chat.Status
	code                             int
}

// line holds the counters of exchanges that are alike: mostly the next one is like the one before, and asks for them once.
type line struct {
	alike
	requests, responses, windows, prompt, cached, completion *metrics.Counter

	label  string                                           // of the model
	tokens [len(tokenKinds)]atomic.Pointer[metrics.Counter] // nil until there is something to count
}

// tokenKinds are the kinds of recap_tokens_total, in the order of line.tokens.
var tokenKinds = [...]string{"before", "after", "saved"}

// addTokens adds to one of the kinds.
func (s *Stats) addTokens(l *line, kind, n int) {
	if n <= 0 {
		return
	}
	counter := l.tokens[kind].Load()
	if counter == nil {
		counter = s.tokens.of(l.label, tokenKinds[kind])
		l.tokens[kind].Store(counter)
	}
	counter.Add(n)
}

// lineOf returns the counters for e.
func (s *Stats) lineOf(e *Exchange) *line {
	who := alike{e.Dialect, e.Model, e.Upstream, e.Source, e.Status, e.Code}
	if newest := s.newest.Load(); newest != nil && newest.alike == who {
		return newest
	}
	dialect, upstream := word(e.Dialect), s.upstreams.of(e.Upstream)
	l := &line{
		alike: who, label: s.models.of(e.Model),
		requests:   s.requests.of(dialect, word(string(e.Status))),
		responses:  s.responses.of(dialect, s.codes.of(strconv.Itoa(e.Code))),
		prompt:     s.usage.of(upstream, "prompt"),
		cached:     s.usage.of(upstream, "cached"),
		completion: s.usage.of(upstream, "completion"),
	}
	if e.Source != "" {
		l.windows = s.windows.of(upstream, word(e.Source))
	}
	s.newest.Store(l)
	return l
}
