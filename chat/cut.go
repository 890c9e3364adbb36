package chat

// Cut is a place where a checkpoint may end: the messages 1 to Covers are what it stands for.
type Cut struct {
	Covers  int // number of non-system messages covered
	Carrier int // position of the first kept user message, which takes the summary; may lie inside the range
}

// CutAt returns the cut that covers n non-system messages, false when none is valid there. A cut is valid before
// the newest user message, or between finished rounds of the newest turn with the last round kept. It splits no
// round. Where it falls inside a turn, only finished rounds lie between it and the user message that
// opens the turn: that message stays and carries the summary (promise P5).
func (o *Outline) CutAt(n int) (Cut, bool) {
	if n < 1 || n >= len(o.Index) || len(o.Turns) == 0 || !o.Whole(n-1) {
		return Cut{}, false
	}
	carrier := o.opener(n)
	if carrier < 0 || !o.At(carrier).Carries {
		return Cut{}, false
	}
	if carrier < n && !o.insideTurn(carrier, n) {
		return Cut{}, false
	}
	return Cut{Covers: n, Carrier: carrier}, true
}

// Cuts returns all valid cuts, shallow ones first.
func (o *Outline) Cuts() []Cut {
	var cuts []Cut
	for n := 1; n < len(o.Index); n++ {
		if cut, ok := o.CutAt(n); ok {
			cuts = append(cuts, cut)
		}
	}
	return cuts
}

// opener returns the position of the message that opens the turn which position n belongs to, -1 for none.
func (o *Outline) opener(n int) int {
	lo, hi := 0, len(o.Turns)
	for lo < hi {
		if mid := (lo + hi) / 2; o.Turns[mid] <= n {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return -1
	}
	return o.Turns[lo-1]
}

// insideTurn reports whether a cut that covers n may leave the turn opened at carrier split: only finished rounds
// leave, at least one, and in the newest turn the last round stays.
func (o *Outline) insideTurn(carrier, n int) bool {
	if n < carrier+2 {
		return false
	}
	if carrier == o.Turns[len(o.Turns)-1] && o.lastCall < n {
		return false
	}
	return int(o.loose[n-1]) <= carrier
}

// Drop returns the indexes in Chat.Messages of what leaves at cut: all covered non-system messages but the
// carrier.
func (o *Outline) Drop(cut Cut) []int {
	drop := make([]int, 0, cut.Covers)
	for at := range cut.Covers {
		if at != cut.Carrier {
			drop = append(drop, o.Index[at])
		}
	}
	return drop
}
