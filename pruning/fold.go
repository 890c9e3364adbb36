package pruning

import (
	"recap/chat"
	"recap/tokens"
)

// borders says how far a strategy has come at a look: pieces before clear are to be cleared, those from there to
// trim are to be trimmed. Borders never move back as a history grows.
type borders func(at look) (clear, trim int)

// fold is one pass over a history.
type fold struct {
	p      *Pruner
	c      *chat.Chat
	o      *Options
	pieces []piece

	clear, trim int   // how far the borders have come
	pending     []int // pieces that are to be shortened with the next batch
	freed       int   // tokens that it would free
	placeholder int   // its tokens

	hashed, next int // messages and pieces that hash stands for
	hash         uint64
	read, told   int // messages and pieces whose words are in words
	words        map[string]bool
}

// strategy returns the borders of the configured strategy.
func (f *fold) strategy(window int) borders {
	b := f.ratio()
	if f.o.Strategy == Budget {
		b = f.budget(window)
	}
	if f.o.HardClear.Enabled {
		return b
	}
	return func(at look) (int, int) {
		clear, trim := b(at)
		if f.o.Strategy == Budget {
			trim = clear
		}
		return 0, trim
	}
}

// weigh fills in what the strategy needs to know of each piece. Ratio asks only for those that are long enough.
func (f *fold) weigh() {
	for i := range f.pieces {
		p := &f.pieces[i]
		m := &f.c.Messages[p.message]
		r := &m.Results[p.result]
		if f.o.Strategy == Ratio && r.Chars < f.o.MinPrunableToolChars {
			p.exempt = true
			continue
		}
		n := f.p.note(m)[p.result]
		p.tokens, p.sent = n.tokens, n.tokens
		if p.exempt || n.trimmed || n.isPlaceholder(f.o.HardClear.Placeholder) {
			p.exempt = true
			continue
		}
		if f.o.Strategy == Budget {
			f.admit(p, &n)
		}
	}
}

// admit applies what budget knows besides its borders: excluded tools, errors, the cap at first sight.
func (f *fold) admit(p *piece, n *note) {
	for _, pattern := range f.o.ExcludeTools {
		if p.tool != "" && tokens.Glob(pattern, p.tool) {
			p.exempt = true
			return
		}
	}
	m := &f.c.Messages[p.message]
	if f.o.CapNewChars > 0 && m.Results[p.result].Chars > f.o.CapNewChars {
		if s := f.p.capped(m, p.result, f.o.CapNewChars); s.tokens < p.tokens {
			p.sent, p.text = s.tokens, s.text
		}
	}
	p.exempt = n.failed || m.Results[p.result].Failed
}

// look moves the borders to where the strategy has them at a place, and shortens what is pending when that frees
// at least gate tokens.
func (f *fold) look(b borders, at look, gate int) {
	clear, trim := b(at)
	for ; f.trim < trim; f.trim++ {
		f.want(f.trim, wantTrim)
	}
	for ; f.clear < clear; f.clear++ {
		f.want(f.clear, wantClear)
	}
	if f.freed < max(gate, 1) {
		return
	}
	for _, i := range f.pending {
		p := &f.pieces[i]
		if s := f.shortened(p, p.state); s.text != "" || s.tokens == 0 {
			p.sent, p.text = s.tokens, s.text
		}
		p.state = decided
	}
	f.pending, f.freed = f.pending[:0], 0
}

// want puts a piece into the next batch, unless that would free nothing.
func (f *fold) want(i int, to state) {
	p := &f.pieces[i]
	if p.exempt || p.state == decided {
		return
	}
	left := f.left(p, to)
	if left >= p.sent {
		return
	}
	if p.state == kept {
		f.pending = append(f.pending, i)
	} else {
		f.freed -= p.tokens - f.left(p, p.state)
	}
	f.freed += p.tokens - left
	p.state = to
}

// result lists what the pass decided.
func (f *fold) result() Result {
	var r Result
	for i := range f.pieces {
		p := &f.pieces[i]
		if p.sent == p.tokens {
			continue
		}
		r.Trims = append(r.Trims, chat.Trim{Message: p.message, Result: p.result, Text: p.text})
		r.Saved += p.tokens - p.sent
	}
	return r
}
