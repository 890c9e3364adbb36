package summarizer

import (
	"context"
	"net/http"
	"sync"
	"time"

	"recap/cache"
	"recap/chat"
)

// Deps is what a Queue works with.
type Deps struct {
	Store cache.Store
	// Provider finds an entry of `providers`; nil = there are none.
	Provider func(name string) (Provider, bool)
	// Client returns the HTTP client for an upstream or provider, by name; nil, or a nil client: NewClient(nil).
	Client func(name string) *http.Client
	// Window tells the context window of a model that is not the chat's, in tokens, 0 = unknown: then the
	// chat's own is used. May be nil.
	Window func(ctx context.Context, target Target, model string) int
	// Observe is told of each step of a job. It is called outside of locks, and must not block. May be nil.
	Observe func(Notice)

	Workers  int    // jobs at work at once per upstream or provider; 0 = 1
	MaxJobs  int    // that wait; 0 = 256
	MaxBytes int    // that waiting and working jobs keep in memory; 0 = 256 MiB
	Mirror   string // base URL of NexusAI's memory service (row N12); "" = off
}

// The kinds of notices, as stats counts them.
const (
	NoticeQueued  = "summary.queued"
	NoticeStarted = "summary.started"
	NoticeReady   = "summary.ready"
	NoticeFailed  = "summary.failed"
	NoticeDropped = "summary.dropped" // without failure: a deeper job took its place, nothing was left to do, or Close
)

// Notice is one step of a job: sizes and words, never text.
type Notice struct {
	Kind     string // one of the Notice constants
	Key      chat.Key
	Tenant   string
	Session  string // label
	Upstream string // name
	Provider string // that writes; "" = the upstream
	Model    string // that writes; "" = not known yet
	From, To int    // messages of this pass, numbered from 1; until the job is started From is reckoned by Job.Base

	Tokens    int // of the summary and its ledger, by the fixed measure; 0 = none yet
	TokensIn  int // of all calls of the job: as reported, else by the fixed measure
	TokensOut int
	// TokensCached are those of TokensIn that the upstream found in its prompt cache, as it reports them.
	TokensCached int
	Mode         string // in which the summary was written: transcript or suffix; "" = the job has not ended
	Calls        int
	Took         time.Duration // since the job was started; 0 = has not ended
	Reason       string        // of a failure, a fixed word: see the Reason constants
	// Pinned is told once for a line of checkpoints: tokens of its rows up to the last pinned one, when they leave no room
	// for another in the Share of the window that all rows may take.
	Pinned, Share int

	Found    []string // what gates found in answers that were taken all the same: fixed words
	Failures int      // in a row on this line, this one included
	Open     bool     // the breaker of this line is open: three failures in a row, or more

	Rest time.Duration // after a failure, until this line is tried again
}

// Stats are counters since the start and sizes of now.
type Stats struct {
	Waiting, Working int // jobs, now
	Bytes            int // that these keep in memory
	Refused          int // not taken: the queue was full
	Failed           int
	MirrorFailed     int // calls to the memory service
}

// Queue writes summaries in the background. It never blocks who submits. Two jobs of which one covers a prefix of what
// the other covers are never at work together; jobs of different branches do not know each other.
type Queue struct {
	deps    Deps
	client  *http.Client
	learned learned
	crowded *chat.Memo[chat.Key, bool] // lines whose pinned rows were told of
	ctx     context.Context
	cancel  context.CancelFunc
	done    sync.WaitGroup

	mu      sync.Mutex
	waiting []*task // in the order of their turns
	working []*task
	lanes   map[string]int // jobs at work per upstream or provider
	lines   lines
	stats   Stats
	closed  bool
}

// task is a job in the queue.
type task struct {
	job   *Job
	lane  string
	state State // Queued or Running
	pins  int
	told  chan struct{} // closed when Queued was announced
	ended chan struct{} // closed when its outcome is known
}

// NewQueue returns a queue that works until Close.
func NewQueue(deps Deps) *Queue {
	deps.Workers = orElse(deps.Workers, 1)
	deps.MaxJobs = orElse(deps.MaxJobs, 256)
	deps.MaxBytes = orElse(deps.MaxBytes, 256<<20)
	q := &Queue{
		deps: deps, client: NewClient(nil), lanes: map[string]int{}, lines: newLines(),
		crowded: chat.NewMemo[chat.Key, bool](maxLessons),
	}
	q.ctx, q.cancel = context.WithCancel(context.Background())
	return q
}

func orElse(n, fallback int) int {
	if n > 0 {
		return n
	}
	return fallback
}

// Submit takes a job and returns at once with what became of it: Queued or Running (also where the same job is
// already there), Cooling while the line rests after failures and the job is not Forced, Due when the queue is full or closed, None for a job
// without messages.
func (q *Queue) Submit(j *Job) State {
	if len(j.Keys) == 0 || len(j.Covered) != len(j.Keys) {
		return None
	}
	q.mu.Lock()
	t, replaced, state := q.admit(j)
	q.mu.Unlock()
	for _, r := range replaced {
		q.tell(r.notice(NoticeDropped, ReasonReplaced))
	}
	if t == nil {
		return state
	}
	q.tell(t.notice(NoticeQueued, ""))
	close(t.told)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.schedule()
	return t.state
}

// admit puts a job in line, unless it is there, must rest, or has no room. Shallower jobs of the same line that still
// wait give their place to it.
func (q *Queue) admit(j *Job) (t *task, replaced []*task, state State) {
	if q.closed {
		return nil, nil, Due
	}
	if m := q.lines.marks[j.Key()]; m != nil && m.task != nil {
		return nil, nil, m.task.state
	}
	if !j.Forced && q.lines.rests(j, time.Now()) {
		return nil, nil, Cooling
	}
	j.submitted = time.Now()
	t = &task{job: j, lane: lane(j), state: Queued, pins: j.pins(), told: make(chan struct{}), ended: make(chan struct{})}
	if len(q.waiting) >= q.deps.MaxJobs || q.stats.Bytes+t.pins > q.deps.MaxBytes {
		q.stats.Refused++
		return nil, nil, Due
	}
	place := len(q.waiting)
	kept := q.waiting[:0:0]
	for at, w := range q.waiting {
		if !w.job.within(j.Keys) {
			kept = append(kept, w)
			continue
		}
		place = min(place, at)
		replaced = append(replaced, w)
		q.forget(w)
	}
	place = min(place, len(kept))
	q.waiting = append(kept[:place:place], append([]*task{t}, kept[place:]...)...)
	q.lines.mark(j.Key()).task = t
	q.stats.Bytes += t.pins
	return t, replaced, Queued
}

// lane is what a job's workers are counted by: who writes.
func lane(j *Job) string {
	if j.Options.Provider != "" {
		return "provider " + j.Options.Provider
	}
	return "upstream " + j.Upstream
}

// forget ends a task that will not be worked on.
func (q *Queue) forget(t *task) {
	q.lines.mark(t.job.Key()).task = nil
	q.stats.Bytes -= t.pins
	close(t.ended)
}

// State tells of the deepest job whose range is a prefix of keys, as it concerns chats of a window (tokens, 0 = unknown).
func (q *Queue) State(keys []chat.Key, window int) State {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.lines.state(keys, window, time.Now())
}

// Wait returns when no job whose range is a prefix of keys waits or works any more, or ctx has ended; with the State
// then.
func (q *Queue) Wait(ctx context.Context, keys []chat.Key, window int) State {
	for {
		q.mu.Lock()
		t := q.lines.active(keys)
		q.mu.Unlock()
		if t == nil {
			return q.State(keys, window)
		}
		select {
		case <-t.ended:
		case <-ctx.Done():
			return q.State(keys, window)
		}
	}
}

// Stats returns what the queue has counted.
func (q *Queue) Stats() Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.stats
	s.Waiting, s.Working = len(q.waiting), len(q.working)
	return s
}

// Close cancels all jobs and returns when they have ended, or with ctx's error.
func (q *Queue) Close(ctx context.Context) error {
	q.mu.Lock()
	q.closed = true
	left := q.waiting
	q.waiting = nil
	for _, t := range left {
		q.forget(t)
	}
	q.mu.Unlock()
	q.cancel()
	for _, t := range left {
		q.tell(t.notice(NoticeDropped, ReasonCancelled))
	}
	ended := make(chan struct{})
	go func() {
		q.done.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		q.client.CloseIdleConnections()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (q *Queue) tell(n Notice) {
	if q.deps.Observe != nil {
		q.deps.Observe(n)
	}
}

func (t *task) notice(kind, reason string) Notice {
	j := t.job
	return Notice{
		Kind: kind, Key: j.Key(), Tenant: j.Tenant, Session: j.Session, Upstream: j.Upstream, Provider: j.Options.Provider,
		From: j.from(), To: j.To(), Reason: reason,
	}
}
