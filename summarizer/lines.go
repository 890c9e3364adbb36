package summarizer

import (
	"errors"
	"time"

	"recap/chat"
)

// lines remembers, by the key of what a job covered, how it ended. A conversation is a line of keys: the
// deepest one with a mark tells how it stands. Bounded: the oldest marks go first.
type lines struct {
	marks    map[chat.Key]*mark
	order    []chat.Key // oldest first
	failures int        // marks with one
}

type mark struct {
	task     *task            // that waits or works; nil = none
	failures map[int]*failure // by the window that they concern, see scope; nil = none
	ready    bool
}

// failure is the memory of failures in a row.
type failure struct {
	count  int
	until  time.Time // rest before the next try
	noGain bool      // the summary was not smaller than what it stands for
	to     int       // messages that the job covered
}

// everyWindow is the scope of a failure that has nothing to do with sizes.
const everyWindow = -1

// scope is the window that a failure concerns: what was too long for one window may well fit another, but a server
// that does not answer does so for all.
func scope(j *Job, reason string) int {
	switch reason {
	case ReasonNoGain, ReasonOversized, ReasonTruncated, ReasonInput, ReasonOverflow:
		return j.Window
	}
	return everyWindow
}

// failure returns what rests chats of a window, nil when nothing does.
func (m *mark) failure(window int) *failure {
	if m.failures == nil {
		return nil
	}
	if f := m.failures[everyWindow]; f != nil {
		return f
	}
	return m.failures[window]
}

// forgive forgets what rests chats of a window, and returns how many failures that were.
func (m *mark) forgive(window int) (n int) {
	before := len(m.failures)
	delete(m.failures, everyWindow)
	delete(m.failures, window)
	return before - len(m.failures)
}

// How failures rest: 30 seconds, doubling to a quarter of an hour. From the third in a row on the breaker is open: one
// try after each rest, and after summaries that gained nothing only once the chat has grown (A17).
const (
	firstRest   = 30 * time.Second
	longestRest = 15 * time.Minute
	breaksAt    = 3
	maxMarks    = 8192
)

func (f *failure) open() bool { return f.count >= breaksAt }

// grown reports whether a chat has grown enough for another try.
func (f *failure) grown(j *Job) bool { return j.To() >= f.to+max(f.to/4, 8) }

func newLines() lines { return lines{marks: map[chat.Key]*mark{}} }

// mark returns the mark of a key, a new one where there is none.
func (l *lines) mark(key chat.Key) *mark {
	if m := l.marks[key]; m != nil {
		return m
	}
	if len(l.order) >= maxMarks {
		l.evict()
	}
	m := &mark{}
	l.marks[key] = m
	l.order = append(l.order, key)
	return m
}

// evict forgets the older half of the marks whose jobs have ended.
func (l *lines) evict() {
	kept := make([]chat.Key, 0, maxMarks)
	for i, key := range l.order {
		if i < maxMarks/2 && l.marks[key].task == nil {
			l.failures -= len(l.marks[key].failures)
			delete(l.marks, key)
			continue
		}
		kept = append(kept, key)
	}
	l.order = kept
}

// deepest returns the mark of the longest prefix that pick wants, nil when there is none.
func (l *lines) deepest(keys []chat.Key, pick func(*mark) bool) *mark {
	if len(l.marks) == 0 {
		return nil
	}
	for at := len(keys) - 1; at >= 0; at-- {
		if m := l.marks[keys[at]]; m != nil && pick(m) {
			return m
		}
	}
	return nil
}

func (l *lines) active(keys []chat.Key) *task {
	if m := l.deepest(keys, func(m *mark) bool { return m.task != nil }); m != nil {
		return m.task
	}
	return nil
}

func (l *lines) failed(keys []chat.Key, window int) *failure {
	if l.failures == 0 {
		return nil
	}
	if m := l.deepest(keys, func(m *mark) bool { return m.failure(window) != nil }); m != nil {
		return m.failure(window)
	}
	return nil
}

// state is what the deepest mark says to chats of a window.
func (l *lines) state(keys []chat.Key, window int, now time.Time) State {
	m := l.deepest(keys, func(m *mark) bool { return m.task != nil || m.failure(window) != nil || m.ready })
	switch {
	case m == nil:
		return None
	case m.task != nil:
		return m.task.state
	case m.failure(window) == nil:
		return Ready
	case now.Before(m.failure(window).until):
		return Cooling
	}
	return Failed
}

// rests reports whether a job must not be tried now.
func (l *lines) rests(j *Job, now time.Time) bool {
	f := l.failed(j.Keys, j.Window)
	return f != nil && (now.Before(f.until) || f.open() && f.noGain && !f.grown(j))
}

// succeed forgets the failures on a job's line that concern its window.
func (l *lines) succeed(j *Job) {
	l.mark(j.Key()).ready = true
	if l.failures == 0 {
		return
	}
	for _, key := range j.Keys {
		if m := l.marks[key]; m != nil {
			l.failures -= m.forgive(j.Window)
		}
	}
}

// fail adds one more failure to a job's line.
func (l *lines) fail(j *Job, err error, now time.Time) *failure {
	f := &failure{count: 1, to: j.To()}
	if before := l.deepest(j.Keys, func(m *mark) bool { return m.failure(j.Window) != nil }); before != nil {
		f.count = before.failure(j.Window).count + 1
		l.failures -= before.forgive(j.Window)
	}
	var r refusal
	errors.As(err, &r)
	f.noGain = r.reason == ReasonNoGain || r.reason == ReasonOversized || r.reason == ReasonEcho
	rest := min(firstRest<<min(f.count-1, 10), longestRest)
	f.until = now.Add(max(rest, min(r.retryAfter, longestRest)))
	m := l.mark(j.Key())
	if m.failures == nil {
		m.failures = map[int]*failure{}
	}
	m.failures[scope(j, r.reason)] = f
	m.ready = false
	l.failures++
	return f
}
