package compaction_test

import (
	"testing"

	"recap/chat"
	"recap/summarizer"
)

// The job is due at the prepare level, before the swap is; side requests never start one.
func TestDueAtPrepare(t *testing.T) {
	w := newWorld(t, turns(20, 1000), 0)
	w.window.Size = 100000
	total := w.decide().Before
	f := func(window int, side, want bool) {
		t.Helper()
		w.window.Size, w.side = window, side
		if d := w.decide(); (d.Job != nil) != want {
			t.Errorf("window %d (prepare %d, size %d): job %v, want %v", window, d.Levels.Prepare, d.Pruned, d.Job != nil, want)
		}
	}
	f(total*2, false, false)
	f(total*5/4, false, true)
	f(total*5/4, true, false)
}

// What is already written and deep enough is not written again; what is due builds on it (N4).
func TestN4DueBuildsOnTheDeepest(t *testing.T) {
	w := newWorld(t, turns(20, 1000), 0)
	w.window.Size = 100000
	w.window.Size = w.decide().Before * 5 / 4
	w.stored = []chat.Checkpoint{w.checkpoint(20, summaryText)}
	if d := w.decide(); d.Job != nil {
		t.Errorf("a job to %d while the stored checkpoint keeps the size at %d under %d", d.Job.To(), d.Candidates[0].Size, d.Levels.Prepare)
	}
	w.stored = []chat.Checkpoint{w.checkpoint(4, summaryText)}
	d := w.decide()
	if d.Job == nil || d.Job.Base == nil || d.Job.Base.To != 4 {
		t.Fatalf("job %+v, want one on the checkpoint at 4", d.Job)
	}
	if got := len(d.Job.Covered); got != d.Job.To() {
		t.Errorf("%d covered messages for a job to %d", got, d.Job.To())
	}
}

// L11, N2: the count triggers, with minTurns.
func TestL11N2CountTriggers(t *testing.T) {
	f := func(name string, trigger summarizer.Trigger, stored int, want bool) {
		t.Helper()
		w := newWorld(t, turns(10, 1000), 30000)
		w.options.Trigger = trigger
		if stored > 0 {
			w.stored = []chat.Checkpoint{w.checkpoint(stored, summaryText)}
		}
		if d := w.decide(); (d.Job != nil) != want {
			t.Errorf("%s: job %v, want %v", name, d.Job != nil, want)
		}
	}
	refine := func(n float64) summarizer.Trigger { return summarizer.Trigger{Type: "messages_to_refine", Value: n} }
	// 21 messages, of which the newest two turns (3 messages) are the tail: 18 are older.
	f("as many as there are", refine(18), 0, true)
	f("one more than there are", refine(19), 0, false)
	f("covered ones do not count", refine(10), 10, false)
	f("the rest does", refine(8), 10, true)
	tokens := func(v float64, minTurns int) summarizer.Trigger {
		return summarizer.Trigger{Type: "token_count", Value: v, MinTurns: minTurns}
	}
	f("over the count", tokens(200, 5), 0, true)
	f("under the count", tokens(1_000_000, 0), 0, false)
	f("ten finished turns", tokens(200, 10), 0, true)
	f("not eleven", tokens(200, 11), 0, false)
	f("finished turns that are covered do not count", tokens(200, 6), 10, false)
	f("those of the tail do", tokens(200, 5), 10, true)
}

// L9: the trigger looks at the size before anything is dropped; 0.8 fires at 0.8 of the window.
func TestL9FiresWhereItSays(t *testing.T) {
	w := newWorld(t, turns(20, 1000), 100000)
	total := w.decide().Before
	w.stored = []chat.Checkpoint{w.checkpoint(20, summaryText)}
	w.options.Trigger = summarizer.Trigger{Type: "token_ratio", Value: 0.8}
	w.window.Size = total*10/8 + 10
	if d := w.decide(); d.Used != nil {
		t.Errorf("swapped at %d of %d", total, w.window.Size)
	}
	w.window.Size = total * 10 / 8
	if d := w.decide(); d.Used == nil {
		t.Errorf("not swapped at %d of %d", total, w.window.Size)
	}
}

// L1: switched off, nothing is swapped and nothing is due; pruning goes on (L14).
func TestL1L14Disabled(t *testing.T) {
	w := newWorld(t, rounds(30, 60000), 100000)
	w.options.Enabled = false
	w.options.ContextPruning.Enabled = true
	w.options.ContextPruning.Strategy = "budget"
	d := w.decide()
	if d.Used != nil || d.Job != nil {
		t.Error("a checkpoint or a job while summaries are off")
	}
	if len(d.Plan.Trims) == 0 || d.After >= d.Before {
		t.Errorf("nothing pruned: %d → %d", d.Before, d.After)
	}
}
