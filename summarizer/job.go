package summarizer

import (
	"net/http"
	"time"

	"recap/chat"
	"recap/dialect"
)

// Job is one summary to be written: everything it needs, by value, so that it can run after the request is gone.
type Job struct {
	Tenant   string
	Upstream string // name
	Recipe   string
	Session  string // label

	Keys     []chat.Key       // Keys[i] names the first i+1 messages; the last one names what is covered
	Base     *chat.Checkpoint // the deepest real checkpoint below when the job was made; looked up again at its start
	Covered  []chat.Message   // messages 1 to To, no system ones
	Kept     int              // position in Covered of the message that stays verbatim as the carrier; -1 = none
	Replaces int              // tokens (fixed measure) of what the summary stands for in the request; 0 = not known

	Window    int           // of the chat's model, tokens; 0 = unknown
	Model     string        // the chat's
	NumCtx    int           // as the chat sent it; 0 = none
	KeepAlive string        // raw JSON as the chat sent it; "" = none
	Target    Target        // the chat's own upstream
	Options   Options       // as overridden for this request
	Live      *dialect.Live // the chat's own request up to the end of what is covered; nil = not known (Options.Mode suffix)
	Forced    bool          // the user asked for it now: it does not rest after failures

	submitted time.Time // when the queue took it
}

// To is the number of messages the job's checkpoint covers.
func (j *Job) To() int { return len(j.Keys) }

// Key names the checkpoint the job writes.
func (j *Job) Key() chat.Key { return j.Keys[len(j.Keys)-1] }

// from is the first message that the job reads if nothing is stored before it starts.
func (j *Job) from() int {
	if j.Base != nil {
		return j.Base.To + 1
	}
	return 1
}

// within reports whether what j covers is a prefix of keys.
func (j *Job) within(keys []chat.Key) bool {
	return len(keys) >= len(j.Keys) && keys[len(j.Keys)-1] == j.Key()
}

// akin reports whether one of two jobs covers a prefix of what the other does.
func (j *Job) akin(other *Job) bool { return j.within(other.Keys) || other.within(j.Keys) }

// pins is how many bytes the job keeps in memory: at least the body that its messages are views into.
func (j *Job) pins() int {
	n := 64 * len(j.Keys)
	if len(j.Covered) > 0 {
		last := &j.Covered[len(j.Covered)-1]
		n += last.Start + len(last.Raw)
	}
	if j.Live != nil {
		n += len(j.Live.Body)
	}
	return n
}

// Target is where a summary is asked for and with which credentials. It lives in memory for the job only.
type Target struct {
	Name    string // of the upstream or provider
	Dialect string // openai, ollama, utility
	URL     string // full URL of the chat endpoint
	Header  http.Header
}

// State is what X-Recap-Summary says.
type State string

// The states. Due means: not taken, because the queue is full or closed.
const (
	None    State = "none"
	Due     State = "due"
	Queued  State = "queued"
	Running State = "running"
	Ready   State = "ready"
	Failed  State = "failed"
	Cooling State = "cooling"
)
