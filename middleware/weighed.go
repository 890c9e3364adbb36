package middleware

import (
	"encoding/binary"
	"hash/maphash"

	"recap/chat"
	"recap/tokens"
)

// weighedMemo remembers what requests weighed. It lets equal requests weigh the same: what is sent twice, or by many at
// once, is decided on once, even while the counts behind it are being calibrated (E9). And what the upstream counted for
// one is the anchor of those that begin with it: only what is new in them is estimated.
type weighedMemo struct {
	memo *chat.Memo[chat.Key, weighed]
	seed maphash.Seed
}

type weighed struct {
	model  string
	beside uint64         // of what the key leaves out, see beside
	sizes  tokens.Sizes   // nil slices = forgotten
	anchor *tokens.Anchor // nil = the upstream has not told, or is not believed
}

// weighedRemembered is in requests; one weighs about 40 bytes a message.
const weighedRemembered = 512

func newWeighedMemo() weighedMemo {
	return weighedMemo{chat.NewMemo[chat.Key, weighed](weighedRemembered), maphash.MakeSeed()}
}

// sizes returns what x weighs; nobody may write to the slices.
func (m weighedMemo) sizes(x *exchange) tokens.Sizes {
	if len(x.keys) == 0 {
		return x.c.Counter.Sizes(x.chat, x.up.Name)
	}
	key, extras := x.keys[len(x.keys)-1], m.extras(x.chat)
	beside := m.beside(x.outline, len(x.chat.Messages), extras)
	w, ok := m.memo.Get(key)
	if ok && w.is(x, beside) && len(w.sizes.Messages) == len(x.chat.Messages) {
		return w.sizes
	}
	sizes := m.anchored(x, x.c.Counter.Sizes(x.chat, x.up.Name), extras)
	again := sizes
	again.Fresh = 0
	m.memo.Put(key, weighed{model: x.chat.Model, beside: beside, sizes: again})
	return sizes
}

func (w *weighed) is(x *exchange, beside uint64) bool {
	return w.model == x.chat.Model && w.beside == beside
}

// anchored puts what the upstream counted for the longest known beginning of x in the place of estimates.
func (m weighedMemo) anchored(x *exchange, sizes tokens.Sizes, extras uint64) tokens.Sizes {
	for n := len(x.keys) - 1; n > max(len(x.keys)-lookBack, 0); n-- {
		w, ok := m.memo.Get(x.keys[n-1])
		if !ok || w.anchor == nil {
			continue
		}
		count := w.anchor.Len()
		if count >= len(sizes.Messages) || x.outline.Index[n] < count || x.outline.Index[n-1] >= count ||
			!w.is(x, m.beside(x.outline, count, extras)) {
			continue
		}
		return sizes.Anchored(w.anchor, x.chat.Messages[count].Role == chat.Assistant)
	}
	return m.anchoredFar(x, sizes)
}

// anchoredFar is anchored for a chat of which the beginning was only glanced at: there are no keys of that.
func (m weighedMemo) anchoredFar(x *exchange, sizes tokens.Sizes) tokens.Sizes {
	c := x.glanced
	if c == nil {
		c = x.chat
	}
	said, ok := x.said(c)
	if !ok || c.Began <= 0 || c.Began >= len(sizes.Messages) {
		return sizes
	}
	before := sizes.Beginning(c.Began)
	a := tokens.NewAnchor(&before, before.Total(), said.Prompt, said.Answer)
	if a == nil {
		return sizes
	}
	return sizes.Anchored(a, x.chat.Messages[c.Began].Role == chat.Assistant)
}

// report takes what the upstream counted for what was sent of x, and reports whether it is believed.
func (m weighedMemo) report(x *exchange, usage chat.Usage) bool {
	sent := x.decision.After
	if x.status == chat.Observed {
		sent = x.decision.Before
	}
	if len(x.keys) == 0 || len(x.sizes.Messages) == 0 || sent <= 0 {
		return false
	}
	a := tokens.NewAnchor(&x.sizes, sent, usage.Prompt, usage.Completion)
	if a == nil {
		return false
	}
	key := x.keys[len(x.keys)-1]
	beside := m.beside(x.outline, len(x.chat.Messages), m.extras(x.chat))
	w, ok := m.memo.Get(key)
	if !ok || !w.is(x, beside) {
		w = weighed{model: x.chat.Model, beside: beside, sizes: x.sizes}
		w.sizes.Fresh = 0
	}
	w.anchor = a
	m.memo.Put(key, w)
	return true
}

// extras names the bytes of tools and schemas.
func (m weighedMemo) extras(c *chat.Chat) (sum uint64) {
	for _, span := range c.Extras {
		sum = sum*31 + maphash.String(m.seed, span.Of(c.Body))
	}
	return sum
}

// beside names what the key of the first count messages leaves out: tools, schemas and the system messages among them.
func (m weighedMemo) beside(o *chat.Outline, count int, extras uint64) uint64 {
	sum := extras
	for _, i := range o.Systems {
		if i < count {
			sum = (sum*31+uint64(i))*31 + binary.LittleEndian.Uint64(o.Chat.Messages[i].Digest[:8])
		}
	}
	return sum
}

// forget makes the next request that equals x be weighed anew: the upstream said that the sizes were wrong.
func (m weighedMemo) forget(x *exchange) {
	if len(x.keys) > 0 {
		m.memo.Put(x.keys[len(x.keys)-1], weighed{})
	}
}

// weighNote mends what is said to be sent: the decision reckons with the note as if it were like the rest of the chat.
func (x *exchange) weighNote() {
	note := x.decision.Plan.Note
	if note == nil {
		return
	}
	x.decision.After = max(x.decision.After+x.sizes.OffNote(note.Text), 1)
}
