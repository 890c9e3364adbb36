package dialect

import (
	"strings"
	"unsafe"

	"recap/chat"
)

// keep remembers a body that was read to its end: the conversation that it goes on with grows by what is new, else it is
// the first one of its own.
func (r *reading) keep() {
	if len(r.ch.Body) > maxBodies/16 {
		return
	}
	if r.list.known != nil && r.list.same && r.list.known.grow(r) {
		return
	}
	k := &known{}
	s := r.remember(k, r.ch.Body[:r.list.end], nil)
	k.now.Store(s)
	r.l.bodies.put(k, s, 0)
}

// grow adds what r read behind its match. It fails where another request has been faster.
func (k *known) grow(r *reading) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	before := k.now.Load()
	if before != r.list.seen || r.list.end < len(before.text) {
		return false
	}
	if r.list.end == len(before.text) && r.ch.Body[r.ch.List.End:] == before.rest && len(r.ch.Messages) <= len(before.messages) {
		r.own(k.space)
		r.ch.After = before.recall
		return true
	}
	s := r.remember(k, r.ch.Body[len(before.text):r.list.end], before)
	k.now.Store(s)
	r.l.bodies.put(k, s, before.count)
	return true
}

// remember puts what is new into k's memory and returns what is known now.
func (r *reading) remember(k *known, tail string, before *seen) *seen {
	moved := len(k.space)+len(tail) > cap(k.space)
	if moved { // with room for some turns more
		space := make([]byte, len(k.space), len(k.space)+len(tail)+(len(k.space)+len(tail))/8+1<<10)
		copy(space, k.space)
		k.space = space
	}
	k.space = append(k.space, tail...)
	s := &seen{
		text: view(k.space), count: r.list.count, path: r.list.path, plain: r.list.plain, points: r.list.points,
	}
	rest := r.ch.Body[r.ch.List.End:]
	same := before != nil && rest == before.rest
	if same {
		s.rest, s.top = before.rest, before.top
	} else {
		s.rest, s.top = strings.Clone(rest), r.top.restOf(r.ch.List.End)
	}
	// Apart from s: whoever only remembers something of a chat in flight must not hold its bytes.
	switch {
	case before == nil:
		s.recall = new(chat.Recall)
	case same && tail == "":
		s.recall = before.recall
	default:
		s.recall = before.recall.Onward()
	}
	r.ch.After = s.recall
	r.own(k.space)
	if !r.glance {
		s.messages, s.readEnd, s.readPath = r.ch.Messages[:len(r.ch.Messages):len(r.ch.Messages)], r.list.end, r.list.path
	} else if before != nil && !moved {
		s.messages, s.readEnd, s.readPath = before.messages, before.readEnd, before.readPath
	}
	return s
}

// own makes the messages views into memory that stays: the same bytes, at the same places.
func (r *reading) own(space []byte) {
	text := view(space)
	for i := range r.ch.Messages {
		m := &r.ch.Messages[i]
		m.Raw = text[m.Start : m.Start+len(m.Raw)]
	}
	r.ch.Borrowed = false
}

func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

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
