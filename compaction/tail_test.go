package compaction_test

import (
	"testing"

	"recap/chat"
	"recap/compaction"
	"recap/summarizer"
)

// jobCovers is what the next checkpoint would cover, 0 where no job is due.
func jobCovers(d *compaction.Decision) int {
	if d.Job == nil {
		return 0
	}
	return d.Job.To()
}

// L13: the newest turns stay, older ones only while there is room; the newest always.
func TestL13RetainRecent(t *testing.T) {
	f := func(name string, retain summarizer.RetainRecent, window, want int) {
		t.Helper()
		w := newWorld(t, turns(20, 1000), window)
		w.options.RetainRecent = retain
		d := w.decide()
		if got := jobCovers(&d); got != want {
			t.Errorf("%s: job covers %d, want %d (levels %+v, size %d)", name, got, want, d.Levels, d.Pruned)
		}
	}
	w := newWorld(t, turns(20, 1000), 100000)
	total := w.decide().Before
	window := total * 5 / 4
	f("two turns: the open one and the one before", summarizer.RetainRecent{Turns: 2}, window, 38)
	f("five turns", summarizer.RetainRecent{Turns: 5}, window, 32)
	f("the newest always", summarizer.RetainRecent{Turns: 0}, window, 40)
	f("older ones within the token limit only", summarizer.RetainRecent{Turns: 5, Tokens: 700}, window, 36)
	f("fewer where they would not stay under the target", summarizer.RetainRecent{Turns: 20}, window, 26)
}

// A4: a turn that is too long alone is cut between finished rounds; its opener stays and carries, the last round stays.
func TestA4InsideTheNewestTurn(t *testing.T) {
	w := newWorld(t, rounds(30, 2000), 12000)
	d := w.decide()
	if d.Job == nil {
		t.Fatalf("no job for a long agent turn: levels %+v, size %d", d.Levels, d.Pruned)
	}
	if d.Job.Kept != 0 || d.Job.To()%2 != 1 || d.Job.To() > 59 {
		t.Errorf("job covers %d, keeps position %d; want a cut between rounds that keeps the opener", d.Job.To(), d.Job.Kept)
	}
}

// A17: where fixed parts alone are over the level, a summary would gain nothing: no job is ever due.
func TestA17NothingToGain(t *testing.T) {
	w := newWorld(t, "S:60000,U,A,U,A,U,A,U,A,U", 8000)
	if d := w.decide(); d.Job != nil || d.Status != chat.OverWindow {
		t.Errorf("job %v, status %s; want none, over-window", d.Job != nil, d.Status)
	}
}

// A chat under minMessages, or of one turn without a finished round, is never summarised.
func TestTooShort(t *testing.T) {
	f := func(notation string) {
		t.Helper()
		w := newWorld(t, notation, 1000)
		if d := w.decide(); d.Job != nil || d.Used != nil {
			t.Errorf("%s: a job or a checkpoint, want none", notation)
		}
	}
	f("S,U:9000,A,U,A,U")
	f("S,U:90000")
	f("S,U,A(c1),T(c1:90000)")
}

// A15: a newest result that is larger than the window has one defined outcome: forwarded as it is, over-window, no job
// that could not help.
func TestA15NewestResultTooLarge(t *testing.T) {
	w := newWorld(t, "S,U,A(c1),T(c1:60000)", 4000)
	d := w.decide()
	if d.Status != chat.OverWindow || d.Job != nil || !d.Plan.Empty() {
		t.Errorf("status %s, job %v, plan %+v; want over-window alone", d.Status, d.Job != nil, d.Plan)
	}
}
