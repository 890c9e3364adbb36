package middleware

import (
	"cmp"
	"hash/maphash"
	"slices"

	"recap/chat"
)

// sentMemo remembers in which shape requests were sent, so that a break of the prefix is declared: the shape of the
// newest request whose messages are a prefix of this one's is compared with this one's.
type sentMemo struct {
	seed maphash.Seed
	memo *chat.Memo[chat.Key, shape]
}

// shape is what a plan did to a request.
type shape struct {
	note  uint64    // of the injected text; 0 = none
	trims []trimmed // in the order of the messages
}

// trimmed is the text that a result was shortened to.
type trimmed struct {
	position, result int32
	text             uint64
}

// compare orders by place.
func (t trimmed) compare(other trimmed) int {
	return cmp.Or(cmp.Compare(t.position, other.position), cmp.Compare(t.result, other.result))
}

func newSentMemo(limit int) *sentMemo {
	return &sentMemo{seed: maphash.MakeSeed(), memo: chat.NewMemo[chat.Key, shape](limit)}
}

// lookBack is how many messages a client may have added since the request before.
const lookBack = 64

// broke remembers x's shape and reports whether it changes messages that an earlier request already sent.
func (s *sentMemo) broke(x *exchange) bool {
	if len(x.keys) == 0 {
		return false
	}
	now := s.shape(x)
	defer s.memo.Put(x.keys[len(x.keys)-1], now)
	for n := len(x.keys); n > max(len(x.keys)-lookBack, 0); n-- {
		if before, ok := s.memo.Get(x.keys[n-1]); ok {
			return now.breaks(before, n) || now.trimmed(n, asked(x.outline))
		}
	}
	// What was sent before is not known (another process sent it), or was too small to be read: a checkpoint's first use
	// breaks it, and so may a result that is short now.
	return x.decision.Used != nil && !x.decision.Used.Sent || now.trimmed(0, asked(x.outline))
}

// asked returns how many messages the request had that the last assistant message answers; 0 = none. Somebody sent it,
// and where this process did not, what it cut is not known.
func asked(o *chat.Outline) int {
	n := o.Len() - 1
	for n > 0 && o.At(n).Role != chat.Assistant {
		n--
	}
	return max(n, 0)
}

// trimmed reports whether a result among the messages from, counted from 0, up to to is sent shorter.
func (now shape) trimmed(from, to int) bool {
	return slices.ContainsFunc(now.trims, func(t trimmed) bool { return int(t.position) >= from && int(t.position) < to })
}

// breaks reports whether of the first n messages anything is sent otherwise than before.
func (now shape) breaks(before shape, n int) bool {
	if now.note != before.note {
		return true
	}
	old := before.trims
	for _, t := range now.trims {
		switch {
		case len(old) > 0 && old[0].compare(t) < 0:
			return true // it is sent whole now
		case len(old) > 0 && old[0].compare(t) == 0:
			if old[0].text != t.text && int(t.position) < n {
				return true
			}
			old = old[1:]
		case int(t.position) < n:
			return true
		}
	}
	return len(old) > 0
}

func (s *sentMemo) shape(x *exchange) shape {
	p := &x.decision.Plan
	sh := shape{}
	if p.Note != nil {
		sh.note = maphash.String(s.seed, p.Note.Text) | 1
	}
	if len(p.Trims) == 0 {
		return sh
	}
	sh.trims = make([]trimmed, 0, len(p.Trims))
	for i := range p.Trims {
		t := &p.Trims[i]
		position, _ := slices.BinarySearch(x.outline.Index, t.Message)
		sh.trims = append(sh.trims, trimmed{int32(position), int32(t.Result), maphash.String(s.seed, t.Text)})
	}
	return sh
}
