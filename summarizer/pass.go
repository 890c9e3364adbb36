package summarizer

import (
	"context"
	"slices"

	"recap/chat"
)

// pass is what one job reads and what its checkpoint will be, settled when the job starts.
type pass struct {
	from    int                // first fresh message, numbered from 1
	rowFrom int                // first message that the text will stand for
	rewrite []*chat.Checkpoint // rows whose texts are updated into one, oldest first; none = a fresh summary
	kept    int                // tokens of the rows that stay in front
	pinned  int                // tokens of those up to the last pinned one, where they leave no room; else 0
	parent  chat.Key
	lineage chat.Key
}

// plan looks up what is stored by now and says what is left to do. The checkpoint that the job was made with may have
// been followed by a deeper one in the meantime, or be gone: only what the store holds counts.
func (q *Queue) plan(ctx context.Context, j *Job) (pass, error) {
	stored, err := q.deps.Store.Find(ctx, j.Keys)
	if err != nil {
		return pass{}, refusal{reason: ReasonStore}
	}
	rows := realRows(stored, j.Keys)
	base := deepestWhole(rows, j)
	switch {
	case rows[j.To()] != nil && base == rows[j.To()]:
		return pass{}, errNotNeeded
	case base == nil:
		return pass{from: 1, rowFrom: 1, lineage: j.Key()}, nil
	case !standsIn(stored, j.Key()) && !j.needed(base):
		return pass{}, errNotNeeded
	}
	p := pass{from: base.To + 1, parent: base.Key, lineage: base.Lineage}
	p.place(chain(rows, base), j)
	return p, nil
}

// realRows are the stored checkpoints by the number of messages they cover. A provisional one is no summary of
// anything: its range is read again.
func realRows(stored []chat.Checkpoint, keys []chat.Key) map[int]*chat.Checkpoint {
	rows := make(map[int]*chat.Checkpoint, len(stored))
	for i := range stored {
		cp := &stored[i]
		if !cp.Provisional && cp.To >= 1 && cp.To <= len(keys) && keys[cp.To-1] == cp.Key {
			rows[cp.To] = cp
		}
	}
	return rows
}

// standsIn reports whether a provisional checkpoint waits under a key to be replaced.
func standsIn(stored []chat.Checkpoint, key chat.Key) bool {
	return slices.ContainsFunc(stored, func(cp chat.Checkpoint) bool { return cp.Provisional && cp.Key == key })
}

// needed reports whether a job is still worth its call, where a deeper checkpoint than it was made with has been written
// while it waited (E9). For a trigger on size only the next request can tell: it sees what is sent with the new one,
// and brings the job again when that is still too much.
func (j *Job) needed(base *chat.Checkpoint) bool {
	if j.Base != nil && base.To <= j.Base.To || !base.Updated.After(j.submitted) {
		return true
	}
	fresh := j.Covered[base.To:]
	t := &j.Options.Trigger
	if !t.Counts() {
		return false
	}
	turns := 0
	for i := range fresh {
		if fresh[i].Opens() {
			turns++
		}
	}
	// The kept tail's turns count too, and are not among the fresh messages.
	tail := max(j.Options.RetainRecent.Turns, 1)
	c := Counts{Refinable: len(fresh), Turns: turns + tail, Tokens: int(t.Value) + 1}
	return turns > 0 && t.Fires(c)
}
