package pruning

import (
	"hash/maphash"

	"recap/chat"
	"recap/tokens"
)

// left is what remains of a piece in tokens. For a digest it is a bound, so that no digest is made before its batch:
// what it says depends on what was cleared before.
func (f *fold) left(p *piece, to state) int {
	switch {
	case to == wantTrim:
		return f.p.trimmed(&f.c.Messages[p.message], p.result, f.o.SoftTrim).tokens
	case !f.replaces(p, f.o.HardClear.Placeholder):
		return p.tokens
	case f.o.Strategy == Budget:
		return f.placeholder + f.o.DigestChars*digestShare/100
	}
	return f.placeholder
}

// digestShare is about what a hundred characters of a digest cost in tokens.
const digestShare = 40

// replaces reports whether a text is shorter than the content of a piece. Media are longer than any text.
func (f *fold) replaces(p *piece, text string) bool {
	r := &f.c.Messages[p.message].Results[p.result]
	return hasMedia(r) || len(text) < r.Chars // characters are at most bytes
}

// shortened returns what is left of a piece whose time has come.
func (f *fold) shortened(p *piece, to state) shortened {
	m := &f.c.Messages[p.message]
	bare := shortened{text: f.o.HardClear.Placeholder, tokens: f.placeholder}
	switch {
	case to == wantTrim:
		return f.p.trimmed(m, p.result, f.o.SoftTrim)
	case f.o.Strategy != Budget || f.o.DigestChars == 0:
		return bare
	}
	key := textKey{facts: m.Facts, result: p.result, placeholder: bare.text, sizes: [3]int{f.o.DigestChars, -1}, before: f.before(p)}
	return f.p.remember(key, func() shortened {
		d := digest(m.ResultText(p.result), f.o.DigestChars, f.shown(p.message))
		text := bare.text + digestIntro + d
		if s := (shortened{text: text, tokens: tokens.Estimate(text)}); d != "" && s.tokens < p.sent && f.replaces(p, text) {
			return s
		}
		return bare
	})
}

var seed = maphash.MakeSeed()

// before returns a fingerprint of all that stands before a piece, as it is sent.
func (f *fold) before(p *piece) uint64 {
	type step struct {
		before uint64
		facts  *chat.Facts
		piece  int
		state  state
	}
	for ; f.hashed < p.message; f.hashed++ {
		f.hash = maphash.Comparable(seed, step{before: f.hash, facts: f.c.Messages[f.hashed].Facts})
		for ; f.next < len(f.pieces) && f.pieces[f.next].message <= f.hashed; f.next++ {
			f.hash = maphash.Comparable(seed, step{before: f.hash, piece: f.next, state: f.pieces[f.next].state})
		}
	}
	return f.hash
}

// shown returns the words that stand in the messages before one, as they are sent: no digest need repeat them.
func (f *fold) shown(message int) map[string]bool {
	if f.words == nil {
		f.words = map[string]bool{}
	}
	for ; f.read < message; f.read++ {
		m := &f.c.Messages[f.read]
		f.show(m.Text())
		for i := range m.Calls {
			f.show(chat.Unquote(m.Calls[i].Args.Of(m.Raw)))
		}
	}
	for ; f.told < len(f.pieces) && f.pieces[f.told].message < message; f.told++ {
		p := &f.pieces[f.told]
		if p.state == decided && p.sent != p.tokens {
			f.show(p.text)
		} else {
			f.show(f.c.Messages[p.message].ResultText(p.result))
		}
	}
	return f.words
}

func (f *fold) show(text string) {
	for _, m := range mentions(text) {
		f.words[m.word] = true
	}
}
