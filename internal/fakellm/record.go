package fakellm

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Recorded is one request as the server saw it. The slices and maps are shared: read only.
type Recorded struct {
	ID      int       // from 1, in order of arrival
	At      time.Time // whole body read
	Ended   time.Time // answer written; zero: not yet
	Gone    time.Time // client seen to have left before the answer's end; zero: it did not
	Method  string
	Target  string // path and query as they stood on the wire
	Path    string // decoded
	Host    string
	Header  http.Header // names in canonical form
	Chunked bool        // the request body came with Transfer-Encoding: chunked
	Body    []byte      // as it came, compressed or not; nil for blobs
	Bytes   int64       // length of the body, blobs included

	Dialect string // OpenAI, Ollama, Utility or Other
	Chat    bool   // asks the model for an answer in a chat (summary calls too)
	Summary bool   // asks for a summary
	Model   string
	Stream  bool

	Refused      string // the rule that it broke and how; "" = accepted
	Status       int    // answered
	PromptTokens int    // in the prompt, behind Ollama's cut
	CachedTokens int    // of these, found in the prompt cache
	CutMessages  int    // messages that Ollama's side dropped
	Overflow     bool   // refused for its length

	body *body // nil: not a chat or not readable
}

// Text returns the text of all messages, one a line, in their order.
func (r *Recorded) Text() string {
	if r.body == nil {
		return ""
	}
	var texts []string
	for i := range r.body.messages {
		texts = append(texts, r.body.messages[i].text())
	}
	return strings.Join(texts, "\n")
}

// Roles returns the role of each message.
func (r *Recorded) Roles() []string {
	if r.body == nil {
		return nil
	}
	roles := make([]string, len(r.body.messages))
	for i := range roles {
		roles[i] = r.body.messages[i].role
	}
	return roles
}

// Said returns the text of the i-th message; a negative i counts from the end. "" when there is none.
func (r *Recorded) Said(i int) string {
	if r.body == nil {
		return ""
	}
	if i < 0 {
		i += len(r.body.messages)
	}
	if i < 0 || i >= len(r.body.messages) {
		return ""
	}
	return r.body.messages[i].text()
}

// defaultReply depends on nothing but the length of the chat.
func defaultReply(r *Recorded) Reply {
	return Reply{Text: fmt.Sprintf("This is answer number %d, written by a script.", len(r.Roles()))}
}

func defaultSummary(prompt string) Reply {
	return Reply{Text: fmt.Sprintf("The conversation so far was read (%d characters); its goals and decisions stand.",
		len([]rune(prompt)))}
}

// hasMarker is the default of Options.IsSummary.
func hasMarker(r *Recorded, markers []string) bool {
	if r.body == nil {
		return false
	}
	prompt := ""
	for i := range r.body.messages {
		m := &r.body.messages[i]
		if m.system() {
			continue
		}
		if m.role != "user" || prompt != "" {
			return false
		}
		prompt = strings.ToLower(m.text())
	}
	for _, marker := range markers {
		if prompt != "" && strings.Contains(prompt, strings.ToLower(marker)) {
			return true
		}
	}
	return false
}

// lastText is the prompt of a summary call: the text of its last message.
func (r *Recorded) lastText() string { return r.Said(-1) }
