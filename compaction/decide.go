package compaction

import (
	"recap/chat"
	"recap/pruning"
	"recap/summarizer"
	"recap/tokens"
)

// Input is all that a decision depends on.
type Input struct {
	Outline *chat.Outline
	Keys    []chat.Key // of all prefixes, see chat.Keys
	Sizes   tokens.Sizes
	Window  tokens.Window
	Stored  []chat.Checkpoint // those stored under Keys, shallow ones first
	Options *summarizer.Options
	// Prune decides the trims; it is called with true only by the overflow ladder. Nil: pruning is off.
	Prune func(urgent bool) pruning.Result
	Side  bool // a title, tag or follow-up request: never starts a job
	Force bool // a job is due whatever the trigger says, and the deepest checkpoint is used
}

// Decision is what was decided and why.
type Decision struct {
	Plan   chat.Plan
	Status chat.Status
	Levels Levels

	Before int // tokens of the client's messages, as they came
	Pruned int // the same after pruning: what the triggers look at while no checkpoint is used
	After  int // tokens of what is sent

	Used       *Candidate  // the checkpoint in the plan; nil = none
	Candidates []Candidate // all that match, shallow ones first
	Stepped    bool        // this request is the first to show a batch of prunings
	// Provisional is a checkpoint that was made here and must be stored; it is also Used.
	Provisional *chat.Checkpoint
	// Job is the summary that is due; nil = none. Where to ask and with which credentials is the caller's to fill in.
	Job *summarizer.Job
	// Reject tells that `overflow: reject` applies.
	Reject bool
}

// Decide makes the decision for one request. It is a pure function of in.
func Decide(in Input) Decision {
	pruned := in.pruned(false)
	w := newWeights(&in, &pruned)
	d := Decision{
		Levels: NewLevels(in.Window.Size, in.Outline.Chat.MaxReply, in.Options),
		Before: in.Sizes.Total(),
		Pruned: w.alone,
	}
	if in.Options.Enabled {
		d.Candidates = match(&in, w)
		d.Stepped = in.stepped(pruned.Newest, d.Candidates, w)
		d.Used = choose(&in, d.Candidates, w.alone, d.Levels, d.Stepped)
	}
	size := sizeWith(d.Used, w.alone)
	if size > d.Levels.Budget {
		w, pruned, size = d.climb(&in, w, pruned)
	}
	if in.Options.Enabled && !in.Side {
		d.Job = due(&in, &d, w)
	}
	d.After = size
	if d.Used != nil || w.pays {
		d.Plan = assemble(&in, d.Used, pruned.Trims)
	}
	d.settle(&in)
	return d
}

func (in *Input) pruned(urgent bool) pruning.Result {
	if in.Prune == nil {
		return pruning.Result{}
	}
	return in.Prune(urgent)
}

// settle gives the decision its status.
func (d *Decision) settle(in *Input) {
	switch {
	case d.After > d.Levels.Budget:
		d.Status = chat.OverWindow
		d.Reject = in.Options.Overflow == "reject"
	case d.Used != nil && d.Used.Checkpoint.Provisional:
		d.Status = chat.Provisional
	case d.Used != nil:
		d.Status = chat.Compacted
	case len(d.Plan.Trims) > 0:
		d.Status = chat.Pruned
	default:
		d.Status = chat.Clear
	}
}

// margin is the least number of tokens, by the fixed measure, that a rewrite must save to be sent (promise P8). A
// checkpoint that saves less does not match, see match; trims that do are not made, see weights.pays.
func margin(window int) int { return max(64, window/50) }

// assemble makes the plan out of a checkpoint and the trims of what stays.
func assemble(in *Input, used *Candidate, trims []chat.Trim) chat.Plan {
	if used == nil {
		return chat.Plan{Trims: trims}
	}
	used.Note = note(used.Rows)
	p := chat.Plan{Drop: in.Outline.Drop(used.Cut), Note: place(in, used)}
	dropped := 0
	for _, t := range trims {
		for dropped < len(p.Drop) && p.Drop[dropped] < t.Message {
			dropped++
		}
		if dropped == len(p.Drop) || p.Drop[dropped] != t.Message {
			p.Trims = append(p.Trims, t)
		}
	}
	return p
}

// place says into which message the summary goes: behind the first system message where that is wished and
// possible, else in front of the carrier.
func place(in *Input, used *Candidate) *chat.Note {
	messages := in.Outline.Chat.Messages
	if chat.Placement(in.Options.Placement) == chat.InSystem {
		for i := range messages {
			if messages[i].Role == chat.System {
				if messages[i].Carries {
					return &chat.Note{Message: i, Behind: true, Text: used.Note}
				}
				break
			}
		}
	}
	return &chat.Note{Message: in.Outline.Index[used.Cut.Carrier], Text: used.Note}
}
