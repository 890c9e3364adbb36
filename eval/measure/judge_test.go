package measure

import (
	"testing"

	"recap/cache"
	"recap/chat"
	"recap/compaction"
	"recap/eval/workload"
)

// m6: kept, corrupted, contradicted.
func TestFacts(t *testing.T) {
	fact := workload.Fact{Text: "/srv/queue/worker.go", Message: 1}
	old := workload.Fact{Text: "LIMIT=10", Until: 5, By: "LIMIT=20"}
	f := func(name string, fact workload.Fact, upTo int, text string, want Figures) {
		t.Helper()
		r := &replay{}
		r.fact(&fact, &workload.Step{UpTo: upTo}, text)
		if r.f.Facts != want.Facts || r.f.Kept != want.Kept || r.f.Corrupted != want.Corrupted || r.f.Contradicted != want.Contradicted {
			t.Errorf("%s: %+v, want %+v", name, r.f, want)
		}
	}
	f("kept", fact, 9, "see /srv/queue/worker.go there", Figures{Facts: 1, Kept: 1})
	f("gone", fact, 9, "see there", Figures{Facts: 1})
	f("corrupted", fact, 9, "see /srv/queue/worker there", Figures{Facts: 1, Corrupted: 1})
	f("still holds", old, 5, "LIMIT=10", Figures{Facts: 1, Kept: 1})
	f("replaced, with what replaced it", old, 9, "LIMIT=10, LIMIT=20", Figures{})
	f("replaced, alone", old, 9, "LIMIT=10", Figures{Contradicted: 1})
	f("replaced, gone", old, 9, "nothing", Figures{})
}

// m10: the rule of design.md §2, spelled out a second time.
func TestRuled(t *testing.T) {
	f := func(name string, pruned int, want byte, candidates ...compaction.Candidate) {
		t.Helper()
		for i := range candidates {
			candidates[i].Checkpoint = &chat.Checkpoint{Key: chat.Key{byte(i + 1)}}
		}
		d := &compaction.Decision{Pruned: pruned, Candidates: candidates, Levels: compaction.Levels{Swap: 100, Prepare: 75}}
		if got := ruled(d); got != (chat.Key{want}) {
			t.Errorf("%s: %v, want %d", name, got, want)
		}
	}
	sized := func(size int, sent bool) compaction.Candidate { return compaction.Candidate{Size: size, Sent: sent} }
	f("none there", 200, 0)
	f("none needed", 99, 0, sized(50, false))
	f("the sent one stays", 300, 1, sized(99, true), sized(50, false))
	f("the least that lands under prepare", 300, 2, sized(80, false), sized(74, false), sized(40, false))
	f("a deeper one than the sent one", 300, 2, sized(100, true), sized(74, false))
	f("else the deepest", 300, 2, sized(120, false), sized(90, false))
}

// m9: a checkpoint under the key of one chat that covers another is seen.
func TestWrongIsSeen(t *testing.T) {
	run, other := workload.Chat(1, 20), workload.Chat(2, 20)
	store := cache.NewMemory(cache.Options{})
	defer store.Close()
	setup := Setup{Arm: Untouched, Window: 4096, Checkpoints: true}
	r := &replay{Planner: NewPlanner("openai", &setup, store, Constant), setup: setup, run: &run, oracle: newOracle()}
	defer r.Close()
	step := &run.Steps[len(run.Steps)-1]
	sent, err := r.Decide(step.Body("openai", 0))
	if err != nil {
		t.Fatal(err)
	}
	row := &chat.Checkpoint{Key: chat.Key{1}, To: 4}
	sent.Decision.Used = &compaction.Candidate{Checkpoint: row, Rows: []*chat.Checkpoint{row}, Cut: chat.Cut{Covers: 4}}
	now := &state{step: step, sent: sent}
	r.oracle.name(&state{step: &other.Steps[len(other.Steps)-1]}, row.Key, 4)
	if r.oracle.look(r, now); r.f.Wrong != 1 {
		t.Errorf("%d wrong checkpoints, want 1", r.f.Wrong)
	}
	r.oracle.named[row.Key] = made{step, step.Prefix(4), 4}
	if r.oracle.look(r, now); r.f.Wrong != 1 {
		t.Errorf("%d wrong checkpoints after the right one, want 1 still", r.f.Wrong)
	}
}

// m2, m3: nothing done keeps everything; what is pruned early breaks the prefix once for each time.
func TestBreaksAndPrefill(t *testing.T) {
	run := workload.Loop(5, 40)
	plain, err := Replay(&run, Setup{Arm: Untouched, Window: 131072})
	if err != nil || plain.Breaks != 0 || plain.Prefill() != 1 || plain.Prefix() != 1 {
		t.Errorf("untouched: %v, %d breaks, prefill %v, prefix %v", err, plain.Breaks, plain.Prefill(), plain.Prefix())
	}
	pruned, err := Replay(&run, Setup{Arm: Budget, Window: 32768})
	if err != nil || pruned.Breaks == 0 || pruned.Breaks != pruned.Prunes || pruned.Tokens() >= 1 || pruned.Prefix() >= 1 {
		t.Errorf("budget: %v, %+v", err, pruned)
	}
}
