package summarizer

import (
	"net/http"

	"recap/chat"
)

// Job is one summary to be written: everything it needs, by value, so that it can run after the request is gone.
type Job struct {
	Tenant   string
	Upstream string // name
	Recipe   string
	Session  string // label

	Keys     []chat.Key       // Keys[i] names the first i+1 messages; the last one names what is covered
	Base     *chat.Checkpoint // the checkpoint to update or to build on; nil = fresh from message 1
	Covered  []chat.Message   // messages 1 to To; the fresh ones start behind Base.To
	Kept     int              // position in Covered of the message that stays verbatim as the carrier; -1 = none
	Replaces int              // tokens (fixed measure) of what the summary stands for in the request

	Window    int     // of the chat's model, tokens
	Model     string  // the chat's
	NumCtx    int     // as the chat sent it; 0 = none
	KeepAlive string  // raw JSON as the chat sent it; "" = none
	Target    Target  // the chat's own upstream
	Options   Options // as overridden for this request
}

// To is the number of messages the job's checkpoint covers.
func (j *Job) To() int { return len(j.Keys) }

// Key names the checkpoint the job writes.
func (j *Job) Key() chat.Key { return j.Keys[len(j.Keys)-1] }

// Target is where a summary is asked for and with which credentials. It lives in memory for the job only.
type Target struct {
	Name    string // of the upstream or provider
	Dialect string // openai, ollama, utility
	URL     string // full URL of the chat endpoint
	Header  http.Header
}

// State is what X-Recap-Summary says.
type State string

// The states.
const (
	None    State = "none"
	Due     State = "due"
	Queued  State = "queued"
	Running State = "running"
	Ready   State = "ready"
	Failed  State = "failed"
	Cooling State = "cooling"
)
