package tokens

import (
	"hash/maphash"
	"strings"

	"recap/chat"
)

// Counter weighs chats. Safe for concurrent use.
type Counter struct {
	models   []Model
	profiles *chat.Memo[string, profile]
	seed     maphash.Seed
	extras   *chat.Memo[extra, *weight]
	puts     *chat.Memo[extra, *putText]
	learner  learner
	factors  factors
}

// extra names the bytes of one Extra, or of a text that is put into chats.
type extra struct {
	size int
	raw  uint64
}

// NewCounter returns a Counter that knows models. It works in the background only while there is something to count.
func NewCounter(models []Model) *Counter {
	return &Counter{
		models:   models,
		profiles: chat.NewMemo[string, profile](1024),
		seed:     maphash.MakeSeed(),
		extras:   chat.NewMemo[extra, *weight](1024),
		puts:     chat.NewMemo[extra, *putText](putsRemembered),
		factors:  factors{of: map[target]*factor{}},
	}
}

// profile is how one model's chats are counted.
type profile struct {
	encoding encoding
	like     likeness
	media    int32 // tokens of one image, sound or file
}

func (k *Counter) profile(model string) profile {
	if p, ok := k.profiles.Get(model); ok {
		return p
	}
	p := profile{encoding: o200k, media: mediaTokens}
	if f, ok := familyOf(model); ok {
		p.encoding = f.encoding
		if f.image > 0 {
			p.media = int32(f.image)
		}
	}
	p.like = likenessOf(model, p.encoding)
	for _, m := range k.models {
		if !Glob(m.Match, model) {
			continue
		}
		if e, ok := encodingOf(m.Encoding); ok {
			p.encoding, p.like = e, likenessOf("", e)
		}
		if m.ImageTokens > 0 {
			p.media = int32(m.ImageTokens)
		}
		break
	}
	if len(model) <= maxModelName {
		k.profiles.Put(strings.Clone(model), p)
	}
	return p
}

// maxModelName bounds the names that are remembered, in bytes.
const maxModelName = 256

// Sizes weighs c for an upstream. It never tokenises: what is not counted yet weighs by an estimate for the model's
// kind of vocabulary.
func (k *Counter) Sizes(c *chat.Chat, upstream string) Sizes {
	p, counted := k.profile(c.Model), k.learner.counted.Load()
	n := len(c.Messages)
	rows := make([]row, n+1)
	fresh := 0
	for i := k.recalled(c, p, counted, rows[:n]); i < n; i++ {
		w, known := k.weigh(&c.Messages[i])
		if !known {
			fresh++
		}
		rows[i] = row{fixed: w.fixed, guess: w.guess[p.like], exact: w.count(p.encoding), media: w.media * p.media}
	}
	k.remember(c, p, counted, rows[:n])
	extra := &rows[n]
	*extra = row{fixed: primingTokens, guess: primingTokens, exact: primingTokens}
	for _, span := range c.Extras {
		w := k.weighExtra(span.Of(c.Body))
		n := w.count(p.encoding)
		extra.fixed += w.fixed
		extra.guess += w.guess[p.like]
		if n < 0 || extra.exact < 0 {
			extra.exact = -1
			continue
		}
		extra.exact += n
	}
	s := newSizes(rows, p.like, k.factors.rates(target{upstream, c.Model}))
	s.Fresh, s.counter = fresh, k
	return s
}

// weigh returns what is known of m. It is kept with the facts about the message, for as long as these are remembered.
func (k *Counter) weigh(m *chat.Message) (w *weight, known bool) {
	if w, known = m.Weight.Load().(*weight); known {
		return w, true
	}
	w = newWeight(m)
	m.Weight.Store(w)
	return w, false
}

func (k *Counter) weighExtra(raw string) *weight {
	key := extra{size: len(raw), raw: maphash.String(k.seed, raw)}
	w, ok := k.extras.Get(key)
	if !ok {
		w = &weight{}
		w.add(text{raw: raw})
		k.extras.Put(key, w)
	}
	return w
}

// Learn counts in the background what of c is not counted yet in its model's encoding. It copies the texts that
// are to be counted, so no body is held, and leaves out what does not fit its queue: a later request
// brings that again.
func (k *Counter) Learn(c *chat.Chat) {
	e := k.profile(c.Model).encoding
	for i := range c.Messages {
		m := &c.Messages[i]
		if w, _ := k.weigh(m); w.count(e) < 0 {
			texts, _, _ := content(m)
			k.learner.add(w, e, texts)
		}
	}
	for _, span := range c.Extras {
		raw := span.Of(c.Body)
		if w := k.weighExtra(raw); w.count(e) < 0 {
			k.learner.add(w, e, []text{{raw: raw}})
		}
	}
}

// Close ends the background worker and waits for it. What comes later is not counted.
func (k *Counter) Close() { k.learner.close() }
