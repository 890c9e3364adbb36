package fakellm

import (
	"encoding/json"
	"fmt"
)

// openaiChat answers POST …/chat/completions.
func (x *exchange) openaiChat() answer {
	if a := x.refuse(); a != nil {
		return *a
	}
	messages := x.body.messages
	if x.opts.Overflow == "ollama" {
		messages = x.cutOldest(x.Window())
	} else if a := x.overflow(x.size(messages)); a != nil {
		return *a
	}
	x.count(messages)
	o := x.openaiReply()
	if x.rec.Stream {
		return o.streamed(x.usageAsked())
	}
	return o.whole()
}

// openaiReply is a reply on its way into OpenAI's shape.
type openaiReply struct {
	Reply
	id, model string
	usage     object // nil: not reported
	timings   object // nil: not llama.cpp
}

func (x *exchange) openaiReply() *openaiReply {
	rec := x.copyOf(x.rec)
	o := &openaiReply{Reply: x.reply(), id: fmt.Sprintf("chatcmpl-%d", rec.ID), model: rec.Model}
	if o.Finish == "" {
		o.Finish = "stop"
		if len(o.Calls) > 0 {
			o.Finish = "tool_calls"
		}
	}
	words := x.words(o.Reply)
	if x.opts.NoUsage {
		return o
	}
	o.usage = object{
		"prompt_tokens": rec.PromptTokens, "completion_tokens": words, "total_tokens": rec.PromptTokens + words,
		"prompt_tokens_details": object{"cached_tokens": rec.CachedTokens},
	}
	if x.opts.Overflow == "" || x.opts.Overflow == "llamacpp" {
		o.timings = object{
			"cache_n": rec.CachedTokens, "prompt_n": rec.PromptTokens - rec.CachedTokens, "predicted_n": words,
		}
	}
	return o
}

func (x *exchange) usageAsked() bool {
	options, ok := lookup(x.body.fields, "stream_options")
	if !ok || !isObject(options.value) {
		return false
	}
	fields, _ := members(options.value)
	asked, _ := lookup(fields, "include_usage")
	return string(asked.value) == "true"
}

func (o *openaiReply) frame(kind string) object {
	return object{"id": o.id, "object": kind, "created": 1700000000, "model": o.model}
}

// whole is the plain answer.
func (o *openaiReply) whole() answer {
	message := object{"role": "assistant", "content": o.Text, "refusal": nil}
	if o.Reasoning != "" {
		message["reasoning_content"] = o.Reasoning
	}
	if len(o.Calls) > 0 {
		calls := make([]object, len(o.Calls))
		for i, c := range o.Calls {
			calls[i] = openaiCall(c)
		}
		message["tool_calls"] = calls
	}
	if o.Text == "" && (len(o.Calls) > 0 || o.Reasoning != "") {
		message["content"] = nil
	}
	body := o.frame("chat.completion")
	body["choices"] = []object{{"index": 0, "message": message, "finish_reason": o.Finish, "logprobs": nil}}
	o.report(body)
	a := jsonAnswer(200, encode(body))
	a.delay = o.Delay
	return a
}

func openaiCall(c ToolCall) object {
	return object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Args}}
}

func (o *openaiReply) report(body object) {
	if o.usage != nil {
		body["usage"] = o.usage
	}
	if o.timings != nil {
		body["timings"] = o.timings
	}
}

// streamed is the answer as events: role, reasoning, text, calls, finish, usage when asked for, [DONE].
func (o *openaiReply) streamed(usageAsked bool) answer {
	a := streamAnswer(typeSSE)
	a.delay, a.gap = o.Delay, o.Gap
	send := func(delta object, finish any) object {
		body := o.frame("chat.completion.chunk")
		body["choices"] = []object{{"index": 0, "delta": delta, "finish_reason": finish}}
		if usageAsked && o.usage != nil {
			body["usage"] = nil
		}
		return body
	}
	a.add(send(object{"role": "assistant", "content": ""}, nil))
	for _, text := range chunks(o.Reasoning, o.Chunk) {
		a.add(send(object{"reasoning_content": text}, nil))
	}
	for _, text := range chunks(o.Text, o.Chunk) {
		a.add(send(object{"content": text}, nil))
	}
	for _, delta := range o.callDeltas() {
		a.add(send(delta, nil))
	}
	last := send(object{}, o.Finish)
	if usageAsked && o.usage != nil {
		a.add(last)
		last = o.frame("chat.completion.chunk")
		last["choices"] = []object{}
		o.report(last)
	} else if o.timings != nil {
		last["timings"] = o.timings
	}
	a.add(last)
	a.events = append(a.events, []byte("data: [DONE]\n\n"))
	return a
}

// callDeltas opens each call and sends its arguments in pieces.
func (o *openaiReply) callDeltas() (deltas []object) {
	for i, c := range o.Calls {
		open := openaiCall(ToolCall{ID: c.ID, Name: c.Name})
		open["index"] = i
		deltas = append(deltas, object{"tool_calls": []object{open}})
		for _, text := range chunks(c.Args, o.Chunk) {
			piece := object{"index": i, "function": object{"arguments": text}}
			deltas = append(deltas, object{"tool_calls": []object{piece}})
		}
	}
	return deltas
}

// number reads an integer, 0 when value is none.
func number(value []byte) (n int) {
	_ = json.Unmarshal(value, &n)
	return n
}
