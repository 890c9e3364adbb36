package dialect

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// AnswerError says why an answer to Ask is not a summary. It never holds text of the answer.
type AnswerError struct {
	// Kind is "status" (not 2xx), "shape" (not what the format promises, HTML for instance), "length" (cut by
	// its limit), "unfinished" (ended by anything else than the model: a filter, an abort), "tool-call",
	// "error-in-200" or "empty".
	Kind   string
	Status int
	// Class is the answer's own machine word where it has one, such as "context_length_exceeded"; "" = none.
	Class string
	// TokensField tells that the server refused the member that limits the answer and wants the other one, see
	// Question.TokensField.
	TokensField bool
}

// Error implements error.
func (e *AnswerError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "read summary answer: %s, status %d", e.Kind, e.Status)
	if e.Class != "" {
		fmt.Fprintf(&b, " (%s)", e.Class)
	}
	if e.TokensField {
		b.WriteString(": the server wants the other tokens member")
	}
	return b.String()
}

// object returns an answer's body as valid JSON text, or says why it is none that can hold a summary.
func object(status int, body []byte) (string, *AnswerError) {
	text := string(body)
	ok := valid(text)
	if status < 200 || status > 299 {
		e := &AnswerError{Kind: "status", Status: status, TokensField: wantsOther(status, text)}
		if ok {
			e.Class = class(text)
		}
		return "", e
	}
	switch {
	case !ok || !gjson.Parse(text).IsObject():
		return "", &AnswerError{Kind: "shape", Status: status}
	case failed(text):
		return "", &AnswerError{Kind: "error-in-200", Status: status, Class: class(text)}
	}
	return text, nil
}

// failed reports whether a JSON object holds an error.
func failed(text string) bool {
	e := gjson.Get(text, "error")
	return e.Exists() && e.Type != gjson.Null
}

// class returns the machine word of an error body. Only a single plain word counts: it goes into logs, where
// text of the chat must not.
func class(text string) string {
	for _, path := range []string{"error.code", "error.type", "code", "type"} {
		if word := gjson.Get(text, path); word.Type == gjson.String && machineWord(word.Str) {
			return word.Str
		}
	}
	return ""
}

func machineWord(word string) bool {
	for _, c := range word {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '_' {
			return false
		}
	}
	return word != "" && len(word) <= 48
}

// wantsOther reports whether an error body complains that the member which limits the answer is not known, as
// OpenAI's newer models do of max_tokens and older servers of max_completion_tokens. That the limit is
// too large is another matter.
func wantsOther(status int, text string) bool {
	if status != 400 && status != 422 {
		return false
	}
	text = strings.ToLower(text[:min(len(text), 16<<10)])
	if !strings.Contains(text, "max_tokens") && !strings.Contains(text, "max_completion_tokens") {
		return false
	}
	for _, word := range []string{
		"unsupported", "not supported", "unrecognized", "unknown", "not permitted", "extra_forbidden", "unexpected", "not allowed",
	} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// reply makes sure that there is text in an answer.
func reply(status int, r Reply) (Reply, error) {
	if strings.TrimSpace(r.Text) == "" {
		return Reply{}, &AnswerError{Kind: "empty", Status: status}
	}
	return r, nil
}

// ending returns the Kind of error that a finish reason means, "" for a proper end. Servers that say nothing are
// believed: they do so in complete answers.
func ending(reason string) string {
	switch reason {
	case "", "stop", "eos", "eos_token", "stop_sequence", "end_turn":
		return ""
	case "length", "max_tokens", "model_length":
		return "length"
	case "tool_calls", "function_call", "tool_use":
		return "tool-call"
	}
	return "unfinished"
}

// calls reports whether a message asks for a tool.
func calls(message gjson.Result) bool {
	function := message.Get("function_call")
	return len(message.Get("tool_calls").Array()) > 0 || function.Exists() && function.Type != gjson.Null
}

// Answer reads a whole chat completion.
func (openAI) Answer(status int, body []byte) (Reply, error) {
	text, e := object(status, body)
	if e != nil {
		return Reply{}, e
	}
	choice := gjson.Get(text, "choices.0")
	message := choice.Get("message")
	if !message.IsObject() {
		return Reply{}, &AnswerError{Kind: "shape", Status: status}
	}
	kind := ending(choice.Get("finish_reason").String())
	if calls(message) {
		kind = "tool-call"
	}
	content, ok := contentText(message.Get("content"))
	if kind == "" && !ok {
		kind = "shape"
	}
	if kind != "" {
		return Reply{}, &AnswerError{Kind: kind, Status: status}
	}
	return reply(status, Reply{Text: content, Model: gjson.Get(text, "model").String(), Usage: openAIUsage(gjson.Get(text, "usage").Raw)})
}

// contentText returns the text of an answer's content: a string, parts, or null.
func contentText(content gjson.Result) (string, bool) {
	switch {
	case content.Type == gjson.String:
		return content.String(), true
	case content.Type == gjson.Null:
		return "", true
	case !content.IsArray():
		return "", false
	}
	var b strings.Builder
	for _, part := range content.Array() {
		if kind := part.Get("type").String(); kind == "text" || kind == "output_text" {
			b.WriteString(part.Get("text").String())
		}
	}
	return b.String(), true
}

// Answer reads a whole chat answer.
func (ollama) Answer(status int, body []byte) (Reply, error) {
	text, e := object(status, body)
	if e != nil {
		return Reply{}, e
	}
	message := gjson.Get(text, "message")
	content := message.Get("content")
	kind := ending(gjson.Get(text, "done_reason").String())
	switch {
	case !message.IsObject() || content.Exists() && content.Type != gjson.String:
		kind = "shape"
	case calls(message):
		kind = "tool-call"
	case kind == "" && gjson.Get(text, "done").Type != gjson.True:
		kind = "unfinished"
	}
	if kind != "" {
		return Reply{}, &AnswerError{Kind: kind, Status: status}
	}
	return reply(status, Reply{Text: content.String(), Model: gjson.Get(text, "model").String(), Usage: ollamaUsage(text)})
}
