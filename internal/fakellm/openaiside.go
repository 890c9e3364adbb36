package fakellm

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// listModels answers GET …/models. vLLM tells its window there.
func (x *exchange) listModels() answer {
	if x.rec.Dialect == Other { // LM Studio's and OpenRouter's lists are not played; see Options.Handle
		return notFound(x)
	}
	list := []object{}
	for _, name := range x.opts.Models {
		list = append(list, x.model(name))
	}
	return jsonAnswer(200, encode(object{"object": "list", "data": list}))
}

func (x *exchange) model(name string) object {
	m := object{"id": name, "object": "model", "created": 1700000000, "owned_by": "fakellm"}
	if x.opts.Overflow == "vllm" && x.Window() > 0 {
		m["max_model_len"] = x.Window()
	}
	return m
}

// oneModel answers GET …/models/{id}.
func (x *exchange) oneModel() answer {
	_, id, _ := strings.Cut(x.r.URL.Path, "/models/")
	for _, name := range x.opts.Models {
		if name == id {
			return jsonAnswer(200, encode(x.model(name)))
		}
	}
	return errorAnswer(OpenAI, problem{
		status: 404, message: "the model does not exist", kind: "not_found_error", code: "model_not_found",
	})
}

// props answers llama.cpp's GET /props.
func (x *exchange) props() answer {
	settings := object{}
	if x.Window() > 0 {
		settings["n_ctx"] = x.Window()
	}
	return jsonAnswer(200, encode(object{"default_generation_settings": settings, "total_slots": x.opts.Slots}))
}

// inputTokens answers llama.cpp's POST …/chat/completions/input_tokens.
func (x *exchange) inputTokens() answer {
	b, err := parseBody(OpenAI, x.rec.Body)
	if err != nil {
		return errorAnswer(OpenAI, problem{status: 400, message: "invalid JSON", kind: "invalid_request_error"})
	}
	x.body = b
	return jsonAnswer(200, encode(object{"object": "response.input_tokens", "input_tokens": x.size(b.messages)}))
}

// tokenize answers vLLM's and llama.cpp's POST /tokenize: a prompt, or a list of messages.
func (x *exchange) tokenize() answer {
	b, err := parseBody(OpenAI, x.rec.Body)
	if err != nil {
		return errorAnswer(OpenAI, problem{status: 400, message: "invalid JSON", kind: "invalid_request_error"})
	}
	x.body = b
	n := x.size(b.messages)
	for _, key := range []string{"prompt", "content"} {
		f, _ := lookup(b.fields, key)
		n += x.opts.Count(unquote(f.value))
	}
	return jsonAnswer(200, encode(object{"count": n, "max_model_len": x.Window(), "tokens": make([]int, n)}))
}

// embeddings answers POST …/embeddings with one small fixed vector an input.
func (x *exchange) embeddings() answer {
	var request struct {
		Input    any    `json:"input"`
		Encoding string `json:"encoding_format"`
	}
	_ = json.Unmarshal(x.rec.Body, &request)
	inputs, ok := request.Input.([]any)
	if !ok {
		inputs = []any{request.Input}
	}
	data := []object{}
	for i := range inputs {
		var vector any = []float32{0, 1}
		if request.Encoding == "base64" {
			vector = base64.StdEncoding.EncodeToString([]byte{0, 0, 0, 0, 0, 0, 0x80, 0x3f})
		}
		data = append(data, object{"object": "embedding", "index": i, "embedding": vector})
	}
	return jsonAnswer(200, encode(object{"object": "list", "data": data, "usage": object{"prompt_tokens": 1, "total_tokens": 1}}))
}
