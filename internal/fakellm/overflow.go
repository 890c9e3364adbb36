package fakellm

import "fmt"

// overflow answers that the prompt is too long, nil when it fits. The shapes are those of wire.md A6.
func (x *exchange) overflow(used int) *answer {
	window, reply := x.Window(), x.replyLimit()
	var p problem
	switch {
	case window <= 0:
		return nil
	case x.opts.Overflow == "openai" && used+reply > window:
		p = openaiOverflow(window, used, reply)
	case x.opts.Overflow == "vllm" && used+max(reply, 1) > window:
		p = vllmOverflow(window, used, reply)
	case (x.opts.Overflow == "" || x.opts.Overflow == "llamacpp") && used > window:
		p = llamaOverflow(window, used)
	default:
		return nil
	}
	p.status = 400
	x.note(func(rec *Recorded) { rec.Overflow, rec.PromptTokens = true, used })
	a := errorAnswer(OpenAI, p)
	return &a
}

// replyLimit is what the client lets the model answer, in tokens; 0 = not given.
func (x *exchange) replyLimit() int {
	for _, name := range []string{"max_completion_tokens", "max_tokens"} {
		if f, ok := lookup(x.body.fields, name); ok {
			return number(f.value)
		}
	}
	return 0
}

func openaiOverflow(window, used, reply int) problem {
	message := fmt.Sprintf("This model's maximum context length is %d tokens. However, your messages resulted in %d "+
		"tokens. Please reduce the length of the messages.", window, used)
	if reply > 0 {
		message = fmt.Sprintf("This model's maximum context length is %d tokens. However, you requested %d tokens "+
			"(%d in the messages, %d in the completion). Please reduce the length of the messages or completion.",
			window, used+reply, used, reply)
	}
	return problem{message: message, kind: "invalid_request_error", param: "messages", code: "context_length_exceeded"}
}

func vllmOverflow(window, used, reply int) problem {
	message := fmt.Sprintf("This model's maximum context length is %d tokens. However, you requested %d output tokens "+
		"and your prompt contains at least %d input tokens, for a total of at least %d tokens. Please reduce the length "+
		"of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=%d)",
		window, reply, used, used+reply, used)
	return problem{message: message, kind: "BadRequestError", code: 400}
}

func llamaOverflow(window, used int) problem {
	message := fmt.Sprintf("request (%d tokens) exceeds the available context size (%d tokens), try increasing it",
		used, window)
	return problem{
		message: message, kind: "exceed_context_size_error", code: 400,
		more: object{"n_prompt_tokens": used, "n_ctx": window},
	}
}
