package compaction

import (
	"slices"

	"recap/chat"
	"recap/pruning"
)

// Candidate is a stored checkpoint that matches this request.
type Candidate struct {
	Checkpoint *chat.Checkpoint
	Rows       []*chat.Checkpoint // all rows that are injected, oldest first; the last is Checkpoint
	Cut        chat.Cut
	Note       string // the injected text, of the one that is used
	Size       int    // tokens of what would be sent with it
	Sent       bool   // already sent for this window

	noteSize int // tokens of the note by the fixed measure
}

// match returns the stored checkpoints that this request may use, shallow ones first: the range is a prefix of its
// messages (they were found under its keys), ends at a valid cut, no row is missing, and it is worth sending or was sent.
func match(in *Input, w *weights) []Candidate {
	if in.Outline.Len() < in.Options.MinMessages {
		return nil
	}
	var found []Candidate
	stored := in.named()
	for i := range stored {
		cut, ok := in.Outline.CutAt(stored[i].To)
		if !ok {
			continue
		}
		rows := chain(stored[:i+1])
		if rows == nil || stored[i].Provisional && !stored[i].SentFor(in.Window.Size) {
			continue // a row is missing, or it was made of quotes to fit another window
		}
		c := newCandidate(in, w, rows, cut)
		if gain := w.dropped(cut) - c.noteSize; gain >= margin(in.Window.Size) || c.Sent && gain > 0 {
			found = append(found, c) // what was sent once stays, also when its real text is longer than the provisional one
		}
	}
	return found
}

// named returns the stored checkpoints whose key is that of exactly the prefix they cover: what a store tells is
// checked, not believed (promise P4).
func (in *Input) named() []chat.Checkpoint {
	var named []chat.Checkpoint
	for _, cp := range in.Stored {
		if cp.To >= 1 && cp.To <= len(in.Keys) && in.Keys[cp.To-1] == cp.Key {
			named = append(named, cp)
		}
	}
	return named
}

func newCandidate(in *Input, w *weights, rows []*chat.Checkpoint, cut chat.Cut) Candidate {
	cp := rows[len(rows)-1]
	c := Candidate{Checkpoint: cp, Rows: rows, Cut: cut, Sent: cp.SentFor(in.Window.Size), noteSize: noteTokens(rows)}
	c.Size = w.at(cut, c.noteSize)
	return c
}

// chain returns the rows of the last of stored, oldest first: a row that does not start at message 1 needs the one
// that ends just before it. Nil when one is missing.
func chain(stored []chat.Checkpoint) []*chat.Checkpoint {
	at := len(stored) - 1
	rows := []*chat.Checkpoint{&stored[at]}
	for rows[0].RowFrom > 1 {
		want := rows[0].RowFrom - 1
		for at--; at >= 0 && stored[at].To > want; at-- {
		}
		if at < 0 || stored[at].To != want {
			return nil
		}
		rows = append([]*chat.Checkpoint{&stored[at]}, rows...)
	}
	return rows
}

// choose applies the rule of design.md §2 «Choice». total is the size without any checkpoint. Where stepped, the prepare
// level takes the place of the swap level: the prefix breaks anyway, and would soon once more.
func choose(in *Input, all []Candidate, total int, l Levels, stepped bool) *Candidate {
	if len(all) == 0 {
		return nil
	}
	deepest := &all[len(all)-1]
	if in.Force || in.Options.Trigger.Counts() {
		return deepest
	}
	at := inUse(all)
	var sent *Candidate
	if at >= 0 {
		sent = &all[at]
	}
	level := l.Swap
	if stepped {
		level = l.Prepare
	}
	if sizeWith(sent, total) < level {
		return sent
	}
	for i := at + 1; i < len(all); i++ {
		if all[i].Size < l.Prepare {
			return &all[i]
		}
	}
	return deepest
}

// inUse returns the place of the deepest checkpoint that was sent for this window, -1 for none.
func inUse(all []Candidate) int {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Sent {
			return i
		}
	}
	return -1
}

// stepped reports whether this request is the first to show a new batch of prunings, so that the prefix breaks anyway. The
// request before it ended in front of the newest assistant message. What shows is what the checkpoint in use has left of
// what that request held.
func (in *Input) stepped(b pruning.Batch, all []Candidate, w *weights) bool {
	messages := in.Outline.Chat.Messages
	before := len(messages) - 1
	for before >= 0 && messages[before].Role != chat.Assistant {
		before--
	}
	if before < 0 || b.After <= before {
		return false
	}
	first := 0
	if at := inUse(all); at >= 0 {
		first = in.Outline.Index[all[at].Cut.Covers]
	} else if !w.pays {
		return false
	}
	at, _ := slices.BinarySearch(b.Messages, first)
	return at < len(b.Messages) && b.Messages[at] < before
}

func sizeWith(used *Candidate, total int) int {
	if used == nil {
		return total
	}
	return used.Size
}
