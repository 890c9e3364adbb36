package chat

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
)

// Digest names the content of one message. It is SHA-256 over what a Key counts, see NewDigest.
type Digest [sha256.Size]byte

// Key names a prefix of a chat within one tenant, upstream and recipe: SHA-256 cut to 128 bits.
type Key [16]byte

// String returns the key in hex, the form in which headers, the API and the command line show it.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// IsZero reports whether k names nothing.
func (k Key) IsZero() bool { return k == Key{} }

// ParseKey reads the form that String writes.
func ParseKey(text string) (Key, error) {
	var k Key
	if b, err := hex.DecodeString(text); err == nil && len(b) == len(k) {
		copy(k[:], b)
		return k, nil
	}
	return k, errors.New("parse key: want 32 hexadecimal digits")
}

// Hasher builds a Digest out of fields that cannot run into each other: each is written with its length.
type Hasher struct{ buf []byte }

// hashers keeps buffers: hashing one buffer in one call needs no allocation.
var hashers = sync.Pool{New: func() any { return &Hasher{buf: make([]byte, 0, 4<<10)} }}

// maxHashBuffer is the largest buffer that is kept, in bytes.
const maxHashBuffer = 1 << 20

// NewHasher returns an empty Hasher. Sum ends it.
func NewHasher() *Hasher { return hashers.Get().(*Hasher) }

// Field adds one field: tag says what it is.
func (h *Hasher) Field(tag byte, text string) {
	h.buf = append(h.buf, tag)
	h.buf = binary.LittleEndian.AppendUint64(h.buf, uint64(len(text)))
	h.buf = append(h.buf, text...)
}

// Sum returns the digest of all fields. The Hasher must not be used after it.
func (h *Hasher) Sum() Digest {
	d := Digest(sha256.Sum256(h.buf))
	if h.buf = h.buf[:0]; cap(h.buf) <= maxHashBuffer {
		hashers.Put(h)
	}
	return d
}

// NewDigest returns the digest of a message: role, text with its ends trimmed, each call's name and arguments,
// each result's text, and the bytes of the other parts. Ids, JSON spacing and cache marks do not count, nor
// does it matter whether one text came as a string or as an array with one text part.
// args returns the canonical form of a call's arguments, part that of a part that is not text.
func NewDigest(raw string, f *Facts, args func(Call) string, part func(Part) string) Digest {
	h := NewHasher()
	h.Field('r', f.Role.String())
	digestParts(h, raw, f.Parts, part)
	for _, c := range f.Calls {
		h.Field('n', c.Name)
		h.Field('a', args(c))
	}
	for _, r := range f.Results {
		h.Field('R', "")
		digestParts(h, raw, r.Parts, part)
	}
	return h.Sum()
}

func digestParts(h *Hasher, raw string, parts []Part, part func(Part) string) {
	for _, p := range parts {
		switch p.Kind {
		case Text:
			// An empty text says nothing: null, absent, "" and [] are the same to a key.
			token := p.Span.Of(raw)
			text := strings.TrimSpace(Unquote(token))
			if text != "" {
				h.Field('t', text)
			}
			if strings.Contains(text, "\ufffd") { // what is no Unicode all comes out as this: tell it apart
				h.Field('x', token)
			}
		case Reasoning:
		default:
			h.Field('p', part(p))
		}
	}
}

// Seed starts a chain of keys: it separates tenants, upstreams and recipes.
func Seed(tenant, upstream, recipe string) Key {
	h := NewHasher()
	h.Field('T', tenant)
	h.Field('U', upstream)
	h.Field('S', recipe)
	d := h.Sum()
	return Key(d[:16])
}

// Recall remembers what was found out about a chat, or about its first messages, for chats that begin with the same ones.
type Recall struct {
	keys     atomic.Pointer[seededKeys]
	outline  atomic.Pointer[Outline] // without its chat
	reported atomic.Pointer[report]

	// Pruning is a slot for whoever prunes: how far it came with these messages. What is in it is immutable.
	Pruning atomic.Value
	// Weights is one for whoever weighs messages.
	Weights atomic.Value
}

// Onward returns what r remembers of its messages for a chat that goes on with more of them, or with other things beside
// them: all but what an upstream counted.
func (r *Recall) Onward() *Recall {
	next := &Recall{}
	next.keys.Store(r.keys.Load())
	next.outline.Store(r.outline.Load())
	if known := r.Pruning.Load(); known != nil {
		next.Pruning.Store(known)
	}
	if known := r.Weights.Load(); known != nil {
		next.Weights.Store(known)
	}
	return next
}

// Reported is what an upstream counted for a chat that was sent as it came. The zero Reported says nothing.
type Reported struct {
	Prompt int // tokens
	Answer int // tokens; 0 = not told
	Size   int // of the body, in bytes
	Beside int // of these, those beside the messages: tools, settings
}

// report is a Reported and who told it.
type report struct {
	upstream, model string
	Reported
}

// Report remembers what an upstream counted for the whole request.
func (r *Recall) Report(upstream, model string, told Reported) {
	r.reported.Store(&report{upstream, strings.Clone(model), told})
}

// Reported returns what an upstream counted for the whole request.
func (r *Recall) Reported(upstream, model string) Reported {
	if p := r.reported.Load(); p != nil && p.upstream == upstream && p.model == model {
		return p.Reported
	}
	return Reported{}
}

type seededKeys struct {
	seed Key
	keys []Key
}

// Keys returns the keys of all prefixes of c: Keys(c, seed)[i] names its first i+1 non-system messages.
// Keys of a prefix are a prefix of the keys. What is remembered of an earlier chat is not computed again.
func Keys(o *Outline, seed Key) []Key {
	keys := make([]Key, 0, len(o.Index))
	prev := seed
	if before := o.Chat.Before; before != nil {
		if r := before.keys.Load(); r != nil && r.seed == seed && len(r.keys) > 0 && len(r.keys) <= len(o.Index) {
			keys = append(keys, r.keys...)
			prev = keys[len(keys)-1]
		}
	}
	buf := make([]byte, 0, 128)
	for n := len(keys); n < len(o.Index); n++ {
		m := &o.Chat.Messages[o.Index[n]]
		buf = append(append(buf[:0], prev[:]...), m.Digest[:]...)
		for _, ordinal := range o.ordinals(n) {
			buf = binary.LittleEndian.AppendUint32(buf, uint32(ordinal))
		}
		sum := sha256.Sum256(buf)
		prev = Key(sum[:16])
		keys = append(keys, prev)
	}
	if after := o.Chat.After; after != nil {
		after.keys.Store(&seededKeys{seed, keys[:len(keys):len(keys)]})
	}
	return keys
}
