package stats

import (
	"strings"
	"sync"

	"github.com/VictoriaMetrics/metrics"
)

// other is the value that stands for all that a label has no room for.
const other = "other"

// maxWord is how many bytes of a value become a label.
const maxWord = 64

// labels is the bounded set of values that one label takes.
type labels struct {
	mu    sync.RWMutex
	limit int
	known map[string]string // raw value → label
}

func newLabels(limit int) *labels { return &labels{limit: limit, known: map[string]string{}} }

// of returns the label for a raw value, other when there is no room for a new one.
func (l *labels) of(raw string) string {
	l.mu.RLock()
	label, ok := l.known[raw]
	full := len(l.known) >= l.limit
	l.mu.RUnlock()
	if ok {
		return label
	}
	if full || len(raw) > 4*maxWord {
		return other
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.known) >= l.limit {
		return other
	}
	// A copy: raw may be a view into a request body that must not live as long as this map.
	label = word(raw)
	l.known[strings.Clone(raw)] = label
	return label
}

// word makes a value fit for a label: nothing that needs an escape, nothing long, nothing empty.
func word(raw string) string {
	if raw == "" {
		return "none"
	}
	plain := true
	for i := 0; i < len(raw) && plain; i++ {
		plain = fits(raw[i])
	}
	if plain && len(raw) <= maxWord {
		return raw
	}
	b := []byte(raw[:min(len(raw), maxWord)])
	for i, c := range b {
		if !fits(c) {
			b[i] = '_'
		}
	}
	return string(b)
}

func fits(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-_.:/@+", c) >= 0
}

// counters is one metric with up to two labels. The values it is asked for must be bounded already.
type counters struct {
	set           *metrics.Set
	name          string
	first, second string // names of the labels; second "" = has one

	mu    sync.RWMutex
	known map[[2]string]*metrics.Counter
}

func newCounters(set *metrics.Set, name, first, second string) *counters {
	return &counters{set: set, name: name, first: first, second: second, known: map[[2]string]*metrics.Counter{}}
}

// of returns the counter for a pair of values.
func (c *counters) of(first, second string) *metrics.Counter {
	pair := [2]string{first, second}
	c.mu.RLock()
	counter, ok := c.known[pair]
	c.mu.RUnlock()
	if ok {
		return counter
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if counter, ok = c.known[pair]; !ok {
		pair = [2]string{strings.Clone(first), strings.Clone(second)}
		counter = c.set.GetOrCreateCounter(c.series(pair))
		c.known[pair] = counter
	}
	return counter
}

func (c *counters) series(pair [2]string) string {
	name := c.name + `{` + c.first + `="` + pair[0] + `"`
	if c.second != "" && pair[1] != "" {
		name += `,` + c.second + `="` + pair[1] + `"`
	}
	return name + `}`
}
