package stats

import (
	"sync"
	"time"

	"recap/chat"
)

// Exchange is one chat request with its answer, as recorded: numbers and names, never text.
type Exchange struct {
	Time     time.Time `json:"time"`    // of the request
	Request  string    `json:"request"` // its id
	Session  string    `json:"session"` // label
	Dialect  string    `json:"dialect"`
	Upstream string    `json:"upstream"` // name in the file
	Model    string    `json:"model"`    // as the client asked for it
	Stream   bool      `json:"stream"`

	Status      chat.Status `json:"status"`
	Reason      string      `json:"reason,omitempty"` // of a bypass, a fixed word
	BrokePrefix bool        `json:"brokePrefix,omitempty"`
	Pruned      int         `json:"pruned"` // tool results that got shorter

	Before int    `json:"before"` // tokens as the client sent them
	After  int    `json:"after"`  // tokens as they left
	Window int    `json:"window"` // tokens; 0 = unknown
	Source string `json:"source"` // of the window

	Checkpoint string `json:"checkpoint,omitempty"` // its key in hex
	Covers     int    `json:"covers"`               // messages
	Rows       int    `json:"rows"`
	Summary    string `json:"summary"` // none, due, queued, running, ready, failed, cooling

	Code        int   `json:"code"`        // HTTP status of the answer
	FirstByteMS int64 `json:"firstByteMs"` // milliseconds until the upstream's first byte
	TotalMS     int64 `json:"totalMs"`

	Prompt     int `json:"prompt"` // tokens that the upstream reported, cached ones included
	Cached     int `json:"cached"`
	Completion int `json:"completion"`
}

// fields returns what an event tells about e. Its names are those of the JSON form.
func (e *Exchange) fields() map[string]any {
	return map[string]any{
		"request": e.Request, "session": e.Session, "dialect": e.Dialect, "upstream": e.Upstream, "model": e.Model,
		"stream": e.Stream, "status": e.Status, "reason": e.Reason, "brokePrefix": e.BrokePrefix, "pruned": e.Pruned,
		"before": e.Before, "after": e.After, "window": e.Window, "source": e.Source,
		"checkpoint": e.Checkpoint, "covers": e.Covers, "rows": e.Rows, "summary": e.Summary,
		"code": e.Code, "firstByteMs": e.FirstByteMS, "totalMs": e.TotalMS,
		"prompt": e.Prompt, "cached": e.Cached, "completion": e.Completion,
	}
}

// ringSize is how many exchanges are remembered.
const ringSize = 200

// ring holds the newest exchanges.
type ring struct {
	mu   sync.Mutex
	list [ringSize]Exchange
	n    int // ever added
}

func (r *ring) add(e Exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list[r.n%ringSize] = e
	r.n++
}

func (r *ring) all() []Exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]Exchange, 0, min(r.n, ringSize))
	for i := r.n - 1; i >= 0 && i >= r.n-ringSize; i-- {
		list = append(list, r.list[i%ringSize])
	}
	return list
}
