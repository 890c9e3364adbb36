package fakellm

import "fmt"

// refuse judges a chat by the rules, nil when it passes.
func (x *exchange) refuse() *answer {
	if x.blind {
		return nil
	}
	var refusal *Refusal
	if x.rec.body == nil { // it could not be read at all
		if x.opts.Rules&RuleShape == 0 {
			return nil
		}
		refusal = &Refusal{Rule: RuleShape, Status: 400, Problem: "invalid request body"}
	} else if refusal = x.body.check(x.opts.Rules); refusal == nil {
		return x.refuseField()
	}
	x.note(func(rec *Recorded) { rec.Refused = refusal.Error() })
	p := problem{status: refusal.Status, message: refusal.Error(), kind: "invalid_request_error", param: "messages"}
	if refusal.Status == 500 {
		p.kind, p.code = "server_error", 500
	}
	a := errorAnswer(x.rec.Dialect, p)
	return &a
}

// refuseField answers as OpenAI does to a limit by a name that the model does not take.
func (x *exchange) refuseField() *answer {
	for _, name := range []string{"max_tokens", "max_completion_tokens"} {
		if _, ok := lookup(x.body.fields, name); !ok || x.opts.TokensField == "" || name == x.opts.TokensField {
			continue
		}
		a := errorAnswer(x.rec.Dialect, problem{
			status: 400, kind: "invalid_request_error", param: name, code: "unsupported_parameter",
			message: fmt.Sprintf("Unsupported parameter: '%s' is not supported with this model. Use '%s' instead.",
				name, x.opts.TokensField),
		})
		return &a
	}
	return nil
}

// count measures the prompt, and what of it is in the prompt cache, and notes both.
func (x *exchange) count(messages []message) {
	p := prompt{frame: x.frameText()}
	total, before := x.meter.frame(x.body), make([]int, 0, len(messages)+1)
	for i := range messages {
		before = append(before, total)
		total += x.meter.message(&messages[i])
		p.messages = append(p.messages, messages[i].raw)
	}
	cached := 0
	if n := x.cache.take(p); n > 0 {
		// The last token is always evaluated anew: it gives the first word of the answer.
		cached = min(append(before, total)[n], total-1)
	}
	x.note(func(rec *Recorded) { rec.PromptTokens, rec.CachedTokens = total, cached })
}

func (x *exchange) frameText() string {
	text := x.rec.Model
	for _, key := range []string{"tools", "functions"} {
		if f, ok := lookup(x.body.fields, key); ok {
			text += "\x00" + string(f.value)
		}
	}
	return text
}

// size measures messages without touching the prompt cache.
func (x *exchange) size(messages []message) int {
	total := x.meter.frame(x.body)
	for i := range messages {
		total += x.meter.message(&messages[i])
	}
	return total
}

// cutOldest drops the oldest messages until the rest fits, as Ollama does: whole messages, no matter what they
// belong to; system messages and the last one stay.
func (x *exchange) cutOldest(window int) []message {
	all := x.body.messages
	if window <= 0 || x.size(all) <= window {
		return all
	}
	var left []message
	for first := 1; first < len(all); first++ {
		left = left[:0:0]
		for i := range all {
			if i >= first || all[i].system() {
				left = append(left, all[i])
			}
		}
		if x.size(left) <= window {
			break
		}
	}
	if left == nil {
		left = all
	}
	x.note(func(rec *Recorded) { rec.CutMessages = len(all) - len(left) })
	return left
}

// reply asks the script.
func (x *exchange) reply() Reply {
	rec := x.copyOf(x.rec)
	var r Reply
	if rec.Summary {
		r = x.opts.Summary(rec.lastText())
	} else {
		r = x.opts.Reply(rec)
	}
	r.Delay += x.opts.Latency
	r = x.fault.bendReply(r)
	for i := range r.Calls {
		if r.Calls[i].ID == "" {
			r.Calls[i].ID = fmt.Sprintf("call_%d_%d", rec.ID, i+1)
		}
		if r.Calls[i].Args == "" {
			r.Calls[i].Args = "{}"
		}
	}
	return r
}

// words is what the reply weighs, in tokens.
func (x *exchange) words(r Reply) int {
	n := x.opts.Count(r.Reasoning) + x.opts.Count(r.Text)
	for _, c := range r.Calls {
		n += x.opts.Count(c.Name) + x.opts.Count(c.Args)
	}
	return max(n, 1)
}
