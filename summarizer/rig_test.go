package summarizer_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"recap/cache"
	"recap/chat"
	"recap/internal/fakellm"
	"recap/summarizer"
)

// rig is a queue in front of a fake upstream.
type rig struct {
	t     *testing.T
	llm   *fakellm.Server
	store *cache.Memory
	queue *summarizer.Queue
	deps  summarizer.Deps

	mu      sync.Mutex
	notices []summarizer.Notice
}

func newRig(t *testing.T, o fakellm.Options, edit ...func(*summarizer.Deps)) *rig {
	t.Helper()
	r := &rig{t: t, llm: fakellm.New(o), store: cache.NewMemory(cache.Options{})}
	r.deps = summarizer.Deps{Store: r.store, Observe: r.note}
	for _, e := range edit {
		e(&r.deps)
	}
	r.queue = summarizer.NewQueue(r.deps)
	t.Cleanup(func() {
		if err := r.queue.Close(context.Background()); err != nil {
			t.Errorf("close queue: %v", err)
		}
		r.llm.Close()
		_ = r.store.Close()
	})
	return r
}

func (r *rig) note(n summarizer.Notice) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notices = append(r.notices, n)
}

// kinds returns the kinds of all notices so far, and the last one.
func (r *rig) kinds() (string, summarizer.Notice) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var kinds []string
	for _, n := range r.notices {
		kinds = append(kinds, strings.TrimPrefix(n.Kind, "summary."))
	}
	if len(r.notices) == 0 {
		return "", summarizer.Notice{}
	}
	return strings.Join(kinds, " "), r.notices[len(r.notices)-1]
}

// ended waits for the notice of the end of the job under key: it is told after Wait has returned.
func (r *rig) ended(key chat.Key) summarizer.Notice {
	r.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		r.mu.Lock()
		for _, n := range r.notices {
			if n.Key == key && n.Took > 0 {
				r.mu.Unlock()
				return n
			}
		}
		r.mu.Unlock()
	}
	r.t.Fatal("no notice of the job's end")
	return summarizer.Notice{}
}

// job returns a job over the first n messages of b.
func (r *rig) job(b *builder, n int, edit ...func(*summarizer.Job)) *summarizer.Job {
	j := newJob(b, n)
	j.Target.URL = r.llm.URL() + "/v1/chat/completions"
	for _, e := range edit {
		e(j)
	}
	return j
}

// testWindow is the window of jobs that say nothing else.
const testWindow = 8192

func newJob(b *builder, n int) *summarizer.Job {
	return &summarizer.Job{
		Tenant: "t", Upstream: "u", Recipe: "r", Session: "s",
		Keys: b.keys()[:n], Covered: b.list[:n], Kept: -1, Window: testWindow, Model: "m",
		Target:  summarizer.Target{Name: "u", Dialect: "openai", Header: http.Header{}},
		Options: summarizer.Defaults(),
	}
}

// run submits a job, waits for its end and returns the checkpoint, which must be there.
func (r *rig) run(j *summarizer.Job) chat.Checkpoint {
	r.t.Helper()
	if state := r.submit(j); state != summarizer.Ready {
		_, last := r.kinds()
		r.t.Fatalf("state %s, last notice %+v", state, last)
	}
	cp, err := r.store.Get(context.Background(), j.Key())
	if err != nil {
		r.t.Fatalf("get checkpoint: %v", err)
	}
	return cp
}

func (r *rig) submit(j *summarizer.Job) summarizer.State {
	r.t.Helper()
	r.queue.Submit(j)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return r.queue.Wait(ctx, j.Keys, j.Window)
}

// refused runs a job that must fail and returns the reason. Nothing may have been stored.
func (r *rig) refused(j *summarizer.Job) string {
	r.t.Helper()
	if state := r.submit(j); state != summarizer.Cooling {
		r.t.Errorf("state %s, want cooling", state)
	}
	if _, err := r.store.Get(context.Background(), j.Key()); err == nil {
		r.t.Error("a checkpoint was stored")
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if kinds, last := r.kinds(); strings.HasSuffix(kinds, "failed") {
			return last.Reason
		}
	}
	r.t.Error("no notice of the failure")
	return ""
}

// talk is a conversation of so many turns without tools.
func talk(turns int) *builder {
	b := &builder{}
	for i := range turns {
		b.user(fmt.Sprintf("Question %d: what about part P-%d of the plan, and why would it be so? %s", i, 1000+i,
			strings.Repeat("Please tell me all about it. ", 8)))
		b.assistant(fmt.Sprintf("Answer %d: %s", i, strings.Repeat("It depends on the weather and other things. ", 12)))
	}
	return b
}

// says is a summariser that always answers the same.
func says(text string) fakellm.Options {
	return fakellm.Options{Summary: func(string) fakellm.Reply { return fakellm.Reply{Text: text} }}
}
