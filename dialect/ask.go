package dialect

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// request writes the JSON object of a summary call, member by member. The first error stays.
type request struct {
	out []byte
	err error
}

func (r *request) name(name string) {
	switch {
	case len(r.out) == 0:
		r.out = append(r.out, '{')
	case r.out[len(r.out)-1] != '{':
		r.out = append(r.out, ',')
	}
	r.out = append(appendString(r.out, name), ':')
}

func (r *request) text(name, value string) {
	r.name(name)
	r.out = appendString(r.out, value)
}

func (r *request) raw(name, value string) {
	r.name(name)
	r.out = append(r.out, value...)
}

// prompt adds the only message.
func (r *request) prompt(text string) {
	r.name("messages")
	r.out = append(r.out, `[{"role":"user","content":`...)
	r.out = append(appendString(r.out, text), `}]`...)
}

// structural are the members that make a summary call what it is: one question, one plain answer.
var structural = []string{
	"messages", "user", "stream", "n", "tools", "tool_choice", "functions", "function_call", "response_format", "format",
}

// parameters adds summarization.parameters in the order of their names.
func (r *request) parameters(parameters map[string]any) {
	for _, name := range sortedKeys(parameters) {
		value, err := scalar(parameters[name])
		if err != nil || slices.Contains(structural, name) {
			r.err = fmt.Errorf("ask for summary: summarization.parameters: %q cannot be set to that", name)
			return
		}
		r.raw(name, value)
	}
}

func (r *request) done(path string) (Request, error) {
	if r.err != nil {
		return Request{}, r.err
	}
	return Request{Path: path, Body: append(r.out, '}')}, nil
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// scalar returns the JSON of a number, string, bool or nil.
func scalar(value any) (string, error) {
	switch value := value.(type) {
	case string:
		return string(appendString(nil, value)), nil
	case nil, bool, int, int64, uint64, float64, float32, int32, uint, uint32, json.Number:
		text, err := json.Marshal(value)
		return string(text), err
	}
	return "", fmt.Errorf("%T is no number, string, bool or null", value)
}

// unset reports whether a member that we would add is left to the parameters, which win.
func (q *Question) unset(names ...string) bool {
	for _, name := range names {
		if _, ok := q.Parameters[name]; ok {
			return false
		}
	}
	return true
}

// Ask builds one chat completion.
func (d openAI) Ask(q Question) (Request, error) {
	if q.Live != nil {
		return d.askLive(q)
	}
	var r request
	if q.unset("model") {
		r.text("model", q.Model)
	}
	r.prompt(q.Prompt)
	r.raw("stream", "false")
	if q.MaxTokens > 0 && q.unset("max_tokens", "max_completion_tokens") {
		field := "max_tokens"
		if q.TokensField == "max_completion_tokens" {
			field = q.TokensField
		}
		r.raw(field, strconv.Itoa(q.MaxTokens))
	}
	r.parameters(q.Parameters)
	return r.done("/v1/chat/completions")
}

// ollamaTop are the parameters that stand beside Ollama's options.
var ollamaTop = []string{"model", "think", "keep_alive", "truncate", "shift"}

// ollamaParameters tells the parameters that stand at the top from those of the model, which go into options.
func ollamaParameters(q *Question) (top, options map[string]any) {
	top, options = map[string]any{}, map[string]any{}
	for name, value := range q.Parameters {
		if slices.Contains(ollamaTop, name) {
			top[name] = value
		} else {
			options[name] = value
		}
	}
	return top, options
}

// Ask builds one chat without streaming.
func (d ollama) Ask(q Question) (Request, error) {
	if q.Live != nil {
		return d.askLive(q)
	}
	top, options := ollamaParameters(&q)
	var r request
	if q.unset("model") {
		r.text("model", q.Model)
	}
	r.prompt(q.Prompt)
	r.raw("stream", "false")
	if q.unset("truncate") {
		r.raw("truncate", "false") // a summary of what Ollama left of the text would stand for all of it (P9)
	}
	if q.NoThink && q.unset("think") {
		r.raw("think", "false")
	}
	if q.unset("keep_alive") && keeps(q.KeepAlive) {
		r.raw("keep_alive", q.KeepAlive)
	}
	r.parameters(top)
	if inner := ollamaAskOptions(q, options); len(inner.out) > 0 || inner.err != nil {
		r.raw("options", string(inner.out)+"}")
		if r.err == nil {
			r.err = inner.err
		}
	}
	return r.done("/api/chat")
}

func ollamaAskOptions(q Question, options map[string]any) request {
	var r request
	if q.NumCtx > 0 && q.unset("num_ctx") {
		// The same window as the chat's: another one would make Ollama load the model again.
		r.raw("num_ctx", strconv.Itoa(q.NumCtx))
	}
	if q.MaxTokens > 0 && q.unset("num_predict") {
		r.raw("num_predict", strconv.Itoa(q.MaxTokens))
	}
	r.parameters(options)
	return r
}

// keeps reports whether a keep_alive may go with a summary call: one of zero would unload the model that
// the next turn needs.
func keeps(keepAlive string) bool {
	if keepAlive == "" || !valid(keepAlive) {
		return false
	}
	return strings.Trim(keepAlive, `"+-0.hmsuµn`) != ""
}
