package compaction_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"recap/compaction"
	"recap/internal/chattest"
	"recap/summarizer"
)

// within is how many requests after a swap none should be needed.
const within = 3

// calmed is what replays saw.
type calmed struct{ requests, swaps, soon int }

// calm replays a chat and complains about every swap that comes within three requests of another, unless the messages
// since, and those by which the chat was over the swap level then, fill the gap between the levels, or nothing more could
// have left. A swap that goes along with a new batch of prunings is not needed, so it may come soon. It also complains
// about a swap that was due and possible while only a batch of prunings was sent.
func (c *calmed) calm(t *testing.T, name string, r *replay) {
	t.Helper()
	var before *compaction.Decision
	swapAt, swapSize, allGone := -1, 0, false
	for n, at := range r.points() {
		d := r.request(at)
		c.requests++
		if d.After >= d.Levels.Swap && len(d.Candidates) > 0 && d.Candidates[len(d.Candidates)-1].Cut.Covers > covers(&d) {
			t.Errorf("%s: request %d: %d tokens, the swap level is %d, and a deeper checkpoint is not used", name, n, d.After, d.Levels.Swap)
		}
		if before != nil && covers(&d) != covers(before) {
			c.swaps++
			if swapAt >= 0 && n-swapAt <= within && !(d.Stepped && stays(&d) < d.Levels.Swap) {
				c.soon++
				if grown := d.Before - swapSize; grown < d.Levels.Swap-d.Levels.Prepare && !allGone {
					t.Errorf("%s: request %d: swap from %d to %d, %d requests after the last, for %d new tokens; size before %d, levels %+v",
						name, n, covers(before), covers(&d), n-swapAt, grown, before.After, d.Levels)
				}
			}
			swapAt, swapSize = n, d.Before-(sizeWith(&d, covers(before))-d.Levels.Swap)
			cuts := r.outline.Cuts()
			allGone = covers(&d) == cuts[len(cuts)-1].Covers
		}
		r.answered(&d)
		before = &d
	}
}

// sizeWith is what would be sent with the checkpoint that covers so many messages, 0 for none.
func sizeWith(d *compaction.Decision, covers int) int {
	for i := range d.Candidates {
		if d.Candidates[i].Cut.Covers == covers {
			return d.Candidates[i].Size
		}
	}
	return d.Pruned
}

// stays is what would be sent with the checkpoint in use so far.
func stays(d *compaction.Decision) int {
	for i := len(d.Candidates) - 1; i >= 0; i-- {
		if d.Candidates[i].Sent {
			return d.Candidates[i].Size
		}
	}
	return d.Pruned
}

// One epoch per pass: where a batch of prunings shows for the first time and the chat is at the prepare level, the next
// checkpoint is taken in the same request; without a new batch it waits for the swap level. A batch that shows is one
// that shortens what the request before had sent longer.
func TestCalmOneEpoch(t *testing.T) {
	along, waited := 0, 0
	for late := range 3 {
		for _, kind := range []string{"W3", "W4"} {
			r := newReplay(t, growing(rand.New(rand.NewPCG(uint64(late), 7)), kind, 120000), 16384, late)
			pruned(&r.options, true)
			var before *compaction.Decision
			was, urgent := 0, false
			for n, at := range r.points() {
				d := r.request(at)
				size, deeper := stays(&d), len(d.Candidates) > 0 && !d.Candidates[len(d.Candidates)-1].Sent
				took := d.Used != nil && !d.Used.Sent
				switch want := d.Stepped && size >= d.Levels.Prepare; {
				case !deeper || size >= d.Levels.Swap:
				case took != want:
					t.Errorf("%s, request %d: %d tokens, levels %+v, a new batch %v: another checkpoint taken %v", kind, n, size, d.Levels, d.Stepped, took)
				case took:
					along++
				case size >= d.Levels.Prepare:
					waited++
				}
				if before != nil && !urgent && !r.urgent && covers(&d) == covers(before) && d.Stepped != shortened(before, &d, was) {
					t.Errorf("%s, request %d: a new batch %v, but what was sent before is shortened %v", kind, n, d.Stepped, !d.Stepped)
				}
				r.answered(&d)
				before, was, urgent = &d, at, r.urgent
			}
		}
	}
	if along < 5 || waited < 5 {
		t.Errorf("%d taken along with a batch, %d waited: too few to tell", along, waited)
	}
}

// shortened reports whether a plan shortens a result among the first n messages that the plan before did not.
func shortened(before, now *compaction.Decision, n int) bool {
	old := map[[2]int]bool{}
	for _, t := range before.Plan.Trims {
		old[[2]int{t.Message, t.Result}] = true
	}
	for _, t := range now.Plan.Trims {
		if t.Message < n && !old[[2]int{t.Message, t.Result}] {
			return true
		}
	}
	return false
}

// After a swap none is needed within three requests, on chats like W1, W3 and W4, with windows of 4k to 128k and summaries
// that land 0 to 8 requests late.
func TestCalmAfterASwap(t *testing.T) {
	sum := &calmed{}
	late := 0
	for i, window := range []int{4096, 16384, 32768, 131072} {
		for k, kind := range []string{"W1", "W3", "W4"} {
			for range []int{9, 3, 2, 1}[i] {
				late = (late + 1) % 9
				body := growing(rand.New(rand.NewPCG(uint64(late), uint64(i*10+k))), kind, []int{4, 4, 3, 2}[i]*window)
				r := newReplay(t, body, window, late)
				pruned(&r.options, (late+i+k)%2 == 0)
				sum.calm(t, fmt.Sprintf("%s, window %d, %d late", kind, window, late), r)
			}
		}
	}
	t.Logf("%+v", *sum)
	if sum.swaps < 50 {
		t.Errorf("only %d swaps", sum.swaps)
	}
}

// The same on a real run (W10).
func TestCalmOnARealRun(t *testing.T) {
	sum := &calmed{}
	body := realRun(t, "helm-array-merge-strategies")
	for i, window := range []int{16384, 32768, 131072} {
		r := newReplay(t, body, window, 4*i)
		pruned(&r.options, i > 0)
		sum.calm(t, fmt.Sprintf("window %d", window), r)
	}
	t.Logf("%+v", *sum)
}

func pruned(o *summarizer.Options, on bool) {
	o.ContextPruning.Enabled, o.ContextPruning.Strategy = on, "budget"
}

// realRun reads a run beside the project, behind a system prompt; without it the test is skipped.
func realRun(t *testing.T, name string) string {
	t.Helper()
	f, err := os.Open(filepath.Join("../../shared/traces", name+".json.gz"))
	if err != nil {
		t.Skip("no ../shared/traces")
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var run struct{ Messages []chattest.Message }
	if err := json.NewDecoder(z).Decode(&run); err != nil {
		t.Fatal(err)
	}
	return chattest.Body(append([]chattest.Message{{"role": "system", "content": "You write code."}}, run.Messages...))
}

// However many turns are to be kept: what stands right after a swap is under the prepare level, though the chat grew
// between the job and the swap.
func TestCalmWhatStandsAfterASwap(t *testing.T) {
	for _, keep := range []int{1, 4, 20, 100} {
		r := newReplay(t, chattest.OpenAIBody(turns(150, 800)), 16384, 0)
		r.options.RetainRecent.Turns = keep
		swaps, before := 0, 0
		for _, at := range r.points() {
			d := r.request(at)
			if now := covers(&d); now != before {
				swaps++
				if d.After >= d.Levels.Prepare {
					t.Errorf("keeping %d turns: %d tokens right after a swap to %d, the prepare level is %d", keep, d.After, now, d.Levels.Prepare)
				}
				before = now
			}
			r.answered(&d)
		}
		if swaps < 2 {
			t.Errorf("keeping %d turns: %d swaps", keep, swaps)
		}
	}
}
