package dialect

import (
	"errors"
	"slices"
	"strconv"

	"github.com/tidwall/gjson"

	"recap/chat"
)

// Live is a chat's own request, as it was sent. A summary call that begins with the same messages and tools finds them in
// the upstream's prompt cache, and only its last message is new.
type Live struct {
	Body     string
	Messages int  // of its list that the call begins with, system ones included
	Noted    bool // it holds a record of messages that were dropped
}

// pause is what the assistant is taken to have said where the messages end with the user's or a tool's: many templates
// want roles to alternate, and the real answer is not known before the next request.
const pause = "[The conversation paused here.]"

// liveDropped are the members of a live request that are about its answer, not about its prompt, by format. All others
// stay as they are: an unknown one may be part of the prompt.
var liveDropped = map[string][]string{
	"openai": {
		"stream", "stream_options", "n", "max_tokens", "max_completion_tokens", "response_format", "stop", "tool_choice",
		"function_call", "parallel_tool_calls", "logprobs", "top_logprobs", "logit_bias", "prediction", "modalities", "audio", "store",
		"metadata", "web_search_options", "min_tokens", "ignore_eos", "grammar", "json_schema", "guided_json",
		"guided_regex", "guided_choice", "guided_grammar", "structured_outputs", "n_predict", "best_of", "echo",
		"continue_final_message", "add_generation_prompt",
	},
	"ollama":  {"stream", "format", "logprobs", "top_logprobs"},
	"options": {"num_predict", "stop"},
}

var errLive = errors.New("ask for summary: the live request is not understood")

// follow copies a live request up to its messages' end and puts the question behind them. Members that are named in drop
// or set by parameters stay out.
func (r *request) follow(q *Question, drop []string) {
	c := cursor{s: q.Live.Body}
	found := false
	for c.open('{'); c.more('}'); {
		key := c.key()
		value := c.value()
		if c.odd != "" || slices.Contains(drop, key) {
			continue
		}
		if key == "messages" {
			r.messages(q, value.Of(c.s))
			found = true
			continue
		}
		if _, set := q.Parameters[key]; !set {
			r.raw(key, value.Of(c.s))
		}
	}
	if c.odd != "" || !found {
		r.err = errLive
	}
}

// messages writes the first messages of a list, and the question.
func (r *request) messages(q *Question, list string) {
	c := cursor{s: list}
	end, n, before := 0, 0, ""
	for c.open('['); n < q.Live.Messages && c.more(']'); n++ {
		message := c.value()
		end = message.End
		if role := gjson.Get(message.Of(list), "role").String(); role != "system" && role != "developer" {
			before = role
		}
	}
	if c.odd != "" || n < q.Live.Messages || n == 0 {
		r.err = errLive
		return
	}
	r.name("messages")
	r.out = append(r.out, list[:end]...)
	if before != "assistant" {
		r.out = append(r.out, `,{"role":"assistant","content":"`+pause+`"}`...)
	}
	r.out = append(r.out, `,{"role":"user","content":`...)
	r.out = append(appendString(r.out, q.Prompt), `}]`...)
}

// askLive builds a chat completion that goes on where the live request stood. Tools stay, for they are part of the
// prompt, and none may be called.
func (openAI) askLive(q Question) (Request, error) {
	var r request
	r.follow(&q, liveDropped["openai"])
	r.raw("stream", "false")
	for _, choice := range [][2]string{{"tools", "tool_choice"}, {"functions", "function_call"}} {
		if list := gjson.Get(q.Live.Body, choice[0]); list.IsArray() && list.Raw != "[]" {
			r.text(choice[1], "none")
		}
	}
	if q.MaxTokens > 0 && q.unset("max_tokens", "max_completion_tokens") {
		field := q.TokensField
		if field == "" {
			field = "max_tokens"
			if gjson.Get(q.Live.Body, "max_completion_tokens").Exists() {
				field = "max_completion_tokens"
			}
		}
		r.raw(field, strconv.Itoa(q.MaxTokens))
	}
	r.parameters(q.Parameters)
	return r.done("/v1/chat/completions")
}

// askLive builds a chat that goes on where the live request stood: its window and all that Ollama loads a model by stay
// (B3); a keep_alive that would unload the model does not.
func (ollama) askLive(q Question) (Request, error) {
	top, options := ollamaParameters(&q)
	drop := append([]string{"options", "truncate"}, liveDropped["ollama"]...)
	if kept := gjson.Get(q.Live.Body, "keep_alive"); kept.Exists() && !keeps(kept.Raw) {
		drop = append(drop, "keep_alive")
	}
	q.Parameters = top
	var r request
	r.follow(&q, drop)
	r.raw("stream", "false")
	if q.unset("truncate") {
		r.raw("truncate", "false") // as in Ask
	}
	r.parameters(top)
	if inner := liveOptions(&q, options); r.err == nil {
		r.raw("options", string(inner.out)+"}")
		r.err = inner.err
	}
	return r.done("/api/chat")
}

// liveOptions are the live request's options with another limit of the answer.
func liveOptions(q *Question, parameters map[string]any) request {
	r := request{out: []byte{'{'}}
	if was := gjson.Get(q.Live.Body, "options"); was.IsObject() {
		c := cursor{s: was.Raw}
		for c.open('{'); c.more('}'); {
			key := c.key()
			value := c.value()
			_, set := parameters[key]
			if c.odd == "" && !set && !slices.Contains(liveDropped["options"], key) {
				r.raw(key, value.Of(c.s))
			}
		}
	}
	if _, set := parameters["num_predict"]; !set && q.MaxTokens > 0 {
		r.raw("num_predict", strconv.Itoa(q.MaxTokens))
	}
	r.parameters(parameters)
	return r
}

// NewLive returns what a summary call may begin with: body, as it was sent for c by plan p, up to the message of c that
// stands at index to. Nil where the note stands behind it.
func NewLive(body string, c *chat.Chat, p *chat.Plan, to int) *Live {
	if p.Note != nil && p.Note.Message >= to {
		return nil
	}
	n := min(to, len(c.Messages))
	for _, i := range p.Drop {
		if i < to {
			n--
		}
	}
	if n <= 0 {
		return nil
	}
	return &Live{Body: body, Messages: n, Noted: p.Note != nil}
}
