package dialect

import (
	"strings"
	"sync/atomic"

	"recap/chat"
)

// rests remembers what stood behind the messages of the newest bodies: tools and settings, which a client sends again and
// again whatever the chat. As with bodies, nothing is taken over but on an exact comparison.
type rests [64]atomic.Pointer[rest]

// rest is what stands behind a list of messages, valid to its end, and the members in it, by their places there.
type rest struct {
	text string
	top  *top
}

// What is remembered, in bytes: shorter ones are read as fast.
const minRest, maxRest = 64, 64 << 10

func (t *rests) slot(text string) *atomic.Pointer[rest] {
	n := len(text)
	return &t[(uint(n)*31+uint(text[n/2]))%uint(len(t))]
}

// recallRest takes over what stands behind the list where the same was read before.
func (r *reading) recallRest(c *cursor) bool {
	if text := c.s[c.i:]; c.odd == "" && len(text) >= minRest && len(text) <= maxRest {
		if known := r.l.rests.slot(text).Load(); known != nil && known.text == text {
			r.takeTop(c, known.top)
			return true
		}
	}
	return false
}

// keepRest remembers what stands behind the list, now that all of it is read.
func (r *reading) keepRest() {
	end := r.top.spans[0].End
	if text := r.ch.Body[end:]; end > 0 && len(text) >= minRest && len(text) <= maxRest {
		r.l.rests.slot(text).Store(&rest{text: strings.Clone(text), top: r.top.restOf(end)})
	}
}

// takeTop takes over members that stand behind the cursor, and steps behind all of it.
func (r *reading) takeTop(c *cursor, known *top) {
	for i, span := range known.spans {
		if span == (chat.Span{}) {
			continue
		}
		if r.top.spans[i] != (chat.Span{}) {
			c.fail("duplicate-key")
		}
		r.top.spans[i] = chat.Span{Start: span.Start + c.i, End: span.End + c.i}
	}
	for i, span := range known.labels {
		if span != (chat.Span{}) {
			r.top.labels[i] = chat.Span{Start: span.Start + c.i, End: span.End + c.i}
		}
	}
	c.i = len(c.s)
}
