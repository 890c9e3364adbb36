package dialect

import (
	"math/bits"
	"strings"
	"sync"
	"sync/atomic"

	"recap/chat"
)

// known is a conversation whose newest body was read before. Chats grow at their end, so the next request of one mostly
// begins with the bytes of the one before: what was read of them is taken over and reading goes on behind them. Nothing is
// taken over but on an exact comparison with bytes that are kept, so neither chance nor a stranger can make two bodies
// meet.
type known struct {
	now atomic.Pointer[seen]

	mu    sync.Mutex
	space []byte // the newest body up to its last message; what is in it never changes, it only grows
	lent  bool   // a request has the memory behind that, see Loan

	age    int // the generation of bodies that it was put in; with bodies' lock
	weight int // as it was counted there, in bytes
}

// seen is what was read of one body. It does not change.
type seen struct {
	text   string // the body up to the end of its last message
	first  int    // where the first one begins
	rest   string // behind the list
	top    *top   // the members in rest, by their places there
	count  int    // of messages
	path   uint64 // behind the last one
	plain  bool   // see Glancer
	points points
	recall *chat.Recall // of these messages: a body that is read after a glance has that of the glance

	// What was read beyond a glance: the first messages, where the last of them ends, and the path behind it.
	messages []chat.Message
	readEnd  int
	readPath uint64
}

// match is what was taken over from a known body.
type match struct {
	known *known // nil = not all of one's messages
	seen  *seen
	same  bool // it began with the same bytes, at the same places
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
	age        int // of young
	bytes      int // of the bodies in young
	was        int // of those in old
	offers     map[*byte]*known
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

// put makes k found by the points of s, its newest body. Those before message number from lead to it already, or to a
// conversation that begins as it does: where a point leads nowhere, so do those behind it. k is locked, or new.
func (b *bodies) put(k *known, s *seen, from int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	weight := cap(k.space) + len(s.rest) + 64*s.count + 1000
	if b.young == nil || b.bytes+weight > maxBodies/2 {
		b.young, b.old, b.bytes, b.was = make(map[uint64]*known, len(b.young)/2), b.young, 0, b.bytes
		b.age++
	}
	if k.age != b.age {
		k.age, k.weight, from = b.age, 0, 0
	}
	b.bytes += weight - k.weight
	k.weight = weight
	for at := 0; at < len(s.points) && 1<<at < s.count; at++ {
		if 1<<at < from {
			continue
		}
		path := s.points[at].path
		if before := b.young[path]; before != nil && before != k && s.messages == nil && before.now.Load().messages != nil {
			continue // what was read is worth more than what was glanced at
		}
		b.young[path] = k
	}
}

// resume takes over the messages of a known body that goes on like this one, from the one under the cursor on. It reports
// whether that were all of them: the cursor stands behind the last one then. Where only a part is the same, the cursor
// may have moved on to the beginning of a later message.
func (r *reading) resume(list *cursor) bool {
	at := pointOf(r.list.count)
	if at < 0 {
		return false
	}
	list.space()
	r.list.points[at] = point{r.list.path, list.i}
	if r.list.strange {
		return false
	}
	k := r.l.bodies.get(r.list.path)
	if k == nil {
		r.list.strange = true // see bodies.put
		return false
	}
	s := k.now.Load()
	count, end, path := s.count, len(s.text), s.path
	if !r.glance {
		count, end, path = len(s.messages), s.readEnd, s.readPath
	}
	start := s.points[at].next
	if s.points[at].path != r.list.path || list.s[r.list.first:list.i] != s.text[s.first:start] {
		return false // the path only says where to look
	}
	moved := list.i - start
	if count <= r.list.count {
		if count < s.count && strings.HasPrefix(list.s[list.i:], s.text[start:]) {
			// What was counted of it holds, though it was only glanced at.
			r.recalls(s, moved == 0 && list.s[:start] == s.text[:start])
		}
		return false
	}
	if end+moved > len(list.s) || list.s[list.i:end+moved] != s.text[start:end] {
		r.resumePart(list, s, at, count)
		return false
	}
	same := moved == 0 && list.s[:start] == s.text[:start]
	r.take(s, count, moved)
	r.list.count, r.list.path, r.list.end = count, path, end+moved
	r.list.plain = r.list.plain && s.plain
	list.i = end + moved
	if count < s.count { // the others were only glanced at
		same = same && strings.HasPrefix(list.s[list.i:], s.text[end:])
	}
	r.list.match = match{known: k, seen: s, same: same}
	r.ch.Read = s.readEnd
	if count == s.count || same {
		r.recalls(s, same)
	}
	return true
}

// recalls takes note of what is remembered of s, whose messages this body begins with; same tells that what stands before
// them is the same too.
func (r *reading) recalls(s *seen, same bool) {
	r.ch.Before, r.ch.Began, r.ch.Known = s.recall, s.count, 0
	if same {
		r.ch.Known = len(s.text)
	}
}

// resumePart is resume for a body that goes on otherwise before its end: the messages up to the last point before that are
// taken over.
func (r *reading) resumePart(list *cursor, s *seen, at, count int) {
	start := s.points[at].next
	moved := list.i - start
	common := commonPrefix(list.s[list.i:], s.text[start:])
	last := at
	for next := at + 1; next < len(points{}) && 1<<next < count; next++ {
		if p := s.points[next]; p.next == 0 || p.next-start > common {
			break
		}
		last = next
	}
	if last == at {
		return
	}
	p := s.points[last]
	r.take(s, 1<<last, moved)
	r.list.count, r.list.path, r.list.end = 1<<last, p.path, p.next+moved
	r.list.plain = r.list.plain && s.plain
	list.i = p.next + moved
}

// take takes over messages and points up to the count-th message.
func (r *reading) take(s *seen, count, moved int) {
	have := r.list.count
	r.list.took = true
	for at := range r.list.points {
		if 1<<at > have && 1<<at <= count && s.points[at].next > 0 {
			r.list.points[at] = point{s.points[at].path, s.points[at].next + moved}
		}
	}
	if r.glance {
		return
	}
	r.ch.Messages = append(r.ch.Messages, s.messages[have:count]...)
	if moved != 0 {
		for i := have; i < len(r.ch.Messages); i++ {
			r.ch.Messages[i].Start += moved
		}
	}
}

// commonPrefix is the number of bytes that a and b begin with alike.
func commonPrefix(a, b string) int {
	const step = 1 << 10
	n := min(len(a), len(b))
	i := 0
	for i+step <= n && a[i:i+step] == b[i:i+step] {
		i += step
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// takeRest takes over what stands behind the list where it is the same as behind the known one.
func (r *reading) takeRest(c *cursor) bool {
	s := r.list.seen
	if s == nil || c.odd != "" || c.s[c.i:] != s.rest {
		return false
	}
	r.takeTop(c, s.top)
	if r.ch.Known > 0 {
		r.ch.Known += len(s.rest)
	}
	return true
}

// restOf returns those members of t that stand behind an offset, by their places from there.
func (t *top) restOf(from int) *top {
	rest := &top{}
	for i, span := range t.spans {
		if span.Start >= from {
			rest.spans[i] = chat.Span{Start: span.Start - from, End: span.End - from}
		}
	}
	for i, span := range t.labels {
		if span.Start >= from {
			rest.labels[i] = chat.Span{Start: span.Start - from, End: span.End - from}
		}
	}
	return rest
}
