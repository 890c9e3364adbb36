package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"recap/internal/fakellm"
)

const (
	demoModelName = "demo-model"
	demoChatPath  = "/v1/chat/completions"
)

// agent is an ordinary chat client: it keeps the whole chat and sends all of it each time.
type agent struct {
	client   *http.Client
	messages []json.RawMessage
}

func newAgent() *agent {
	// A transport of its own: no proxy of the environment, and connections that can be closed at the end.
	a := &agent{client: &http.Client{Transport: &http.Transport{DisableCompression: true}}}
	a.add(map[string]any{"role": "system", "content": demoSystem})
	return a
}

func (a *agent) add(message map[string]any) {
	text, _ := json.Marshal(message) // strings and lists of them: nothing here can fail
	a.messages = append(a.messages, text)
}

// keep takes an answer into the chat.
func (a *agent) keep(r *reply) {
	message := map[string]any{"role": "assistant", "content": r.text}
	if len(r.calls) > 0 {
		calls := make([]map[string]any, len(r.calls))
		for i, c := range r.calls {
			calls[i] = map[string]any{"id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": c.Args}}
		}
		message["content"], message["tool_calls"] = nil, calls
	}
	a.add(message)
}

// body is the next request.
func (a *agent) body() []byte {
	var b bytes.Buffer
	b.WriteString(`{"model":"` + demoModelName + `","stream":true,"stream_options":{"include_usage":true},"tools":` + demoTools + `,"messages":[`)
	for i, m := range a.messages {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(m)
	}
	b.WriteString("]}")
	return b.Bytes()
}

// size asks the model how many tokens a body has; llama.cpp answers such questions too.
func (a *agent) size(ctx context.Context, url string, body []byte) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+demoChatPath+"/input_tokens", bytes.NewReader(body))
	if err != nil {
		return 0, fmt.Errorf("count tokens: %w", err)
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return 0, fmt.Errorf("count tokens: %w", err)
	}
	defer resp.Body.Close()
	var counted struct {
		Tokens int `json:"input_tokens"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&counted); err != nil {
		return 0, fmt.Errorf("count tokens: %w", err)
	}
	return counted.Tokens, nil
}

// reply is one answer as the agent got it.
type reply struct {
	code           int
	header         http.Header
	text           string
	calls          []fakellm.ToolCall
	prompt, cached int // tokens, as the model counted
	sent, ended    time.Time
}

// ask sends a body and reads the stream; heard gets the text as it comes.
func (a *agent) ask(ctx context.Context, url string, body []byte, heard func(text string)) (*reply, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+demoChatPath, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("ask the model: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	r := &reply{sent: time.Now()}
	resp, err := a.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask the model: %w", err)
	}
	defer resp.Body.Close()
	r.code, r.header = resp.StatusCode, resp.Header
	if r.code != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
		r.text = string(text)
		return r, nil
	}
	err = r.read(resp.Body, heard)
	r.ended = time.Now()
	return r, err
}

// chunk is one event of an OpenAI stream.
type chunk struct {
	Choices []struct {
		Delta struct {
			Content string `json:"content"`
			Calls   []struct {
				Index    int    `json:"index"`
				ID       string `json:"id"`
				Function struct {
					Name string `json:"name"`
					Args string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"delta"`
	} `json:"choices"`
	Usage struct {
		Prompt  int `json:"prompt_tokens"`
		Details struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
}

func (r *reply) read(body io.Reader, heard func(text string)) error {
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if data == "[DONE]" {
			return nil
		}
		var c chunk
		if !ok {
			continue
		}
		if err := json.Unmarshal([]byte(data), &c); err != nil {
			return fmt.Errorf("read the answer: %w", err)
		}
		r.take(&c)
		heard(r.text)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	return fmt.Errorf("read the answer: %w", io.ErrUnexpectedEOF)
}

func (r *reply) take(c *chunk) {
	if c.Usage.Prompt > 0 {
		r.prompt, r.cached = c.Usage.Prompt, c.Usage.Details.Cached
	}
	for _, choice := range c.Choices {
		r.text += choice.Delta.Content
		for _, call := range choice.Delta.Calls {
			if call.ID != "" {
				r.calls = append(r.calls, fakellm.ToolCall{ID: call.ID, Name: call.Function.Name})
			}
			if n := len(r.calls); n > 0 {
				r.calls[n-1].Args += call.Function.Args
			}
		}
	}
}
