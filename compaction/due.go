package compaction

import (
	"recap/chat"
	"recap/summarizer"
)

// due returns the job for the next checkpoint, nil when none is due. Size is looked at with the deepest matching
// checkpoint, sent or not: what is already written but not yet needed is not written again.
func due(in *Input, d *Decision, w *weights) *summarizer.Job {
	if in.Outline.Len() < in.Options.MinMessages || len(in.Outline.Turns) == 0 {
		return nil
	}
	var deepest *Candidate
	if n := len(d.Candidates); n > 0 {
		deepest = &d.Candidates[n-1]
	}
	if d.Provisional != nil {
		return newJob(in, d, w, d.Used.Cut)
	}
	if deepest != nil && deepest.Checkpoint.Provisional {
		return newJob(in, d, w, deepest.Cut)
	}
	covered := 0
	if deepest != nil {
		covered = deepest.Checkpoint.To
	}
	if !fires(in, d, w, sizeWith(deepest, w.alone), covered) {
		return nil
	}
	summary, ledger := caps(in.Window.Size, in.Options)
	cut, ok := next(in, w, d.Levels, summary+ledger, d.growth(in, w))
	if !ok || cut.Covers <= covered || !gains(in, d, w, deepest, cut) {
		return nil
	}
	return newJob(in, d, w, cut)
}

// fires asks the trigger. A chat over the budget is always due.
func fires(in *Input, d *Decision, w *weights, size, covered int) bool {
	if in.Force || size > d.Levels.Budget {
		return true
	}
	t := &in.Options.Trigger
	c := counts(in, w, covered)
	if c.Turns < t.MinTurns {
		return false
	}
	if t.Counts() {
		return t.Fires(c)
	}
	return size >= d.Levels.Prepare
}

// counts collects what the count triggers look at.
func counts(in *Input, w *weights, covered int) summarizer.Counts {
	turns := in.Outline.Turns
	c := summarizer.Counts{}
	for i := range in.Outline.Index {
		c.Tokens += in.Sizes.Messages[in.Outline.Index[i]]
	}
	tail := turns[len(turns)-min(max(in.Options.RetainRecent.Turns, 1), len(turns))]
	c.Refinable = max(tail-covered, 0)
	for i, at := range turns {
		if at >= covered && (i+1 < len(turns) || in.answered()) {
			c.Turns++
		}
	}
	return c
}

// answered reports whether the newest turn has ended: its last word is the assistant's and calls nothing.
func (in *Input) answered() bool {
	last := in.Outline.At(in.Outline.Len() - 1)
	return last.Role == chat.Assistant && len(last.Calls) == 0
}

// gains reports whether a checkpoint at cut would make the request smaller by the margin of P8 than the deepest one
// there is. What it will weigh is not known yet: it is taken to grow by half of what it newly stands for, up to its
// limits; an answer that is longer is judged when it is there.
//
// Where even so the request would not come under the swap level, because what is never dropped is too large, summaries
// help little: then the covered range must at least double, and by a quarter of the window, for each further one (A17).
func gains(in *Input, d *Decision, w *weights, deepest *Candidate, cut chat.Cut) bool {
	fresh, weight, covered := w.dropped(cut), 0, 0
	if deepest != nil {
		covered = w.dropped(deepest.Cut)
		fresh -= covered
		weight = deepest.noteSize
	}
	if w.at(cut, 0) >= d.Levels.Swap && fresh < max(covered, in.Window.Size/4) {
		return false
	}
	summary, ledger := caps(in.Window.Size, in.Options)
	growth := min(max(summary+ledger-weight, 0), fresh/2)
	return fresh-growth >= margin(in.Window.Size)
}

// newJob fills in what the chat tells; the caller adds who asks, where, and with which credentials.
func newJob(in *Input, d *Decision, w *weights, cut chat.Cut) *summarizer.Job {
	o := in.Outline
	j := &summarizer.Job{
		Keys: in.Keys[:cut.Covers], Kept: -1, Replaces: w.dropped(cut),
		Window: in.Window.Size, Model: o.Chat.Model, NumCtx: o.Chat.NumCtx, Options: *in.Options,
		KeepAlive: o.Chat.KeepAlive.Of(o.Chat.Body),
		Covered:   make([]chat.Message, cut.Covers),
	}
	if cut.Carrier < cut.Covers {
		j.Kept = cut.Carrier
	}
	for at := range cut.Covers {
		j.Covered[at] = *o.At(at)
	}
	for i := len(d.Candidates) - 1; i >= 0; i-- {
		if cp := d.Candidates[i].Checkpoint; !cp.Provisional && cp.To < cut.Covers {
			base := *cp
			j.Base = &base
			break
		}
	}
	return j
}
