package summarizer_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"recap/summarizer"
)

// A17: what was too long for one window rests chats of that window; a server that does not answer rests all.
func TestA17SizesRestOneWindow(t *testing.T) {
	f := func(status int, text string, otherRests bool) {
		t.Helper()
		s := &stub{answer: func(string) (int, string) { return status, text }}
		bubble(t, s, func(t *testing.T, r *rig) {
			b := talk(20)
			large := func(j *summarizer.Job) { j.Window = 65536 }
			r.queue.Submit(stubJob(b, 8, func(j *summarizer.Job) { j.Replaces = 300 }))
			r.queue.Wait(context.Background(), b.keys(), testWindow)
			synctest.Wait()
			if got := r.queue.Submit(stubJob(b, 10)); got != summarizer.Cooling || r.queue.State(b.keys(), testWindow) != summarizer.Cooling {
				t.Errorf("the same window: %s", got)
			}
			if got := r.queue.State(b.keys(), 65536); (got == summarizer.Cooling) != otherRests {
				t.Errorf("state for another window: %s", got)
			}
			s.answer = nil
			if got := r.queue.Submit(stubJob(b, 10, large)); (got == summarizer.Cooling) != otherRests {
				t.Errorf("another window: %s", got)
			}
			if otherRests {
				return
			}
			if got := r.queue.Wait(context.Background(), b.keys(), 65536); got != summarizer.Ready {
				t.Errorf("another window: %s", got)
			}
			if got := r.queue.Submit(stubJob(b, 12)); got != summarizer.Cooling {
				t.Errorf("another window's success ended the rest: %s", got)
			}
		})
	}
	f(200, strings.Repeat("not any shorter than what it stands for ", 60), false)
	f(500, "x", true)
}

// A forced request is the user's wish: it is tried although the chat rests, but never beside an equal one.
func TestForceGoesThroughTheRest(t *testing.T) {
	s := &stub{delay: 1e9, answer: func(string) (int, string) { return 500, "x" }}
	bubble(t, s, func(t *testing.T, r *rig) {
		b := talk(20)
		forced := func(j *summarizer.Job) { j.Forced = true }
		for range 4 {
			r.queue.Submit(stubJob(b, 8, forced))
			r.queue.Wait(context.Background(), b.keys(), testWindow)
			synctest.Wait()
		}
		if _, last := r.kinds(); s.calls() != 4 || !last.Open {
			t.Errorf("%d calls, want 4; %+v", s.calls(), last)
		}
		if got := r.queue.Submit(stubJob(b, 8)); got != summarizer.Cooling {
			t.Errorf("without force: %s", got)
		}
		s.answer = nil
		r.queue.Submit(stubJob(b, 8, forced))
		if got := r.queue.Submit(stubJob(b, 8, forced)); got != summarizer.Running {
			t.Errorf("an equal one beside it: %s", got)
		}
		if got := r.queue.Wait(context.Background(), b.keys(), testWindow); got != summarizer.Ready || s.calls() != 5 {
			t.Errorf("%s after %d calls", got, s.calls())
		}
	})
}

// A job tells from the start which messages it will read.
func TestQueuedNoticeNamesTheRange(t *testing.T) {
	s := &stub{}
	bubble(t, s, func(t *testing.T, r *rig) {
		b := talk(20)
		first := r.run(stubJob(b, 8))
		synctest.Wait() // the end of a job is told after Wait has returned
		r.run(stubJob(b, 12, func(j *summarizer.Job) { j.Base = &first }))
		synctest.Wait()
		want := [][2]int{{1, 8}, {1, 8}, {1, 8}, {9, 12}, {9, 12}, {9, 12}}
		if len(r.notices) != len(want) {
			t.Fatalf("%d notices", len(r.notices))
		}
		for i, n := range r.notices {
			if got := [2]int{n.From, n.To}; got != want[i] {
				t.Errorf("%s: %v, want %v", n.Kind, got, want[i])
			}
		}
	})
}
