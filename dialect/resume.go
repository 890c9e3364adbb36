package dialect

import (
	"math/bits"
	"sync"

	"recap/chat"
)

// known is a body that was read before. Chats grow at their end, so the next request of a chat mostly begins with the
// messages of the one before: where its bytes are the same, what was read of them is taken over and reading goes on
// behind them. Nothing is taken over but on an exact comparison with bytes that are kept, so neither chance nor a
// stranger can make two bodies meet.
type known struct {
	body     string         // the list stands in it
	end      int            // where the last message ends
	count    int            // of messages
	messages []chat.Message // nil = it was only glanced at
	path     uint64         // behind the last message
	plain    bool           // see Glancer
	points   points
	recall   *chat.Recall
}

// points are the places behind message 1, 2, 4, 8 …, where a known body is looked for. The first message of many chats is
// the same; whose chat it is shows a few messages later.
type points [18]point

type point struct {
	path uint64 // names the messages up to here
	next int    // where the next one begins
}

// pointOf returns the index of the point behind the n-th message, -1 where there is none.
func pointOf(n int) int {
	if at := bits.TrailingZeros(uint(n)); n > 0 && n&(n-1) == 0 && at < len(points{}) {
		return at
	}
	return -1
}

// bodies keeps known bodies by their points, in two generations of at most half the limit each.
type bodies struct {
	mu         sync.RWMutex
	young, old map[uint64]*known
	bytes      int // of the bodies in young
}

// maxBodies bounds the bodies that are kept for a format, in bytes.
const maxBodies = 64 << 20

func (b *bodies) get(path uint64) *known {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if k := b.young[path]; k != nil {
		return k
	}
	return b.old[path]
}

func (b *bodies) put(k *known) {
	weight := len(k.body) + 100*k.count
	if weight > maxBodies/8 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.young == nil || b.bytes+weight > maxBodies/2 {
		b.young, b.old, b.bytes = make(map[uint64]*known, len(b.young)/2), b.young, 0
	}
	for at := 0; at < len(k.points) && 1<<at < k.count; at++ {
		path := k.points[at].path
		before := b.young[path]
		if before != nil && before.messages != nil && k.messages == nil {
			continue // what was read is worth more than what was glanced at
		}
		if before != nil && 2<<at >= k.count {
			weight -= len(before.body) // most likely the same chat's request before
		}
		b.young[path] = k
	}
	b.bytes += max(weight, 0)
}

// match finds a known body that goes on like this one, from the message under the cursor to its last one, and steps
// behind that. The cursor stands behind message number have; path names the messages so far.
func (l *layout) match(list *cursor, have int, path uint64) (k *known, moved int) {
	at := pointOf(have)
	if at < 0 {
		return nil, 0
	}
	if k = l.bodies.get(path); k == nil || k.count <= have || k.points[at].path != path {
		return nil, 0
	}
	list.space()
	start := k.points[at].next
	moved = list.i - start
	if list.i+k.end-start > len(list.s) || list.s[list.i:k.end+moved] != k.body[start:k.end] {
		return nil, 0
	}
	list.i = k.end + moved
	return k, moved
}

// resume takes over the messages of a known body that begins like this one.
func (l *layout) resume(list *cursor, ch *chat.Chat, path uint64) (k *known, moved int) {
	before, have := *list, len(ch.Messages)
	if k, moved = l.match(list, have, path); k == nil {
		return nil, 0
	}
	if k.messages == nil {
		*list = before
		return nil, 0
	}
	ch.Messages = append(ch.Messages, k.messages[have:]...)
	if moved != 0 {
		for i := have; i < len(ch.Messages); i++ {
			ch.Messages[i].Start += moved
		}
	}
	return k, moved
}

// recalled tells ch what is remembered of the chat that it begins with.
func recalled(ch *chat.Chat, k *known, moved int) {
	ch.Before, ch.Known = k.recall, 0
	if moved == 0 {
		ch.Known = k.end
	}
}

// allText reports whether a message holds no media.
func allText(f *chat.Facts) bool {
	text := func(p chat.Part) bool { return p.Kind == chat.Text || p.Kind == chat.Reasoning }
	for _, p := range f.Parts {
		if !text(p) {
			return false
		}
	}
	for i := range f.Results {
		for _, p := range f.Results[i].Parts {
			if !text(p) {
				return false
			}
		}
	}
	return true
}

// take takes over the points behind more than have messages, so many bytes further on. What lies before may have been
// spaced otherwise.
func (p *points) take(from *points, have, moved int) {
	for at := range p {
		if 1<<at > have {
			p[at] = point{from[at].path, from[at].next + moved}
		}
	}
}

// mark notes the point behind the n-th message, before which the cursor stands now that another one follows.
func (p *points) mark(n int, path uint64, list *cursor) {
	if at := pointOf(n); at >= 0 {
		list.space()
		p[at] = point{path, list.i}
	}
}

// keep remembers a body that was read to the end of its list.
func (l *layout) keep(ch *chat.Chat, k *known) {
	ch.After = &chat.Recall{}
	k.body, k.recall = ch.Body, ch.After
	l.bodies.put(k)
}
