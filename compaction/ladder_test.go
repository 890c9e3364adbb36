package compaction_test

import (
	"strings"
	"testing"

	"recap/chat"
	"recap/internal/fakellm"
)

// Over the budget with nothing stored: a provisional checkpoint stands in, is handed out to be stored, and the real
// one is due at the same cut.
func TestP9ProvisionalCheckpoint(t *testing.T) {
	w := newWorld(t, turns(40, 400), 4096)
	d := w.decide()
	if d.Status != chat.Provisional || d.Provisional == nil {
		t.Fatalf("status %s, want provisional (levels %+v, size %d)", d.Status, d.Levels, d.Before)
	}
	if d.After > d.Levels.Budget {
		t.Errorf("after %d, over the budget %d", d.After, d.Levels.Budget)
	}
	if d.Job == nil || d.Job.Key() != d.Provisional.Key {
		t.Error("the real checkpoint is not due at the same cut")
	}
	sent := w.sent(&d)
	if err := fakellm.Check("openai", []byte(sent)); err != nil {
		t.Errorf("refused: %v", err)
	}
	if !strings.Contains(sent, "message 1 (U)") {
		t.Error("the first user request is not in the provisional checkpoint")
	}

	// P7: the next request uses the stored one, and the job for the real one stays due until it lands.
	cp := *d.Provisional
	cp.Windows = []int{w.window.Size}
	w.stored = []chat.Checkpoint{cp}
	again := w.decide()
	if again.Provisional != nil || covers(&again) != cp.To || w.sent(&again) != sent {
		t.Error("the stored provisional checkpoint gives another request")
	}
	if again.Job == nil || again.Job.Key() != cp.Key {
		t.Error("the real checkpoint is no longer due")
	}

	// The real one lands at the same key.
	cp.Provisional, cp.Text = false, summaryText
	w.stored = []chat.Checkpoint{cp}
	landed := w.decide()
	if landed.Status != chat.Compacted || covers(&landed) != cp.To {
		t.Errorf("status %s, covers %d; want the real one at %d", landed.Status, covers(&landed), cp.To)
	}
}

// A provisional checkpoint is never made on a guessed window, for a side request, or against `overflow`.
func TestLadderStops(t *testing.T) {
	f := func(name string, change func(w *world), reject bool) {
		t.Helper()
		w := newWorld(t, turns(40, 400), 4096)
		change(w)
		d := w.decide()
		if d.Status != chat.OverWindow || !d.Plan.Empty() || d.Reject != reject {
			t.Errorf("%s: status %s, reject %v, %d dropped; want over-window as it is", name, d.Status, d.Reject, len(d.Plan.Drop))
		}
	}
	f("guessed", func(w *world) { w.window.Guessed = true }, false)
	f("side request", func(w *world) { w.side = true }, false)
	f("pass", func(w *world) { w.options.Overflow = "pass" }, false)
	f("reject", func(w *world) { w.options.Overflow = "reject" }, true)
	f("off", func(w *world) { w.options.Enabled = false }, false)
}

// The ladder's first step prunes beyond the batch gate, where pruning is on.
func TestLadderPrunesBeyondTheGate(t *testing.T) {
	w := newWorld(t, "S,U,A(c1),T(c1:6000),A,U,A(c2),T(c2:6000),A,U,A(c3),T(c3:6000),A,U,A,U", 5000)
	w.options.Overflow = "pass"
	p := &w.options.ContextPruning
	p.Enabled, p.Strategy, p.MinPrunableToolChars, p.KeepLastAssistants = true, "ratio", 1000, 0
	p.ClearAtLeast = 1_000_000
	d := w.decide()
	if len(d.Plan.Trims) == 0 || d.After >= d.Before {
		t.Errorf("nothing was pruned beyond the gate: %d → %d, budget %d", d.Before, d.After, d.Levels.Budget)
	}
	w.window.Size = 50000
	if d := w.decide(); len(d.Plan.Trims) != 0 {
		t.Error("pruned beyond the gate while everything fits")
	}
}

// On top of a real checkpoint the provisional one is a row of its own: what a model wrote is not thrown away.
func TestProvisionalOnTopOfReal(t *testing.T) {
	w := newWorld(t, turns(60, 400), 4096)
	w.stored = []chat.Checkpoint{w.checkpoint(20, "Written by a model.", 4096)}
	d := w.decide()
	if d.Status != chat.Provisional || len(d.Used.Rows) != 2 || d.Provisional.RowFrom != 21 {
		t.Fatalf("status %s, want a provisional row from 21 on (size %d, budget %d)", d.Status, d.Before, d.Levels.Budget)
	}
	if !strings.Contains(d.Used.Note, "Written by a model.") {
		t.Error("the real row is not in the note")
	}
	if d.Job == nil || d.Job.Base == nil || d.Job.Base.To != 20 {
		t.Error("the job does not build on the real row")
	}
}

// Whatever trims save too little to be sent (P8): a chat is called over-window only where nothing that matches fits.
func TestOverWindowOnlyWhereNothingFits(t *testing.T) {
	notation := "S,U,A(c1),T(c1:600),A,U,A(c2),T(c2:700),A:800,U,A:900,U,A(c3),T(c3:900),A:700,U,A:400,U"
	for window := 700; window < 3000; window += 7 {
		w := newWorld(t, notation, window)
		w.options.Overflow = "reject"
		p := &w.options.ContextPruning
		p.Enabled, p.Cadence, p.MinPrunableToolChars, p.KeepLastAssistants = true, "everyRequest", 500, 1
		p.SoftTrim.MaxChars, p.SoftTrim.HeadChars, p.SoftTrim.TailChars = 500, 200, 200
		w.stored = []chat.Checkpoint{w.checkpoint(8, summaryText), w.checkpoint(12, summaryText)}
		d := w.decide()
		if d.Status != chat.OverWindow {
			if d.After > d.Levels.Budget {
				t.Errorf("window %d: %s with %d tokens, budget %d", window, d.Status, d.After, d.Levels.Budget)
			}
			continue
		}
		for _, c := range d.Candidates {
			if c.Size <= d.Levels.Budget {
				t.Errorf("window %d: over-window while the checkpoint at %d fits: %d of %d", window, c.Cut.Covers, c.Size, d.Levels.Budget)
			}
		}
	}
}
