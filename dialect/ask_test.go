package dialect_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"recap/chat"
	"recap/dialect"
)

// A20, B3, B6: one user message, no stream, nothing of the client's; the same window; no thinking; no unloading.
func TestAsk(t *testing.T) {
	f := func(name string, q dialect.Question, path, want string) {
		t.Helper()
		r, err := dialect.AskerByName(name).Ask(q)
		if err != nil || r.Path != path || string(r.Body) != want || !json.Valid(r.Body) {
			t.Errorf("%s: got %s %s, %v\nwant %s %s", name, r.Path, r.Body, err, path, want)
		}
	}
	type q = dialect.Question
	const o, l, u = "/v1/chat/completions", "/api/chat", "/utility/complete"
	f("openai", q{Model: "m", Prompt: "a\n\"b\" <c>", MaxTokens: 9, NumCtx: 5, KeepAlive: "1", NoThink: true}, o,
		`{"model":"m","messages":[{"role":"user","content":"a\n\"b\" <c>"}],"stream":false,"max_tokens":9}`)
	f("openai", q{Model: "m", Prompt: "p", MaxTokens: 9, TokensField: "max_completion_tokens"}, o,
		`{"model":"m","messages":[{"role":"user","content":"p"}],"stream":false,"max_completion_tokens":9}`)
	f("openai", q{Model: "m", Prompt: "p"}, o, `{"model":"m","messages":[{"role":"user","content":"p"}],"stream":false}`)
	f("openai", q{Model: "m", Prompt: "p", MaxTokens: 9, Parameters: map[string]any{"top_p": 1, "temperature": 0.2, "max_tokens": 3, "seed": nil, "store": false, "x": "<y>"}}, o,
		`{"model":"m","messages":[{"role":"user","content":"p"}],"stream":false,"max_tokens":3,"seed":null,"store":false,"temperature":0.2,"top_p":1,"x":"<y>"}`)
	f("ollama", q{Model: "m", Prompt: "p"}, l, `{"model":"m","messages":[{"role":"user","content":"p"}],"stream":false,"truncate":false}`)
	f("ollama", q{Model: "m", Prompt: "p", MaxTokens: 9, NumCtx: 8192, KeepAlive: `"5m"`, NoThink: true, Parameters: map[string]any{"temperature": 0.2}}, l,
		`{"model":"m","messages":[{"role":"user","content":"p"}],"stream":false,"truncate":false,"think":false,"keep_alive":"5m","options":{"num_ctx":8192,"num_predict":9,"temperature":0.2}}`)
	f("ollama", q{Model: "m", Prompt: "p", MaxTokens: 9, NumCtx: 5, KeepAlive: "1", NoThink: true, Parameters: map[string]any{"num_predict": 3, "num_ctx": 4, "think": "low", "keep_alive": 2}}, l,
		`{"model":"m","messages":[{"role":"user","content":"p"}],"stream":false,"truncate":false,"keep_alive":2,"think":"low","options":{"num_ctx":4,"num_predict":3}}`)
	for keep, sent := range map[string]string{"-1": `,"keep_alive":-1`, `"-1s"`: `,"keep_alive":"-1s"`, "0": "", `"0"`: "", `"0s"`: "", `"0h0m"`: "", "x": "", `"10m"`: `,"keep_alive":"10m"`} {
		f("ollama", q{Model: "m", Prompt: "p", KeepAlive: keep}, l, `{"model":"m","messages":[{"role":"user","content":"p"}],"stream":false,"truncate":false`+sent+`}`)
	}
	// N7, N13.
	f("utility", q{Model: "m", Prompt: "p", MaxTokens: 500, Parameters: map[string]any{"temperature": 0.2}}, u, `{"user":"p","maxTokens":500,"temperature":0.2}`)
}

func TestAskRefusesParameters(t *testing.T) {
	for _, name := range []string{"openai", "ollama", "utility"} {
		for key, value := range map[string]any{
			"messages": "x", "stream": true, "tools": "x", "n": 2, "response_format": "x", "a": []any{1}, "b": map[string]any{}, "c": math.NaN(),
		} {
			_, err := dialect.AskerByName(name).Ask(dialect.Question{Parameters: map[string]any{key: value}})
			if err == nil || !strings.Contains(err.Error(), "summarization.parameters") {
				t.Errorf("%s took the parameter %s, or the error does not name the knob: %v", name, key, err)
			}
		}
	}
}

func TestAnswer(t *testing.T) {
	onAll(t, func(t *testing.T, d dialect.Dialect, s sample) {
		got, err := d.Answer(200, []byte(s.answer))
		if want := (dialect.Reply{Text: "SUM", Model: "m", Usage: chat.Usage{Prompt: 7, Completion: 5}}); err != nil || got != want {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	f := func(name, body, want string) {
		t.Helper()
		if got, err := dialect.AskerByName(name).Answer(200, []byte(body)); err != nil || got.Text != want {
			t.Errorf("%s: got %q, %v", body, got.Text, err)
		}
	}
	f("openai", `{"choices":[{"message":{"content":"<think>x</think>S\u00e9"}}],"error":null}`, "<think>x</think>Sé")
	f("openai", `{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"tool_calls":[]},"finish_reason":"stop"}]}`, "ab")
	f("ollama", `{"message":{"content":"S","thinking":"t"},"done":true}`, "S")
	f("utility", `{"content":"S"}`, "S")
	f("utility", `{"text":"S"}`, "S")
}

// A18, A20: what is not a complete summary is refused, and the error says what it was.
func TestA18AnswersThatAreNone(t *testing.T) {
	f := func(name string, status int, body, kind string) {
		t.Helper()
		_, err := dialect.AskerByName(name).Answer(status, []byte(body))
		var e *dialect.AnswerError
		if !errors.As(err, &e) || e.Kind != kind || e.Status != status {
			t.Errorf("%s %d %.80s: got %v, want %s", name, status, body, err, kind)
		}
	}
	for _, name := range []string{"openai", "ollama", "utility"} {
		f(name, 500, `{"error":{"message":"x"}}`, "status")
		f(name, 429, ``, "status")
		f(name, 301, `{}`, "status")
		f(name, 200, ``, "shape")
		f(name, 200, `<html><body>content</body></html>`, "shape")
		f(name, 200, `[]`, "shape")
		f(name, 200, `{}`, "shape")
		f(name, 200, `{"choices":[]}`, "shape")
		f(name, 200, `{"choices":[{"message":"x"}],"message":"x"}`, "shape")
		f(name, 200, strings.Repeat("[", 1_000_000), "shape")
		f(name, 200, `{"error":{"message":"x"}}`, "error-in-200")
		f(name, 200, `{"error":"x","content":"x","message":{"content":"x"}}`, "error-in-200")
	}
	o := func(message, finish, kind string) {
		t.Helper()
		f("openai", 200, `{"choices":[{"message":`+message+`,"finish_reason":`+finish+`}]}`, kind)
	}
	o(`{"content":""}`, `"stop"`, "empty")
	o(`{"content":" \n"}`, `"stop"`, "empty")
	o(`{"content":null,"reasoning_content":"x"}`, `"stop"`, "empty")
	o(`{"content":null,"refusal":"no"}`, `"stop"`, "empty")
	o(`{"content":[]}`, `"stop"`, "empty")
	o(`{"content":5}`, `"stop"`, "shape")
	o(`{"content":"x"}`, `"length"`, "length")
	o(`{"content":"x"}`, `"content_filter"`, "unfinished")
	o(`{"content":"x"}`, `"error"`, "unfinished")
	o(`{"content":"x"}`, `"tool_calls"`, "tool-call")
	o(`{"content":"x","tool_calls":[{"id":"c"}]}`, `"stop"`, "tool-call")
	o(`{"content":null,"function_call":{"name":"f"}}`, `"stop"`, "tool-call")
	f("openai", 200, samples["openai"].stream, "shape")
	f("ollama", 200, samples["ollama"].stream, "shape")
	f("ollama", 200, `{"message":{"content":"x"},"done":true,"done_reason":"length"}`, "length")
	f("ollama", 200, `{"message":{"content":"x"},"done":false}`, "unfinished")
	f("ollama", 200, `{"message":{"content":""},"done":true,"done_reason":"stop"}`, "empty")
	f("ollama", 200, `{"message":{"content":"x","tool_calls":[{"function":{"name":"f"}}]},"done":true}`, "tool-call")
	f("ollama", 200, `{"message":{"content":["x"]},"done":true}`, "shape")
	f("utility", 200, `{"content":" "}`, "empty")
	f("utility", 200, `{"content":"x","finish_reason":"length"}`, "length")
}

// P10: an error names the status and a machine word, never text of the answer.
func TestAnswerErrorsHoldNoText(t *testing.T) {
	f := func(status int, body, want string) {
		t.Helper()
		_, err := dialect.ByName("openai").Answer(status, []byte(body))
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	f(400, `{"error":{"message":"secret","type":"invalid_request_error","code":"context_length_exceeded"}}`, "read summary answer: status, status 400 (context_length_exceeded)")
	f(400, `{"error":{"message":"secret","type":"BadRequestError","code":400}}`, "read summary answer: status, status 400 (BadRequestError)")
	f(401, `{"error":{"message":"secret","type":"key sk-secret","code":"sk-secret"}}`, "read summary answer: status, status 401")
	f(500, `secret`, "read summary answer: status, status 500")
	f(200, `{"error":{"message":"secret","code":"overloaded"}}`, "read summary answer: error-in-200, status 200 (overloaded)")
}

func TestAnswerTokensField(t *testing.T) {
	f := func(status int, body string, want bool) {
		t.Helper()
		_, err := dialect.ByName("openai").Answer(status, []byte(body))
		var e *dialect.AnswerError
		if !errors.As(err, &e) || e.TokensField != want {
			t.Errorf("%d %s: got %+v, want %v", status, body, e, want)
		}
	}
	f(400, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`, true)
	f(400, `{"error":{"message":"Unrecognized request argument supplied: max_completion_tokens","type":"invalid_request_error","param":null,"code":null}}`, true)
	f(422, `{"detail":[{"type":"extra_forbidden","loc":["body","max_completion_tokens"],"msg":"Extra inputs are not permitted"}]}`, true)
	f(400, `{"error":{"message":"max_tokens is too large: 99999. This model supports at most 16384 completion tokens"}}`, false)
	f(400, `{"error":{"message":"Unsupported parameter: 'temperature'"}}`, false)
	f(500, `{"error":{"message":"Unsupported parameter: 'max_tokens'"}}`, false)
}
