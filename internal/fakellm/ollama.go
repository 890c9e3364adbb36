package fakellm

import (
	"encoding/json"
	"time"
)

// ollamaChat answers POST /api/chat.
func (x *exchange) ollamaChat() answer {
	if a := x.refuse(); a != nil {
		return *a
	}
	if len(x.body.messages) == 0 && x.rec.body != nil {
		return x.load()
	}
	if a := x.refuseLong(); a != nil {
		return *a
	}
	x.count(x.cutOldest(x.numCtx()))
	x.note(func(rec *Recorded) {
		if w := x.numCtx(); w > 0 { // a last message over the window is cut by the runner
			rec.PromptTokens = min(rec.PromptTokens, w)
		}
	})
	return x.ollamaAnswer(x.reply())
}

// refuseLong answers that the prompt is too long where the client has forbidden to cut it.
func (x *exchange) refuseLong() *answer {
	truncate, ok := lookup(x.body.fields, "truncate")
	window := x.numCtx()
	if !ok || string(truncate.value) != "false" || window <= 0 || x.size(x.body.messages) <= window {
		return nil
	}
	x.note(func(rec *Recorded) { rec.Overflow = true })
	a := errorAnswer(Ollama, problem{
		status:  400,
		message: "the prompt is longer than the context length currently available to the model; shorten it or raise num_ctx",
	})
	return &a
}

// numCtx is the window of this request: what it asks for, else the server's.
func (x *exchange) numCtx() int {
	options, ok := lookup(x.body.fields, "options")
	if ok && isObject(options.value) {
		fields, _ := members(options.value)
		asked, _ := lookup(fields, "num_ctx")
		if n := number(asked.value); n > 0 {
			return min(n, x.opts.TrainedWindow)
		}
	}
	return x.Window()
}

// load answers a chat with no messages: it loads the model, or with keep_alive 0 unloads it.
func (x *exchange) load() answer {
	reason := "load"
	if alive, ok := lookup(x.body.fields, "keep_alive"); ok && string(alive.value) == "0" {
		reason = "unload"
	}
	body := ollamaFrame(x.rec.Model)
	body["message"] = object{"role": "assistant", "content": ""}
	body["done"], body["done_reason"] = true, reason
	return jsonAnswer(200, encode(body))
}

func ollamaFrame(model string) object {
	return object{"model": model, "created_at": time.Unix(1700000000, 0).UTC().Format(time.RFC3339Nano)}
}

// ollamaAnswer gives a reply Ollama's shape: lines, or one object when the client asked for no stream.
func (x *exchange) ollamaAnswer(r Reply) answer {
	if !x.rec.Stream {
		body := ollamaFrame(x.rec.Model)
		body["message"] = ollamaMessage(r)
		x.finish(body, r)
		a := jsonAnswer(200, encode(body))
		a.delay = r.Delay
		return a
	}
	a := streamAnswer(typeNDJSON)
	a.delay, a.gap = r.Delay, r.Gap
	line := func(part Reply) {
		body := ollamaFrame(x.rec.Model)
		body["message"], body["done"] = ollamaMessage(part), false
		a.add(body)
	}
	for _, text := range chunks(r.Reasoning, r.Chunk) {
		line(Reply{Reasoning: text})
	}
	for _, text := range chunks(r.Text, r.Chunk) {
		line(Reply{Text: text})
	}
	if len(r.Calls) > 0 {
		line(Reply{Calls: r.Calls})
	}
	last := ollamaFrame(x.rec.Model)
	last["message"] = ollamaMessage(Reply{})
	x.finish(last, r)
	a.add(last)
	return a
}

// finish puts in what stands in the last line.
func (x *exchange) finish(body object, r Reply) {
	body["done"], body["done_reason"] = true, "stop"
	if r.Finish == "length" {
		body["done_reason"] = "length"
	}
	body["total_duration"], body["load_duration"] = 2000000, 1000000
	if x.opts.NoUsage {
		return
	}
	rec := x.copyOf(x.rec)
	body["prompt_eval_count"], body["prompt_eval_duration"] = rec.PromptTokens, 500000
	body["eval_count"], body["eval_duration"] = x.words(r), 500000
}

func ollamaMessage(r Reply) object {
	m := object{"role": "assistant", "content": r.Text}
	if r.Reasoning != "" {
		m["thinking"] = r.Reasoning
	}
	if len(r.Calls) > 0 {
		calls := make([]object, len(r.Calls))
		for i, c := range r.Calls {
			calls[i] = object{"function": object{"name": c.Name, "arguments": json.RawMessage(c.Args)}}
		}
		m["tool_calls"] = calls
	}
	return m
}
