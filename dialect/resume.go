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
	body     string // the list stands in it
	end      int    // where the last message ends
	messages []chat.Message
	path     uint64 // behind the last message
	points   points
	recall   *chat.Recall
}

// points are the paths behind message 1, 2, 4, 8 …: the places where a known body is looked for. The first message of
// many chats is the same; whose chat it is shows a few messages later.
type points [18]uint64

// mark notes the path behind the n-th message.
func (p *points) mark(n int, path uint64) {
	if at := bits.TrailingZeros(uint(n)); n&(n-1) == 0 && at < len(p) {
		p[at] = path
	}
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
	weight := len(k.body) + 100*len(k.messages)
	if weight > maxBodies/8 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.young == nil || b.bytes+weight > maxBodies/2 {
		b.young, b.old, b.bytes = make(map[uint64]*known, len(b.young)/2), b.young, 0
	}
	for n := 1; n <= len(k.messages); n *= 2 {
		at := bits.TrailingZeros(uint(n))
		if at == len(k.points) {
			break
		}
		if before := b.young[k.points[at]]; before != nil && n*2 > len(k.messages) {
			weight -= len(before.body) // most likely the same chat's request before
		}
		b.young[k.points[at]] = k
	}
	b.bytes += max(weight, 0)
}

// resume takes over the messages of a known body that begins like this one. The cursor stands before message number
// len(ch.Messages), path is that behind the message before it.
func (l *layout) resume(list *cursor, ch *chat.Chat, path uint64) *known {
	have := len(ch.Messages)
	if have == 0 || have&(have-1) != 0 {
		return nil
	}
	k := l.bodies.get(path)
	if k == nil || len(k.messages) <= have {
		return nil
	}
	list.space()
	start := k.messages[have].Start
	moved := list.i - start
	if list.i+k.end-start > len(list.s) || list.s[list.i:k.end+moved] != k.body[start:k.end] {
		return nil
	}
	ch.Messages = append(ch.Messages, k.messages[have:]...)
	if moved != 0 {
		for i := have; i < len(ch.Messages); i++ {
			ch.Messages[i].Start += moved
		}
	}
	list.i = k.end + moved
	return k
}

// keep remembers a body that was read to the end of its list.
func (l *layout) keep(ch *chat.Chat, path uint64, p points) {
	last := &ch.Messages[len(ch.Messages)-1]
	ch.After = &chat.Recall{}
	l.bodies.put(&known{
		body: ch.Body, end: last.Start + len(last.Raw), path: path, points: p, recall: ch.After,
		messages: ch.Messages[:len(ch.Messages):len(ch.Messages)],
	})
}
