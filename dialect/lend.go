package dialect

import (
	"hash/maphash"
	"slices"
	"unsafe"

	"recap/chat"
)

// Loan is the memory of a conversation in the hands of one request, whose body is its next turn: what is known of the body
// is compared and not copied, what is new is read to where it will be kept. The zero value lends nothing.
type Loan struct {
	k     *known
	text  string  // what is known, at the beginning of space
	space []byte  // text, and up to its capacity what is lent
	from  *bodies // that it is offered to; nil = it comes from there
}

// lend returns a loan of the conversation that a body of size bytes, which begins like this, may go on with.
func (l *layout) lend(tenant uint64, begin string, size int) Loan {
	if size > maxKept {
		return Loan{}
	}
	k, s := l.recognise(tenant, begin, size)
	if k == nil {
		return Loan{}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lent || k.now.Load() != s {
		return Loan{}
	}
	k.lent = true
	return Loan{k: k, text: s.text, space: k.space}
}

// offer makes body's memory that of a conversation, if it turns out to be the first that is known of one. Memory that is much
// too large for that is not taken.
func (l *layout) offer(body []byte) Loan {
	if n := len(body); n == 0 || n > maxKept || cap(body)-n > n/2+1<<10 {
		return Loan{}
	}
	k := &known{space: body[:0], lent: true}
	l.bodies.offer(k)
	return Loan{k: k, space: body, from: l.bodies}
}

// recognise looks for that conversation at the points of begin that a glance would look at.
func (l *layout) recognise(tenant uint64, begin string, size int) (*known, *seen) {
	c := cursor{s: begin}
	for c.open('{'); c.more('}'); {
		if i, _ := l.names.is(c.key()); i == 0 && c.peek() == '[' {
			return l.recogniseList(&c, tenant, size)
		}
		c.value()
	}
	return nil, nil
}

// recogniseList is recognise with the list of messages under the cursor.
func (l *layout) recogniseList(list *cursor, tenant uint64, size int) (*known, *seen) {
	path, count := tenant, 0
	for list.open('['); list.more(']') && count < glanceAhead; {
		list.space()
		from := list.i
		if !usual(list) {
			list.value()
		}
		if list.odd != "" {
			break
		}
		path = follow(path, maphash.String(l.seed[0], list.s[from:list.i]))
		if count++; pointOf(count) < 0 {
			continue
		}
		k := l.bodies.get(path)
		if k == nil {
			break // nor by a longer beginning, see bodies.put
		}
		if s := k.now.Load(); goesOn(s.text, list.s, size) {
			return k, s
		}
	}
	return nil, nil
}

// goesOn reports whether a body of size bytes, which begins like this, may go on with text.
func goesOn(text, begin string, size int) bool {
	n := min(len(text), len(begin))
	return len(text) <= size && begin[:n] == text[:n]
}

// Lent reports whether there is a loan.
func (l *Loan) Lent() bool { return l.k != nil }

// Text is what the body must begin with for the loan to be of use.
func (l *Loan) Text() string { return l.text }

// Room returns memory for size bytes right behind Text; which may be another view of the same bytes from then on.
func (l *Loan) Room(size int) []byte {
	l.k.mu.Lock()
	defer l.k.mu.Unlock()
	if end := len(l.text) + size; end > cap(l.space) {
		if l.held() {
			l.k.move(size)
			l.space = l.k.space
		} else {
			l.space = slices.Grow(l.space[:len(l.text):len(l.text)], size)
		}
		l.text = view(l.space[:len(l.text)])
	}
	return l.space[len(l.text) : len(l.text)+size]
}

// Body is Text and the first n bytes of Room.
func (l *Loan) Body(n int) []byte { return l.space[:len(l.text)+n] }

// Return ends the loan; what was read behind the conversation's last message is overwritten by the next one then. seen
// tells that somebody goes on looking at it: that memory is not lent again. What was offered and not taken is returned.
func (l *Loan) Return(seen bool) (free []byte) {
	if l.k == nil {
		return nil
	}
	if l.from != nil {
		l.from.withdraw(l.space)
	}
	l.k.mu.Lock()
	defer l.k.mu.Unlock()
	switch {
	case l.k.now.Load() == nil:
		free = l.space
	case l.held():
		l.k.lent = false
		if seen {
			l.k.space = slices.Clip(l.k.space)
		}
		l.k.fit()
	}
	*l = Loan{}
	return free
}

// held reports whether what is lent is still the conversation's own memory. It is not where another request went on with
// the conversation meanwhile. k is locked.
func (l *Loan) held() bool { return unsafe.SliceData(l.k.space) == unsafe.SliceData(l.space) }

// move gives k's text memory with room for size bytes more and for some turns. k is locked.
func (k *known) move(size int) {
	k.moveTo(slices.Grow(slices.Clip(k.space), size))
}

// fit gives room back that was set aside for a body that did not come, or was none. k is locked.
func (k *known) fit() {
	n := len(k.space)
	if usual := n/2 + len(k.now.Load().rest) + spareRoom; cap(k.space)-n > usual {
		k.moveTo(append(make([]byte, 0, n+n/8), k.space...))
	}
}

// spareRoom is how much room any conversation may have for its next turn, in bytes.
const spareRoom = 16 << 10

// moveTo makes space, which begins with the same bytes, k's memory. k is locked.
func (k *known) moveTo(space []byte) {
	k.space = space
	s := *k.now.Load()
	s.text = view(k.space)
	s.messages = slices.Clone(s.messages)
	reown(s.messages, s.text)
	k.now.Store(&s)
}

// reown makes messages views into text: the same bytes, at the same places.
func reown(messages []chat.Message, text string) {
	for i := range messages {
		m := &messages[i]
		m.Raw = text[m.Start : m.Start+len(m.Raw)]
	}
}

// offer notes a conversation that is not known yet, by where the memory of its body begins.
func (b *bodies) offer(k *known) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.offers == nil {
		b.offers = map[*byte]*known{}
	}
	b.offers[unsafe.SliceData(k.space)] = k
}

// offered returns the conversation whose first body this may become, nil where it is not offered or has become that.
func (b *bodies) offered(body string) *known {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if k := b.offers[unsafe.StringData(body)]; k != nil && k.now.Load() == nil {
		return k
	}
	return nil
}

func (b *bodies) withdraw(space []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.offers, unsafe.SliceData(space))
}
