package pruning

import (
	"reflect"
	"slices"

	"recap/chat"
	"recap/tokens"
)

// snapshot is how far a pass came: requests of one chat begin with the messages of the request before, so the next pass
// goes on from here (chat.Recall). It is immutable, and what it says any pass over the same messages would find.
type snapshot struct {
	options *Options
	window  int
	progress
}

// begin returns a pass over c that has read as many of its messages as are remembered.
func (p *Pruner) begin(c *chat.Chat, o *Options, window int) *fold {
	f := &fold{p: p, c: c, o: o, window: window}
	if p.notes != nil {
		s := recalled(c.Before, f)
		if after := recalled(c.After, f); s == nil || after != nil && after.at.messages > s.at.messages {
			s = after
		}
		if s != nil {
			f.progress = s.progress
			if f.at.messages < len(c.Messages) {
				f.own()
			}
			return f
		}
	}
	f.placeholder = int32(tokens.Estimate(o.HardClear.Placeholder))
	return f
}

// recalled returns the snapshot in r where it is of a pass as f will be.
func recalled(r *chat.Recall, f *fold) *snapshot {
	if r == nil {
		return nil
	}
	s, _ := r.Pruning.Load().(*snapshot)
	if s == nil || s.at.messages > len(f.c.Messages) || s.window != f.window {
		return nil
	}
	if s.options != f.o && !reflect.DeepEqual(s.options, f.o) {
		return nil
	}
	return s
}

// own gives the pass slices that it may write to.
func (f *fold) own() {
	f.pieces = append(make([]piece, 0, len(f.pieces)+len(f.c.Messages)-f.at.messages), f.pieces...)
	f.pending = slices.Clone(f.pending)
	f.calls = slices.Clone(f.calls)
}

// keep remembers the pass, as far as it came, for the chats that begin with this one.
func (f *fold) keep() {
	if f.c.After == nil || f.p.notes == nil {
		return
	}
	f.c.After.Pruning.Store(&snapshot{options: f.o, window: f.window, progress: f.progress})
}
