package summarizer

import (
	"context"
	"errors"
	"slices"
	"time"

	"recap/chat"
)

// schedule starts every waiting job that may work now. The lock is held.
func (q *Queue) schedule() {
	if q.closed {
		return
	}
	for at := 0; at < len(q.waiting); {
		t := q.waiting[at]
		if q.lanes[t.lane] >= q.deps.Workers || q.taken(t.job) {
			at++
			continue
		}
		q.waiting = slices.Delete(q.waiting, at, at+1)
		q.working = append(q.working, t)
		q.lanes[t.lane]++
		t.state = Running
		q.done.Go(func() { q.work(t) })
	}
}

// taken reports whether a job of the same line is at work.
func (q *Queue) taken(j *Job) bool {
	return slices.ContainsFunc(q.working, func(w *task) bool { return w.job.akin(j) })
}

// outcome is what became of a job that was started.
type outcome struct {
	checkpoint chat.Checkpoint // stored; zero when err is not nil
	from       int             // first message that the pass read
	model      string
	usage      chat.Usage
	calls      int
	suffix     bool     // written in suffix mode
	found      []string // by gates that let pass what they found
	err        error
}

// work does one job from its start to its end.
func (q *Queue) work(t *task) {
	<-t.told
	begun := time.Now()
	o := q.attempt(t)
	n := q.settle(t, &o)
	n.Took = max(time.Since(begun), 1)
	q.tell(n)
	if o.err == nil {
		q.mirror(t.job, &o.checkpoint)
	}
	q.release(t)
}

// attempt writes the checkpoint; a panic becomes an error of this job alone.
func (q *Queue) attempt(t *task) (o outcome) {
	defer func() {
		if recover() != nil {
			o.err = refusal{reason: ReasonPanic}
		}
	}()
	return q.write(q.ctx, t)
}

// settle records the outcome: from here on State and Wait tell it.
func (q *Queue) settle(t *task, o *outcome) Notice {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := t.notice(NoticeReady, "")
	n.Model, n.Calls, n.Found = o.model, o.calls, o.found
	if o.from > 0 {
		n.From = o.from
	}
	n.TokensIn, n.TokensOut, n.TokensCached = o.usage.Prompt, o.usage.Completion, o.usage.Cached
	if n.Mode = TranscriptMode; o.suffix {
		n.Mode = SuffixMode
	}
	mark := q.lines.mark(t.job.Key())
	mark.task = nil
	switch reason := reasonOf(q.ctx, o.err); {
	case o.err == nil:
		n.Tokens = o.checkpoint.Size()
		q.lines.succeed(t.job)
	case errors.Is(o.err, errNotNeeded):
		n.Kind, n.Reason = NoticeDropped, ReasonNotNeeded
		q.lines.succeed(t.job)
	case reason == ReasonCancelled:
		n.Kind, n.Reason = NoticeDropped, reason
	default:
		q.stats.Failed++
		now := time.Now()
		f := q.lines.fail(t.job, o.err, now)
		n.Kind, n.Reason, n.Failures, n.Open, n.Rest = NoticeFailed, reason, f.count, f.open(), f.until.Sub(now)
	}
	close(t.ended)
	return n
}

// release gives the place in the lane and on the line to the next.
func (q *Queue) release(t *task) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.working = slices.DeleteFunc(q.working, func(w *task) bool { return w == t })
	if q.lanes[t.lane]--; q.lanes[t.lane] == 0 {
		delete(q.lanes, t.lane)
	}
	q.stats.Bytes -= t.pins
	q.schedule()
}

// refusal is a failure by its reason, one of the Reason constants or an HTTP status in words.
type refusal struct {
	reason     string
	retryAfter time.Duration // as the server asked; 0 = it did not
}

// Error implements error.
func (r refusal) Error() string { return "write summary: " + r.reason }

// errNotNeeded tells that what a job wanted is already there.
var errNotNeeded = errors.New("write summary: not needed any more")

// reasonOf is the word for an error.
func reasonOf(ctx context.Context, err error) string {
	var r refusal
	switch {
	case err == nil:
		return ""
	case ctx.Err() != nil:
		return ReasonCancelled
	case errors.As(err, &r):
		return r.reason
	case errors.Is(err, context.DeadlineExceeded):
		return ReasonTimeout
	}
	return ReasonNetwork
}
