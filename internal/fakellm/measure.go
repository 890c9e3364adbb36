package fakellm

import (
	"hash/maphash"
	"sync"
	"unicode/utf8"
)

// Flat prices in tokens: what a chat template adds to each message, and a picture or a sound.
const (
	messageTokens = 4
	mediaTokens   = 256
)

// CountRunes is the default measure: characters divided by 3.6, rounded up. Count of two texts is never more than one
// token over the count of both in one.
func CountRunes(text string) int { return (utf8.RuneCountInString(text)*10 + 35) / 36 }

// meter counts the tokens of messages and remembers them: histories grow, their messages come again and again.
type meter struct {
	count func(string) int
	seed  maphash.Seed
	mu    sync.Mutex
	known map[uint64]int
}

func newMeter(count func(string) int) *meter {
	return &meter{count: count, seed: maphash.MakeSeed(), known: map[uint64]int{}}
}

// message returns the tokens of one message.
func (t *meter) message(m *message) int {
	print := maphash.Bytes(t.seed, m.raw)
	t.mu.Lock()
	n, ok := t.known[print]
	t.mu.Unlock()
	if ok {
		return n
	}
	n = t.measure(m)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.known) > 1<<17 {
		clear(t.known)
	}
	t.known[print] = n
	return n
}

func (t *meter) measure(m *message) int {
	n := messageTokens + t.count(m.text())
	parts, _ := elements(m.content.value)
	for _, part := range parts {
		if _, ok := partText(part); !ok {
			n += mediaTokens
		}
	}
	if images, ok := lookup(m.fields, "images"); ok {
		list, _ := elements(images.value)
		n += len(list) * mediaTokens
	}
	for _, c := range m.calls {
		n += t.count(c.name) + t.count(string(c.args))
	}
	return n
}

// frame returns the tokens of what stands in every prompt: tools and schemas.
func (t *meter) frame(b *body) (n int) {
	for _, key := range []string{"tools", "functions", "response_format", "format"} {
		if f, ok := lookup(b.fields, key); ok && !isNull(f.value) {
			n += t.count(string(f.value))
		}
	}
	return n
}
