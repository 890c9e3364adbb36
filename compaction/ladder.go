package compaction

import (
	"recap/chat"
	"recap/pruning"
	"recap/summarizer"
	"recap/tokens"
)

// climb is what happens when the best choice does not fit the budget (design.md §6 «overflow»): pruning beyond the
// batch gate, after which the rule of choice is asked again; then a provisional checkpoint made of the ledger alone;
// nothing else helps.
func (d *Decision) climb(in *Input, w *weights, pruned pruning.Result) (*weights, pruning.Result, int) {
	if in.Prune != nil {
		pruned = in.pruned(true)
		w = newWeights(in, &pruned)
		d.reweigh(w)
		if in.Options.Enabled {
			d.Used = choose(in, d.Candidates, w.alone, d.Levels, d.Stepped)
		}
	}
	size := sizeWith(d.Used, w.alone)
	if size <= d.Levels.Budget || in.Options.Overflow != "fit" {
		return w, pruned, size
	}
	if c := provisional(in, d, w); c != nil && c.Size <= d.Levels.Budget {
		d.Used, d.Provisional = c, c.Checkpoint
		size = c.Size
	}
	return w, pruned, size
}

// reweigh sets the candidates' sizes after the trims have changed.
func (d *Decision) reweigh(w *weights) {
	for i := range d.Candidates {
		c := &d.Candidates[i]
		c.Size = w.at(c.Cut, c.noteSize)
	}
}

// provisional makes a checkpoint out of the ledger alone, at the cut where the next real one would end. It is never
// made on a guessed window, nor for side requests: it drops what no model has read yet.
func provisional(in *Input, d *Decision, w *weights) *Candidate {
	o := in.Options
	if !o.Enabled || in.Side || in.Window.Guessed || in.Outline.Len() < o.MinMessages {
		return nil
	}
	summary, ledger := caps(in.Window.Size, in.Options) // the real one will land at the same cut
	cut, ok := next(in, w, d.Levels, summary+ledger, 0)
	if !ok || d.Used != nil && cut.Covers <= d.Used.Cut.Covers {
		return nil
	}
	rows := d.below(in, cut)
	cp := newProvisional(in, rows, cut)
	c := newCandidate(in, w, append(rows, cp), cut)
	if w.dropped(cut)-c.noteSize < margin(in.Window.Size) {
		return nil
	}
	return &c
}

// below returns the rows that stay in front of a provisional checkpoint: what a model already wrote for the messages
// before it is not thrown away.
func (d *Decision) below(in *Input, cut chat.Cut) []*chat.Checkpoint {
	for i := len(d.Candidates) - 1; i >= 0; i-- {
		c := &d.Candidates[i]
		if !c.Checkpoint.Provisional && c.Cut.Covers < cut.Covers {
			return append([]*chat.Checkpoint(nil), c.Rows...)
		}
	}
	return nil
}

func newProvisional(in *Input, rows []*chat.Checkpoint, cut chat.Cut) *chat.Checkpoint {
	from, lineage := 1, in.Keys[cut.Covers-1]
	var parent chat.Key
	if n := len(rows); n > 0 {
		from, parent, lineage = rows[n-1].To+1, rows[n-1].Key, rows[n-1].Lineage
	}
	kept := -1
	if cut.Carrier < cut.Covers {
		kept = cut.Carrier
	}
	covered := make([]chat.Message, cut.Covers)
	for at := range cut.Covers {
		covered[at] = *in.Outline.At(at)
	}
	ledger := summarizer.Ledger(summarizer.LedgerInput{
		Covered: covered, From: from, Kept: kept, Options: in.Options.Ledger, Window: in.Window.Size,
	})
	return &chat.Checkpoint{
		Key: in.Keys[cut.Covers-1], Parent: parent, Lineage: lineage, Opening: in.Keys[0],
		From: from, To: cut.Covers, RowFrom: from,
		Ledger: ledger, LedgerTokens: tokens.Estimate(ledger), Provisional: true,
	}
}
