package pruning

import (
	"slices"

	"recap/chat"
)

// fold is one pass over a history.
type fold struct {
	p      *Pruner
	c      *chat.Chat
	o      *Options
	rule   *strategy
	window int
	progress
}

// progress is all that a pass knows behind a message.
type progress struct {
	reader
	pieces      []piece
	placeholder int32 // its tokens

	clear, trim int     // how far the borders have come: what lies before is to be cleared, to be trimmed
	rest        int     // tokens of the pieces behind clear
	pending     []int32 // pieces that are to be shortened with the next batch
	freed       int     // tokens that it would free
	stood       int     // tokens that it stands for as the client sent it, less what would be left

	shown   shown
	batch   Batch
	changed bool // something is sent otherwise than result says
	result  Result
}

// weigh fills in what the strategy needs to know of a piece. It asks only for those that are long enough.
func (f *fold) weigh(m *chat.Message, p *piece) {
	if least := f.rule.least; least != nil && m.Results[p.result].Chars < least(f.o) {
		p.exempt = true
		return
	}
	n := &f.p.note(m)[p.result]
	p.tokens, p.sent = n.tokens, n.tokens
	f.rest += int(n.tokens)
	if p.exempt || n.trimmed || n.isPlaceholder(f.o.HardClear.Placeholder) {
		p.exempt = true
	} else if f.rule.admit != nil {
		f.rule.admit(f, p, n)
	}
}

// stoodShare is how much of the gate, in percent, a batch must stand for by what the client sent to go before it frees the
// whole gate: what was capped at first sight has little left to free, and would else wait too long.
const stoodShare = 125

// look moves the borders to where the strategy has them at a place, and shortens what is pending when that frees
// at least gate tokens. It returns the messages of what it shortened, nil for none.
func (f *fold) look(at look, gate int) []int {
	clear, trim := f.rule.borders(f, at)
	for ; f.trim < trim; f.trim++ {
		f.want(f.trim, wantTrim)
	}
	for ; f.clear < clear; f.clear++ {
		f.rest -= f.pieces[f.clear].weight()
		f.want(f.clear, f.clearing())
	}
	if f.freed < max(gate, 1) && f.stood < max(gate*stoodShare/100, 1) {
		return nil
	}
	slices.Sort(f.pending)
	batch := make([]int, 0, len(f.pending))
	for _, i := range f.pending {
		p := &f.pieces[i]
		batch = append(batch, int(p.message))
		before := p.weight()
		if s := f.shortened(int(i)); s.text != "" || s.tokens == 0 {
			p.sent, p.text = s.tokens, s.text
		}
		p.state = decided
		if int(i) >= f.clear {
			f.rest -= before - p.weight()
		}
	}
	f.pending, f.freed, f.stood, f.changed = f.pending[:0], 0, 0, true
	return batch
}

// clearing is what happens to results whose time has come: with hardClear off they are only trimmed.
func (f *fold) clearing() state {
	if f.o.HardClear.Enabled {
		return wantClear
	}
	return wantTrim
}

// weight is what a piece counts for protectTokens: what the client sent, until it was shortened with a batch.
func (p *piece) weight() int {
	if p.state == decided {
		return int(p.sent)
	}
	return int(p.tokens)
}

// want puts a piece into the next batch, unless that would free nothing.
func (f *fold) want(i int, to state) {
	p := &f.pieces[i]
	if p.exempt || p.state >= to {
		return
	}
	left := f.left(p, to)
	if left >= p.sent {
		return
	}
	if p.state == kept {
		f.pending = append(f.pending, int32(i))
	} else {
		f.freed -= int(p.sent - p.left)
		f.stood -= int(p.tokens - p.left)
	}
	f.freed += int(p.sent - left)
	f.stood += int(p.tokens - left)
	p.state, p.left = to, left
}

// settle lists what is decided so far.
func (f *fold) settle() {
	if !f.changed {
		return
	}
	f.changed = false
	n := 0
	for i := range f.pieces {
		if p := &f.pieces[i]; p.sent != p.tokens {
			n++
		}
	}
	r := Result{Trims: make([]chat.Trim, 0, n), Left: make([]int, 0, n), Newest: f.batch}
	for i := range f.pieces {
		p := &f.pieces[i]
		if p.sent == p.tokens {
			continue
		}
		r.Trims = append(r.Trims, chat.Trim{Message: int(p.message), Result: int(p.result), Text: p.text})
		r.Left = append(r.Left, int(p.sent))
		r.Saved += int(p.tokens - p.sent)
	}
	f.result = r
}
