package fakellm_test

import (
	"strings"
	"testing"

	"recap/internal/fakellm"
)

// wordy is a message of 104 tokens.
func wordy(role string) string { return said(role, strings.Repeat("x", 360)) }

// The shapes of wire.md A6.
func TestOverflow(t *testing.T) {
	f := func(style string, window, status int, want string) {
		t.Helper()
		s := start(t, fakellm.Options{Window: window, Overflow: style})
		body := `{"model":"m","max_tokens":50,"messages":[` + wordy("user") + `]}`
		got, text := post(t, s.URL()+"/v1/chat/completions", []byte(body))
		if got != status || !strings.Contains(text, want) {
			t.Errorf("%s: got %d %s, want %d with %s", style, got, text, status, want)
		}
		if rec := s.Requests()[0]; rec.Overflow != (status == 400) || rec.PromptTokens != 104 {
			t.Errorf("%s: got %+v", style, rec)
		}
	}
	f("", 104, 200, "")
	f("llamacpp", 103, 400, `"n_ctx":103,"n_prompt_tokens":104`)
	f("llamacpp", 103, 400, `request (104 tokens) exceeds the available context size (103 tokens)`)
	f("openai", 153, 400, `"code":"context_length_exceeded"`)
	f("openai", 154, 200, "")
	f("vllm", 153, 400, `maximum context length is 153 tokens`)
	f("vllm", 154, 200, "")
}

func TestSetWindow(t *testing.T) {
	s := start(t, fakellm.Options{})
	if got, _ := post(t, s.URL()+"/v1/chat/completions", chatBody(wordy("user"))); got != 200 {
		t.Errorf("unlimited: got %d", got)
	}
	s.SetWindow(50)
	if got, _ := post(t, s.URL()+"/v1/chat/completions", chatBody(wordy("user"))); got != 400 || s.Window() != 50 {
		t.Errorf("50 tokens: got %d", got)
	}
}

// B1: Ollama drops the oldest whole messages with status 200, keeps system messages and the last one.
func TestB1OllamaCutsSilently(t *testing.T) {
	f := func(path, options string, window, cut, tokens int) {
		t.Helper()
		s := start(t, fakellm.Options{Window: window, Overflow: "ollama"})
		messages := []string{wordy("system"), wordy("user"), wordy("assistant"), wordy("user"), wordy("assistant"), wordy("user")}
		body := `{"model":"m",` + options + `"stream":false,"messages":[` + strings.Join(messages, ",") + `]}`
		status, text := post(t, s.URL()+path, []byte(body))
		rec := s.Requests()[0]
		if status != 200 || rec.CutMessages != cut || rec.PromptTokens != tokens {
			t.Errorf("window %d: got %d, %d cut, %d tokens, want 200, %d, %d: %s", window, status, rec.CutMessages,
				rec.PromptTokens, cut, tokens, text)
		}
		if path == "/api/chat" && decodeMap(t, text)["prompt_eval_count"] != float64(tokens) {
			t.Errorf("window %d: reported %s", window, text)
		}
	}
	f("/api/chat", "", 0, 0, 624)
	f("/api/chat", "", 624, 0, 624)
	f("/api/chat", "", 623, 1, 520)
	f("/api/chat", "", 400, 3, 312)
	f("/api/chat", "", 50, 4, 50) // the last message stays, whatever its size
	f("/api/chat", `"options":{"num_ctx":400},`, 623, 3, 312)
	f("/api/chat", `"options":null,`, 400, 3, 312)
	f("/v1/chat/completions", "", 400, 3, 312)
}

func TestPromptCache(t *testing.T) {
	s := start(t, fakellm.Options{})
	f := func(want int, messages ...string) {
		t.Helper()
		post(t, s.URL()+"/v1/chat/completions", chatBody(messages...))
		chats := s.Chats()
		if got := chats[len(chats)-1].CachedTokens; got != want {
			t.Errorf("%d messages: got %d tokens cached, want %d", len(messages), got, want)
		}
	}
	f(0, sys, usr)
	f(10, sys, usr, asst, usr)     // grows: all that was there
	f(19, sys, usr, asst, usr)     // the same again: all but the last token
	f(5, sys, said("user", "new")) // only the system prompt is the same
	f(0, said("user", "other"))    // another chat evicts
	f(0, sys, said("user", "new"), asst, usr)
}

// Another model or other tools share no prompt.
func TestPromptCacheFrame(t *testing.T) {
	s := start(t, fakellm.Options{})
	for _, frame := range []string{`"model":"m"`, `"model":"n"`, `"model":"n","tools":[{"type":"function"}]`} {
		post(t, s.URL()+"/v1/chat/completions", []byte(`{`+frame+`,"messages":[`+usr+`]}`))
	}
	for i, rec := range s.Chats() {
		if rec.CachedTokens != 0 {
			t.Errorf("request %d: got %d tokens cached, want none", i, rec.CachedTokens)
		}
	}
}

func TestPromptCacheSlots(t *testing.T) {
	s := start(t, fakellm.Options{Slots: 2})
	one, two := []string{usr}, []string{said("user", "two")}
	for _, messages := range [][]string{one, two, one, two} {
		post(t, s.URL()+"/v1/chat/completions", chatBody(messages...))
	}
	chats := s.Chats()
	if chats[2].CachedTokens == 0 || chats[3].CachedTokens == 0 {
		t.Error("two slots do not keep two prompts")
	}
}

func TestCountRunes(t *testing.T) {
	f := func(text string, want int) {
		t.Helper()
		if got := fakellm.CountRunes(text); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
	f("", 0)
	f("a", 1)
	f(strings.Repeat("漢", 36), 10)
	f(strings.Repeat("a", 37), 11)
}
