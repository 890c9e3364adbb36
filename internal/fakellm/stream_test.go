package fakellm_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"recap/internal/fakellm"
)

func zipped(text []byte) []byte {
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	_, _ = zip.Write(text)
	_ = zip.Close()
	return b.Bytes()
}

func scripted(*fakellm.Recorded) fakellm.Reply {
	return fakellm.Reply{
		Text: "żółć 漢字 😀 answer", Reasoning: "let me think", Chunk: 5,
		Calls: []fakellm.ToolCall{{Name: "look", Args: `{"q":"x y"}`}},
	}
}

func streamBody(further string, messages ...string) []byte {
	return []byte(fmt.Sprintf(`{"model":"m","stream":true,%s"messages":[%s]}`, further, strings.Join(messages, ",")))
}

type chunk struct {
	Choices []struct {
		Delta struct {
			Role, Content    string
			ReasoningContent string `json:"reasoning_content"`
			ToolCalls        []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
		FinishReason string `json:"finish_reason"`
	}
	Usage *struct {
		PromptTokens        int `json:"prompt_tokens"`
		CompletionTokens    int `json:"completion_tokens"`
		PromptTokensDetails struct {
			CachedTokens int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	}
	Timings *struct {
		CacheN int `json:"cache_n"`
	}
}

func readSSE(t *testing.T, text string) []chunk {
	t.Helper()
	events := strings.Split(strings.TrimSuffix(text, "\n\n"), "\n\n")
	if events[len(events)-1] != "data: [DONE]" {
		t.Fatalf("does not end with [DONE]: %q", text)
	}
	chunks := make([]chunk, len(events)-1)
	for i := range chunks {
		if err := json.Unmarshal([]byte(strings.TrimPrefix(events[i], "data: ")), &chunks[i]); err != nil {
			t.Fatalf("event %d: %v", i, err)
		}
	}
	return chunks
}

func TestOpenAIStream(t *testing.T) {
	s := start(t, fakellm.Options{Reply: scripted})
	_, text, header := call(t, "POST", s.URL()+"/v1/chat/completions",
		streamBody(`"stream_options":{"include_usage":true},`, sys, usr))
	if got := header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("got type %q", got)
	}
	chunks := readSSE(t, text)
	var said, thought, args, finish string
	for _, c := range chunks[:len(chunks)-1] {
		delta := c.Choices[0].Delta
		said += delta.Content
		thought += delta.ReasoningContent
		for _, call := range delta.ToolCalls {
			args += call.Function.Name + call.Function.Arguments
		}
		finish = c.Choices[0].FinishReason
	}
	if chunks[0].Choices[0].Delta.Role != "assistant" || said != "żółć 漢字 😀 answer" || thought != "let me think" ||
		args != `look{"q":"x y"}` || finish != "tool_calls" {
		t.Errorf("got %q %q %q %q", said, thought, args, finish)
	}
	last := chunks[len(chunks)-1]
	if len(last.Choices) != 0 || last.Usage == nil || last.Timings == nil || last.Usage.CompletionTokens == 0 {
		t.Errorf("got last chunk %+v, want usage with no choices", last)
	}
	if got := s.Requests()[0].PromptTokens; got != last.Usage.PromptTokens || got != 10 {
		t.Errorf("got %d prompt tokens recorded, %d reported, want 10", got, last.Usage.PromptTokens)
	}
}

// C4: a client that did not ask for usage gets no chunk without choices.
func TestC4NoUsageUnasked(t *testing.T) {
	s := start(t, fakellm.Options{})
	for _, further := range []string{"", `"stream_options":{"include_usage":false},`} {
		_, text := post(t, s.URL()+"/v1/chat/completions", streamBody(further, usr))
		for i, c := range readSSE(t, text) {
			if len(c.Choices) != 1 || c.Usage != nil {
				t.Errorf("%s event %d: got %+v", further, i, c)
			}
		}
	}
}

func TestOpenAIWhole(t *testing.T) {
	s := start(t, fakellm.Options{Reply: scripted})
	_, text := post(t, s.URL()+"/v1/chat/completions", chatBody(usr))
	for _, want := range []string{
		`"content":"żółć 漢字 😀 answer"`, `"reasoning_content":"let me think"`, `"arguments":"{\"q\":\"x y\"}"`,
		`"finish_reason":"tool_calls"`, `"prompt_tokens":5`, `"cache_n":0`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

// B7: no stream field means a stream on Ollama's side.
func TestB7OllamaStreamsByDefault(t *testing.T) {
	s := start(t, fakellm.Options{Reply: scripted})
	_, text, header := call(t, "POST", s.URL()+"/api/chat", chatBody(usr))
	if got := header.Get("Content-Type"); got != "application/x-ndjson" {
		t.Errorf("got type %q", got)
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	said, calls := "", 0
	for i, line := range lines {
		m := decodeMap(t, line)
		message := m["message"].(map[string]any)
		said += message["content"].(string)
		if list, ok := message["tool_calls"].([]any); ok {
			calls += len(list)
		}
		if done := m["done"].(bool); done != (i == len(lines)-1) {
			t.Errorf("line %d: done %v", i, done)
		}
	}
	last := decodeMap(t, lines[len(lines)-1])
	if said != "żółć 漢字 😀 answer" || calls != 1 || last["prompt_eval_count"] != 5.0 || last["done_reason"] != "stop" {
		t.Errorf("got %q, %d calls, last %v", said, calls, last)
	}
}

func TestOllamaWhole(t *testing.T) {
	s := start(t, fakellm.Options{Reply: scripted})
	_, text := post(t, s.URL()+"/api/chat", []byte(`{"model":"m","stream":false,"messages":[`+usr+`]}`))
	m := decodeMap(t, text)
	message := m["message"].(map[string]any)
	if message["thinking"] != "let me think" || m["done"] != true || m["eval_count"] == nil {
		t.Errorf("got %s", text)
	}
	if !strings.Contains(text, `"arguments":{"q":"x y"}`) {
		t.Errorf("arguments are no object: %s", text)
	}
}

func TestOllamaLoad(t *testing.T) {
	s := start(t, fakellm.Options{})
	f := func(body, want string) {
		t.Helper()
		if _, text := post(t, s.URL()+"/api/chat", []byte(body)); decodeMap(t, text)["done_reason"] != want {
			t.Errorf("%s: got %s, want %s", body, text, want)
		}
	}
	f(`{"model":"m","messages":[]}`, "load")
	f(`{"model":"m"}`, "load")
	f(`{"model":"m","messages":[],"keep_alive":0}`, "unload")
}

func TestNoUsage(t *testing.T) {
	s := start(t, fakellm.Options{NoUsage: true})
	_, one := post(t, s.URL()+"/v1/chat/completions", chatBody(usr))
	_, two := post(t, s.URL()+"/api/chat", chatBody(usr))
	if strings.Contains(one, "usage") || strings.Contains(one, "timings") || strings.Contains(two, "eval_count") {
		t.Errorf("got %s and %s", one, two)
	}
}

func TestTokensField(t *testing.T) {
	s := start(t, fakellm.Options{TokensField: "max_completion_tokens"})
	f := func(field string, status int) {
		t.Helper()
		got, text := post(t, s.URL()+"/v1/chat/completions", []byte(`{"`+field+`":9,"messages":[`+usr+`]}`))
		if got != status {
			t.Errorf("%s: got %d %s, want %d", field, got, text, status)
		}
	}
	f("max_tokens", 400)
	f("max_completion_tokens", 200)
}
