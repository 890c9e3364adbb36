package compaction

import (
	"recap/chat"
	"recap/pruning"
	"recap/tokens"
)

// resultOverhead is what a tool message weighs beside its content, in tokens, by the fixed measure.
const resultOverhead = 8

// weights are the sizes of a chat after pruning, summed up so that any cut is weighed at once. Two measures run
// side by side: the calibrated one decides what fits, the fixed one what pays.
type weights struct {
	outline *chat.Outline
	total   int   // all messages after pruning, calibrated
	alone   int   // what would be sent without a checkpoint: total, or nothing pruned where that does not pay
	pays    bool  // the trims alone save the margin of P8
	sums    []int // sums[n]: the first n non-system messages, calibrated
	fixed   []int // the same by the fixed measure, before pruning
	scale   float64
}

func newWeights(in *Input, pruned *pruning.Result) *weights {
	o := in.Outline
	w := &weights{outline: o, scale: scale(&in.Sizes), total: in.Sizes.Extra}
	n, trimmed, next := o.Len()+1, 0, 0
	buf := make([]int, 2*n)
	w.sums, w.fixed = buf[:n], buf[n:]
	for i := range o.Chat.Messages {
		w.total += in.Sizes.Messages[i]
	}
	for at, i := range o.Index {
		size, fixed := in.Sizes.Messages[i], in.Sizes.Fixed[i]
		gone, cut := 0, 0
		for ; next < len(pruned.Trims) && pruned.Trims[next].Message <= i; next++ {
			gone += in.saved(pruned, next)
		}
		if gone > 0 {
			cut = int(float64(gone) * ratio(size, fixed))
		}
		w.total -= cut
		w.sums[at+1] = w.sums[at] + size - cut
		w.fixed[at+1] = w.fixed[at] + fixed
		trimmed += gone
	}
	if w.pays = trimmed >= margin(in.Window.Size); w.pays {
		w.alone = w.total
	} else {
		w.alone = in.Sizes.Total()
	}
	return w
}

// saved is what a trim saves of its message, in tokens by the fixed measure.
func (in *Input) saved(pruned *pruning.Result, at int) int {
	t := &pruned.Trims[at]
	m := &in.Outline.Chat.Messages[t.Message]
	if len(m.Results) == 1 {
		return max(in.Sizes.Fixed[t.Message]-pruned.Left[at]-resultOverhead, 0)
	}
	return max(tokens.ResultTokens(m, t.Result)-pruned.Left[at], 0)
}

func ratio(size, fixed int) float64 {
	if fixed <= 0 {
		return 1
	}
	return float64(size) / float64(fixed)
}

// scale is how many calibrated tokens a token of the fixed measure is in this chat.
func scale(s *tokens.Sizes) float64 {
	fixed := s.FixedExtra
	for _, n := range s.Fixed {
		fixed += n
	}
	return ratio(s.Total(), fixed)
}

// calibrated turns a size by the fixed measure into what the model will count.
func (w *weights) calibrated(fixed int) int { return int(float64(fixed)*w.scale + 0.5) }

// size is what position holds, calibrated, after pruning.
func (w *weights) size(position int) int { return w.sums[position+1] - w.sums[position] }

// at is what would be sent with a cut whose note weighs that many tokens by the fixed measure.
func (w *weights) at(cut chat.Cut, note int) int {
	size := w.total - w.sums[cut.Covers] + w.calibrated(note)
	if cut.Carrier < cut.Covers {
		size += w.size(cut.Carrier)
	}
	return size
}

// dropped is what leaves at a cut by the fixed measure, as the client sent it.
func (w *weights) dropped(cut chat.Cut) int {
	gone := w.fixed[cut.Covers]
	if cut.Carrier < cut.Covers {
		gone -= w.fixed[cut.Carrier+1] - w.fixed[cut.Carrier]
	}
	return gone
}
