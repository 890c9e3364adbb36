package dialect

import (
	"strconv"

	"github.com/tidwall/gjson"
)

// Utility asks NexusAI's utility model for a summary (row N13): POST …/utility/complete. It is no chat format.
type Utility struct{}

var _ Asker = Utility{}

// Name is "utility".
func (Utility) Name() string { return "utility" }

// Ask builds the request for one summary. The service knows its model itself.
func (Utility) Ask(q Question) (Request, error) {
	var r request
	r.text("user", q.Prompt)
	if q.MaxTokens > 0 && q.unset("maxTokens") {
		r.raw("maxTokens", strconv.Itoa(q.MaxTokens))
	}
	r.parameters(q.Parameters)
	return r.done("/utility/complete")
}

// Answer reads the answer to Ask: a JSON object with the text as content, text, response or completion.
func (Utility) Answer(status int, body []byte) (Reply, error) {
	text, e := object(status, body)
	if e != nil {
		return Reply{}, e
	}
	for _, path := range []string{"finish_reason", "finishReason", "done_reason", "doneReason"} {
		if kind := ending(gjson.Get(text, path).String()); kind != "" {
			return Reply{}, &AnswerError{Kind: kind, Status: status}
		}
	}
	for _, path := range []string{"content", "text", "response", "completion"} {
		if answer := gjson.Get(text, path); answer.Type == gjson.String {
			return reply(status, Reply{Text: answer.String(), Model: gjson.Get(text, "model").String()})
		}
	}
	return Reply{}, &AnswerError{Kind: "shape", Status: status}
}
