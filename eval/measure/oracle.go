package measure

import (
	"fmt"

	"recap/chat"
	"recap/compaction"
	"recap/eval/workload"
)

// oracle knows by the workload's own identities which prefix each checkpoint was made for, and so whether it was used
// where it belongs (m9), and whether it is the one that the rule of design.md §2 names (m10).
type oracle struct {
	named map[chat.Key]made
	inUse []use
}

// made is what a checkpoint was made for.
type made struct {
	step   *workload.Step
	prefix uint64
	to     int
}

// use is a checkpoint that was sent.
type use struct {
	prefix uint64
	to     int
}

func newOracle() oracle { return oracle{named: map[chat.Key]made{}} }

// name records for which messages a key stands. The first word counts: a key that is made again for other messages will
// be seen to be wrong there.
func (o *oracle) name(now *state, k chat.Key, to int) {
	if _, ok := o.named[k]; !ok {
		o.named[k] = made{now.step, now.step.Prefix(to), to}
	}
}

// look judges the checkpoint of one request.
func (o *oracle) look(r *replay, now *state) {
	d := &now.sent.Decision
	r.f.Choices++
	if d.Provisional != nil {
		o.name(now, d.Provisional.Key, d.Provisional.To)
	}
	covered := covers(d)
	if d.Used != nil {
		for _, row := range d.Used.Rows {
			m, ok := o.named[row.Key]
			if !ok || m.to != row.To || row.To > now.step.Len() || m.prefix != now.step.Prefix(row.To) {
				r.f.Wrong++
				r.f.note("wrong: %s, request of %d messages: a row covers %d", r.run.Name, now.step.Len(), row.To)
				break
			}
		}
	}
	if deepest := o.deepest(now); deepest > covered {
		r.f.Behind++
		r.f.note("behind: %s, request of %d messages: covers %d, in use before: %d; %s", r.run.Name, now.step.Len(), covered, deepest, told(d))
	}
	// Where the ladder was climbed the candidates' sizes are those after it, and the choice was made before.
	if d.Provisional == nil && !now.sent.Urgent && d.Status != chat.OverWindow && key(d) != ruled(d) {
		r.f.Misused++
		r.f.note("not the rule's: %s, request of %d messages: covers %d; %s", r.run.Name, now.step.Len(), covered, told(d))
	}
	if d.Used != nil {
		o.inUse = append(o.inUse, use{now.step.Prefix(covered), covered})
	}
}

// deepest is how much the deepest checkpoint covers that was sent before and still fits this request.
func (o *oracle) deepest(now *state) int {
	best := 0
	for _, u := range o.inUse {
		if u.to <= best || u.to >= now.step.Len() || u.prefix != now.step.Prefix(u.to) {
			continue
		}
		if _, valid := now.sent.Outline.CutAt(u.to); valid {
			best = u.to
		}
	}
	return best
}

// ruled spells the rule out: the deepest one sent stays while the size with it is under the swap level; else, of the
// deeper ones, the one that covers least and lands under the prepare level; else the deepest. Where a batch of prunings
// is new, the prepare level takes the place of the swap level.
func ruled(d *compaction.Decision) chat.Key {
	size, deepest := d.Pruned, -1
	var stays chat.Key
	for i := range d.Candidates {
		if c := &d.Candidates[i]; c.Sent {
			deepest, size, stays = i, c.Size, c.Checkpoint.Key
		}
	}
	level := d.Levels.Swap
	if d.Stepped {
		level = d.Levels.Prepare
	}
	if size < level || len(d.Candidates) == 0 {
		return stays
	}
	for i := deepest + 1; i < len(d.Candidates); i++ {
		if c := &d.Candidates[i]; c.Size < d.Levels.Prepare {
			return c.Checkpoint.Key
		}
	}
	return d.Candidates[len(d.Candidates)-1].Checkpoint.Key
}

// key names the checkpoint in use, zero for none.
func key(d *compaction.Decision) chat.Key {
	if d.Used == nil {
		return chat.Key{}
	}
	return d.Used.Checkpoint.Key
}

// covers is how many messages the checkpoint in use stands for, 0 for none.
func covers(d *compaction.Decision) int {
	if d.Used == nil {
		return 0
	}
	return d.Used.Cut.Covers
}

// told lists what a decision could choose from.
func told(d *compaction.Decision) string {
	text := fmt.Sprintf("status %s, levels %+v, without any %d; candidates", d.Status, d.Levels, d.Pruned)
	for i := range d.Candidates {
		c := &d.Candidates[i]
		text += fmt.Sprintf(" [covers %d, size %d, sent %v, provisional %v]", c.Cut.Covers, c.Size, c.Sent, c.Checkpoint.Provisional)
	}
	return text
}

// offered reports whether a decision had a checkpoint to choose.
func offered(d *compaction.Decision, k chat.Key) bool {
	for i := range d.Candidates {
		if d.Candidates[i].Checkpoint.Key == k {
			return true
		}
	}
	return false
}
