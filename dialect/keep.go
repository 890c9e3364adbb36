package dialect

import (
	"slices"
	"strings"
	"unsafe"

	"recap/chat"
)

// maxKept bounds a body that is kept, in bytes.
const maxKept = maxBodies / 16

// keep remembers a body that was read to its end: the conversation that it goes on with grows by what is new, else it is
// the first one of its own.
func (r *reading) keep() {
	if len(r.ch.Body) > maxKept {
		return
	}
	if r.list.known != nil && r.list.same && r.list.known.grow(r) {
		return
	}
	k := r.l.bodies.offered(r.ch.Body)
	if k == nil {
		k = &known{}
	}
	s := r.remember(k, nil)
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
	s := r.remember(k, before)
	k.now.Store(s)
	r.l.bodies.put(k, s, before.count)
	return true
}

// remember makes what r read k's memory and returns what is known now. k is locked, or new.
func (r *reading) remember(k *known, before *seen) *seen {
	had := len(k.space)
	moved := r.store(k)
	s := &seen{
		text: view(k.space), first: r.list.first, count: r.list.count, path: r.list.path, plain: r.list.plain, points: r.list.points,
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
	case same && len(k.space) == had:
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

// store puts what is new into k's memory, where it was not read into that, and reports whether all has moved: away from
// where it is lent to another request.
func (r *reading) store(k *known) (moved bool) {
	end := r.list.end
	if k.lent && r.in(k.space) && end <= cap(k.space) {
		k.space = k.space[:end]
		return false
	}
	before, tail := unsafe.SliceData(k.space), r.ch.Body[len(k.space):end]
	if k.lent {
		k.space, k.lent = slices.Grow(slices.Clip(k.space), len(tail)+1), false
	}
	k.space = append(k.space, tail...)
	return unsafe.SliceData(k.space) != before
}

// in reports whether the body was read into space.
func (r *reading) in(space []byte) bool {
	return unsafe.StringData(r.ch.Body) == unsafe.SliceData(space)
}

// own makes the messages views into memory that stays.
func (r *reading) own(space []byte) {
	if !r.in(space) {
		reown(r.ch.Messages, view(space))
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
