package summarizer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"recap/cache"
	"recap/chat"
	"recap/summarizer"
)

// stub answers summary calls in memory, so that time may be faked.
type stub struct {
	mu      sync.Mutex
	delay   time.Duration
	answer  func(prompt string) (int, string)
	header  http.Header
	prompts []string
	now     int // calls at work
	most    int
}

func (s *stub) RoundTrip(req *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(req.Body)
	s.mu.Lock()
	s.prompts = append(s.prompts, string(body))
	s.now++
	s.most = max(s.most, s.now)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.now--
		s.mu.Unlock()
	}()
	select {
	case <-time.After(s.delay):
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
	status, text := 200, goodSummary
	if s.answer != nil {
		status, text = s.answer(string(body))
	}
	out := `{"choices":[{"message":{"role":"assistant","content":` + quote(text) + `},"finish_reason":"stop"}]}`
	return &http.Response{
		StatusCode: status, Header: s.header.Clone(), Body: io.NopCloser(bytes.NewReader([]byte(out))), Request: req,
	}, nil
}

func (s *stub) calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.prompts)
}

// bubble runs a test with a queue on faked time.
func bubble(t *testing.T, s *stub, test func(t *testing.T, r *rig), edit ...func(*summarizer.Deps)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{t: t, store: cache.NewMemory(cache.Options{})}
		client := &http.Client{Transport: s}
		r.deps = summarizer.Deps{Store: r.store, Observe: r.note, Client: func(string) *http.Client { return client }}
		for _, e := range edit {
			e(&r.deps)
		}
		r.queue = summarizer.NewQueue(r.deps)
		test(t, r)
		if err := r.queue.Close(context.Background()); err != nil {
			t.Error(err)
		}
		_ = r.store.Close()
	})
}

func stubJob(b *builder, n int, edit ...func(*summarizer.Job)) *summarizer.Job {
	j := newJob(b, n)
	j.Target.URL = "http://stub/v1/chat/completions"
	for _, e := range edit {
		e(j)
	}
	return j
}

// branch is a conversation of its own.
func branch(name string, turns int) *builder {
	b := (&builder{}).user("This is conversation " + name).assistant("Hello.")
	more := talk(turns)
	b.list = append(b.list, more.list...)
	return b
}

// E9, m12: a chat that grows while its summary is being written has one summary at work at a time, and equal jobs
// are one; fifty other chats keep to the limit of the upstream.
func TestE9OneSummaryPerConversation(t *testing.T) {
	s := &stub{delay: 5 * time.Second}
	bubble(t, s, func(t *testing.T, r *rig) {
		b := talk(40)
		for i := range 20 {
			n := 4 + 2*(i/2)
			if state := r.queue.Submit(stubJob(b, n)); state != summarizer.Queued && state != summarizer.Running {
				t.Errorf("job %d: %s", i, state)
			}
			time.Sleep(250 * time.Millisecond)
		}
		ctx := context.Background()
		if state := r.queue.Wait(ctx, b.keys(), testWindow); state != summarizer.Ready {
			t.Errorf("state %s", state)
		}
		synctest.Wait()
		// What came meanwhile was made without the new checkpoint: whether more is needed, the next request tells.
		if s.calls() != 1 || s.most != 1 {
			t.Errorf("%d calls, %d at once", s.calls(), s.most)
		}
		time.Sleep(time.Second)
		r.queue.Submit(stubJob(b, 22))
		if state := r.queue.Wait(ctx, b.keys(), testWindow); state != summarizer.Ready || s.calls() != 2 {
			t.Errorf("submitted again: state %s, %d calls", state, s.calls())
		}
		cp, err := r.store.Get(ctx, b.keys()[21])
		if err != nil || cp.From != 5 {
			t.Errorf("the second job did not build on the first: %+v, %v", cp, err)
		}
		for i := range 50 {
			r.queue.Submit(stubJob(branch(fmt.Sprint(i), 4), 8))
		}
		time.Sleep(time.Hour)
		if s.calls() != 52 || s.most != 1 {
			t.Errorf("%d calls, %d at once", s.calls(), s.most)
		}
	})
}

// G8: a thousand equal requests at once lead to one call.
func TestG8EqualJobsAreJoined(t *testing.T) {
	s := &stub{delay: time.Second}
	bubble(t, s, func(t *testing.T, r *rig) {
		b := talk(6)
		var odd atomic.Int64
		var group sync.WaitGroup
		for range 1000 {
			group.Go(func() {
				if state := r.queue.Submit(stubJob(b, 8)); state != summarizer.Queued && state != summarizer.Running {
					odd.Add(1)
				}
			})
		}
		group.Wait()
		r.queue.Wait(context.Background(), b.keys(), testWindow)
		if s.calls() != 1 || odd.Load() != 0 {
			t.Errorf("%d calls, %d odd states", s.calls(), odd.Load())
		}
		synctest.Wait() // what became of it has been told
		// Once it is there, the same job costs no call.
		r.queue.Submit(stubJob(b, 8))
		r.queue.Wait(context.Background(), b.keys(), testWindow)
		synctest.Wait()
		if kinds, _ := r.kinds(); s.calls() != 1 || !strings.HasSuffix(kinds, "ready queued dropped") {
			t.Errorf("%d calls, notices %s", s.calls(), kinds)
		}
	})
}

// Branches are independent; jobs on one line are not, whichever comes first.
func TestLinesAndBranches(t *testing.T) {
	s := &stub{delay: time.Second}
	bubble(t, s, func(t *testing.T, r *rig) {
		one, two := branch("one", 10), branch("two", 10)
		r.queue.Submit(stubJob(one, 12))
		r.queue.Submit(stubJob(two, 12))
		synctest.Wait()
		if s.calls() != 2 {
			t.Errorf("branches wait for each other: %d calls", s.calls())
		}
		r.queue.Submit(stubJob(one, 6)) // shallower, while the deeper one is at work
		synctest.Wait()
		if got := r.queue.State(one.keys()[:6], testWindow); s.calls() != 2 || got != summarizer.Queued {
			t.Errorf("a prefix is at work beside its line: %d calls, %s", s.calls(), got)
		}
		if got := r.queue.State(one.keys()[:4], testWindow); got != summarizer.None {
			t.Errorf("a shorter chat knows of a job that is not its own: %s", got)
		}
		if got := r.queue.State(one.keys(), testWindow); got != summarizer.Running {
			t.Errorf("state %s", got)
		}
		r.queue.Wait(context.Background(), one.keys()[:6], testWindow)
		if _, err := r.store.Get(context.Background(), one.keys()[5]); err != nil {
			t.Errorf("the shallower one: %v", err)
		}
	}, func(d *summarizer.Deps) { d.Workers = 4 })
}

// A18, A17: failures rest 30 seconds, doubling to a quarter of an hour; the third in a row opens the breaker; success
// forgets them. Other chats are not touched.
func TestA18FailuresBackOff(t *testing.T) {
	s := &stub{answer: func(string) (int, string) { return 500, "x" }}
	bubble(t, s, func(t *testing.T, r *rig) {
		b := talk(40)
		rests := []time.Duration{30, 60, 120, 240, 480, 900, 900}
		for i, rest := range rests {
			n := 4 + 2*i
			r.queue.Submit(stubJob(b, n))
			r.queue.Wait(context.Background(), b.keys(), testWindow)
			synctest.Wait()
			_, last := r.kinds()
			if last.Failures != i+1 || last.Open != (i >= 2) || last.Reason != "http-500" || last.Rest != rest*time.Second {
				t.Errorf("failure %d: %+v", i+1, last)
			}
			time.Sleep(rest*time.Second - time.Second)
			if got := r.queue.Submit(stubJob(b, n+2)); got != summarizer.Cooling || r.queue.State(b.keys(), testWindow) != summarizer.Cooling {
				t.Errorf("failure %d: a second before its rest ends: %s", i+1, got)
			}
			time.Sleep(time.Second)
			if got := r.queue.State(b.keys(), testWindow); got != summarizer.Failed {
				t.Errorf("failure %d: rested: %s", i+1, got)
			}
		}
		if got := r.queue.Submit(stubJob(branch("other", 4), 6)); got == summarizer.Cooling {
			t.Error("another chat rests too")
		}
		if s.calls() != len(rests)+1 && s.calls() != len(rests) {
			t.Errorf("%d calls", s.calls())
		}
		synctest.Wait()
		s.answer = nil
		r.queue.Submit(stubJob(b, 30))
		if got := r.queue.Wait(context.Background(), b.keys(), testWindow); got != summarizer.Ready {
			t.Errorf("after all: %s", got)
		}
		s.answer = func(string) (int, string) { return 500, "x" }
		r.queue.Submit(stubJob(b, 40))
		r.queue.Wait(context.Background(), b.keys(), testWindow)
		synctest.Wait()
		if _, last := r.kinds(); last.Failures != 1 {
			t.Errorf("success did not forget: %+v", last)
		}
	})
}

// A server that names a time to come back is not asked earlier.
func TestRetryAfterIsObeyed(t *testing.T) {
	s := &stub{header: http.Header{"Retry-After": {"200"}}, answer: func(string) (int, string) { return 429, "x" }}
	bubble(t, s, func(t *testing.T, r *rig) {
		b := talk(8)
		r.queue.Submit(stubJob(b, 4))
		r.queue.Wait(context.Background(), b.keys(), testWindow)
		time.Sleep(199 * time.Second)
		if got := r.queue.Submit(stubJob(b, 6)); got != summarizer.Cooling {
			t.Errorf("after 199 s: %s", got)
		}
		time.Sleep(2 * time.Second)
		if got := r.queue.Submit(stubJob(b, 6)); got == summarizer.Cooling {
			t.Error("still resting after 201 s")
		}
	})
}

// A17: summaries that gain nothing stop after three, until the chat has grown.
func TestA17NoGainStopsUntilTheChatHasGrown(t *testing.T) {
	s := &stub{answer: func(string) (int, string) { return 200, headed(strings.Repeat("not any shorter ", 60)) }}
	bubble(t, s, func(t *testing.T, r *rig) {
		b := talk(60)
		small := func(j *summarizer.Job) { j.Replaces = 100 }
		for range 50 {
			r.queue.Submit(stubJob(b, 12, small))
			r.queue.Wait(context.Background(), b.keys(), testWindow)
			time.Sleep(20 * time.Minute)
		}
		if s.calls() != 3 {
			t.Errorf("%d calls, want 3", s.calls())
		}
		if kinds, last := r.kinds(); !strings.HasSuffix(kinds, "failed") || last.Reason != "no-gain" || !last.Open {
			t.Errorf("last notice %+v", last)
		}
		r.queue.Submit(stubJob(b, 12+8, small))
		r.queue.Wait(context.Background(), b.keys(), testWindow)
		if s.calls() != 4 {
			t.Errorf("%d calls once the chat has grown, want 4", s.calls())
		}
	})
}

// m12, G7: a summariser that hangs for ever holds one worker for ten minutes, and nobody else.
func TestHangingSummariserTimesOut(t *testing.T) {
	s := &stub{delay: 1000 * time.Hour}
	bubble(t, s, func(t *testing.T, r *rig) {
		b := talk(6)
		before := time.Now()
		r.queue.Submit(stubJob(b, 4))
		if time.Since(before) != 0 {
			t.Error("Submit took time")
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if got := r.queue.Wait(ctx, b.keys(), testWindow); got != summarizer.Running || time.Since(before) != 20*time.Second {
			t.Errorf("waited %v, state %s", time.Since(before), got)
		}
		r.queue.Wait(context.Background(), b.keys(), testWindow)
		synctest.Wait()
		if _, last := r.kinds(); last.Reason != "timeout" || time.Since(before) != 10*time.Minute {
			t.Errorf("after %v: %+v", time.Since(before), last)
		}
	})
}

// The queue is bounded by number and by bytes, and says so.
func TestQueueIsBounded(t *testing.T) {
	f := func(edit func(*summarizer.Deps), fits int) {
		t.Helper()
		bubble(t, &stub{delay: time.Minute}, func(t *testing.T, r *rig) {
			taken := 0
			for i := range 10 {
				if state := r.queue.Submit(stubJob(branch(fmt.Sprint(i), 4), 6)); state != summarizer.Due {
					taken++
				}
				synctest.Wait()
			}
			stats := r.queue.Stats()
			if taken != fits || stats.Refused != 10-fits || stats.Waiting+stats.Working != fits || stats.Bytes == 0 {
				t.Errorf("%d taken, want %d; %+v", taken, fits, stats)
			}
			time.Sleep(time.Hour)
			if stats := r.queue.Stats(); stats.Bytes != 0 || stats.Waiting != 0 || stats.Working != 0 {
				t.Errorf("at the end: %+v", stats)
			}
		}, edit)
	}
	f(func(d *summarizer.Deps) { d.MaxJobs = 3 }, 4)
	size := newJob(branch("0", 4), 6).Covered[5]
	f(func(d *summarizer.Deps) { d.MaxBytes = 2*(size.Start+len(size.Raw)+6*64) + 100 }, 2)
}

// P9: a job that panics, or a store that fails, is a failure like another.
func TestBrokenStoreIsAFailure(t *testing.T) {
	f := func(store cache.Store, want string) {
		t.Helper()
		bubble(t, &stub{}, func(t *testing.T, r *rig) {
			r.queue.Submit(stubJob(talk(4), 6))
			r.queue.Wait(context.Background(), talk(4).keys(), testWindow)
			synctest.Wait()
			if _, last := r.kinds(); last.Reason != want {
				t.Errorf("got %+v, want %s", last, want)
			}
		}, func(d *summarizer.Deps) { d.Store = store })
	}
	f(broken{}, "store")
	f(nil, "panic")
}

// broken is a store that cannot read.
type broken struct{ cache.Store }

func (broken) Find(context.Context, []chat.Key) ([]chat.Checkpoint, error) {
	return nil, errors.New("disk is gone")
}

// A job whose wish was filled while it waited is dropped without a call; one that would gain next to nothing is too.
func TestNeedIsCheckedAgain(t *testing.T) {
	s := &stub{delay: time.Second}
	bubble(t, s, func(t *testing.T, r *rig) {
		b := talk(10)
		b.user("Short.").assistant("Yes.")
		r.queue.Submit(stubJob(b, 20))
		r.queue.Submit(stubJob(b, 22)) // two short messages more
		r.queue.Wait(context.Background(), b.keys(), testWindow)
		synctest.Wait()
		kinds, last := r.kinds()
		if s.calls() != 1 || last.Reason != "not-needed" {
			t.Errorf("%d calls, notices %s, last %+v", s.calls(), kinds, last)
		}
		// With a trigger on counts the turns decide, however short they are.
		r.queue.Submit(stubJob(b, 22, func(j *summarizer.Job) {
			j.Options.Trigger = summarizer.Trigger{Type: "token_count", Value: 1}
		}))
		r.queue.Wait(context.Background(), b.keys(), testWindow)
		if s.calls() != 2 {
			t.Errorf("%d calls", s.calls())
		}
	})
}
