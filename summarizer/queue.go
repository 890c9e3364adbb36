package summarizer

import (
	"context"
	"net/http"
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
)

// Notice is one step of a job: sizes and words, never text.
type Notice struct {
	Kind     string // one of the Notice constants
	Key      chat.Key
	Tenant   string
	Session  string // label
	Upstream string // name
	Model    string // that writes; "" = not known yet
	From, To int    // messages of this pass, numbered from 1; From is 0 while not known

	Tokens    int // of the summary and its ledger, by the fixed measure; 0 = none yet
	TokensIn  int // that the summariser reported over all calls of the job, else the estimate
	TokensOut int
	Calls     int
	Took      time.Duration // since the job was started; 0 = has not ended
	Reason    string        // of a failure, a fixed word: see the Reason constants
	Failures  int           // in a row on this line, this one included
	Open      bool          // the breaker of this line is open: three failures in a row, or more
}

// Stats are counters since the start and sizes of now.
type Stats struct {
	Waiting, Working int // jobs, now
	Bytes            int // that these keep in memory
	Refused          int // not taken: the queue was full
	Failed           int
	MirrorFailed     int // calls to the memory service
}

// Queue writes summaries in the background. It never blocks who submits.
type Queue struct{}

// NewQueue returns a queue that works until Close.
func NewQueue(deps Deps) *Queue { return &Queue{} }

// Submit takes a job and returns at once with what became of it: Queued or Running (also where the same job is
// already there), Cooling while the line rests after failures, Due when the queue is full or closed, None for a job
// without messages.
func (q *Queue) Submit(j *Job) State { return None }

// State tells of the deepest job whose range is a prefix of keys.
func (q *Queue) State(keys []chat.Key) State { return None }

// Wait returns when the deepest active job whose range is a prefix of keys has ended, or ctx has; with the
// state then.
func (q *Queue) Wait(ctx context.Context, keys []chat.Key) State { return None }

// Stats returns what the queue has counted.
func (q *Queue) Stats() Stats { return Stats{} }

// Close cancels all jobs and returns when they have ended, or with ctx's error.
func (q *Queue) Close(ctx context.Context) error { return nil }
