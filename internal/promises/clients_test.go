package promises_test

import (
	"fmt"
	"strings"
	"testing"

	"recap/internal/fakellm"
)

// forms runs f for both formats and two windows.
func forms(t *testing.T, f func(t *testing.T, format string, window int)) {
	for _, format := range []string{"openai", "ollama"} {
		for _, window := range []int{3000, 5000} {
			t.Run(fmt.Sprint(format, " ", window), func(t *testing.T) {
				t.Parallel()
				f(t, format, window)
			})
		}
	}
}

// B3: a client that drops its oldest messages by itself, as Home Assistant and SillyTavern do: nothing is put into its
// requests, and they stay as they came.
func TestSlidingClient(t *testing.T) {
	forms(t, func(t *testing.T, format string, window int) {
		r := newRig(t, window, marked(), nil)
		h := &history{dialect: format}
		for range 40 {
			reply := h.ask()
			window := h.fork(len(h.list))
			window.list = window.list[turnAt(h, max(len(h.list)-12, 0)):]
			a := r.send(window, "You keep the house.")
			if !has(a.status(), "clear") || string(r.sent()) != string(window.body("You keep the house.")) {
				t.Fatalf("%d messages of %d: %s", len(window.list), len(h.list), a.status())
			}
			h.list = append(h.list, reply...)
		}
		if n := len(r.up.Summaries()); n != 0 {
			t.Errorf("%d summaries for a client that needs none", n)
		}
	})
}

// B3: a client that compacts by itself begins a new history: no checkpoint of the old one is put into it, and it is
// compacted anew when it has grown.
func TestCompactingClient(t *testing.T) {
	forms(t, func(t *testing.T, format string, window int) {
		r := newRig(t, window, marked(), nil)
		h := &history{dialect: format}
		grow := func(turns int) (last answer) {
			for range turns {
				reply := h.ask()
				last = r.send(h, "")
				h.list = append(h.list, reply...)
			}
			return last
		}
		before := grow(window / 110)
		if covered(before) == 0 {
			t.Fatalf("no checkpoint before: %s", before.status())
		}
		kept := h.list[turnAt(h, len(h.list)-8):]
		h.list = append([]string{
			`{"role":"user","content":"` + mark() + `Summary of our conversation: it was long."}`,
			`{"role":"assistant","content":"I have read it."}`,
		}, kept...)
		if a := grow(1); !has(a.status(), "clear") || covered(a) != 0 {
			t.Errorf("after the client's own summary: %s, %d covered", a.status(), covered(a))
		}
		if after := grow(window / 110); covered(after) == 0 {
			t.Errorf("grown again: %s", after.status())
		}
	})
}

// wire.md B2: a clock in the system prompt changes with each request; checkpoints are used all the same, and the
// system message leaves as it came.
func TestClockInTheSystemPrompt(t *testing.T) {
	forms(t, func(t *testing.T, format string, window int) {
		r := newRig(t, window, marked(), nil)
		h := &history{dialect: format}
		stayed, last := 0, ""
		for n := range window / 100 {
			reply := h.ask()
			clock := fmt.Sprintf("You help. It is 2026-11-30 12:%02d:%02d.", n/60, n%60)
			a := r.send(h, clock)
			if first := messages(t, r.sent())[0]; !strings.Contains(first, clock) {
				t.Fatalf("the system message left as %s", first)
			}
			now := a.header.Get("X-Recap-Checkpoint")
			if now != "" && now == last {
				stayed++
			}
			last = now
			h.list = append(h.list, reply...)
		}
		list, _ := r.sessions()
		if stayed < 4 || len(list) != 1 {
			t.Errorf("a checkpoint stayed in use %d times, %d conversations", stayed, len(list))
		}
	})
}

// side is a side request as a client sends it: the openings are those of wire.md B3, the rest is filler.
type sideRequest struct {
	client  string
	headers []string
	body    string // with HISTORY where the client puts the chat, ALL where it sends the chat's own messages
	told    bool   // by its header or shape; else only its shape keeps it from starting a job
}

var sideRequests = []sideRequest{
	{"Open WebUI title", []string{"X-OpenWebUI-Task", "title_generation"}, `{"messages":[ALL]}`, true},
	{"Open WebUI tags", []string{"X-OpenWebUI-Task", "tags_generation"}, `{"messages":[ALL]}`, true},
	{"Open WebUI follow-ups", []string{"X-OpenWebUI-Task", "follow_up_generation"}, `{"messages":[ALL]}`, true},
	{"Open WebUI function calling", []string{"X-OpenWebUI-Task", "function_calling"}, `{"messages":[ALL]}`, true},
	{"Open WebUI compaction", []string{"X-OpenWebUI-Task", "context_compaction"}, `{"messages":[ALL]}`, true},
	{"Open WebUI without headers", nil, `{"messages":[{"role":"user","content":"### Task: tags. <chat_history>HISTORY</chat_history>"}]}`, true},
	{"Codex", []string{"X-Codex-Turn-Metadata", `{"session_id":"s","request_kind":"memory"}`}, `{"messages":[ALL]}`, true},
	{"opencode title", nil, `{"messages":[{"role":"system","content":"You are a title generator. HISTORY"},{"role":"user","content":"HISTORY"}]}`, true},
	{"LibreChat title", nil, `{"messages":[{"role":"user","content":"Provide a concise, 5-word-or-less title: HISTORY"}]}`, true},
	{"LibreChat agent's title", nil, `{"messages":[{"role":"user","content":"Analyze this conversation and provide: HISTORY"}]}`, true},
	{"Continue title", nil, `{"max_tokens":16,"messages":[{"role":"user","content":"Given the following… please reply with a title: HISTORY"}]}`, true},
	{"a short answer", nil, `{"max_tokens":16,"messages":[{"role":"user","content":"HISTORY"}]}`, true},
	{"NexusAI summary", nil, `{"temperature":0.2,"max_tokens":500,"messages":[{"role":"user","content":"HISTORY"}]}`, false},
	{"Zed thread title", nil, `{"messages":[{"role":"user","content":"Thread: HISTORY"},{"role":"assistant","content":"HISTORY"},{"role":"user","content":"A title for this thread, please."}]}`, false},
}

// B3: side requests are forwarded, start no job, are in no conversation's totals where they are known for what they are,
// and leave the chat's own checkpoints and gauge alone.
func TestB3SideRequests(t *testing.T) {
	forms(t, func(t *testing.T, format string, window int) {
		r := newRig(t, window, marked(), nil)
		h := &history{dialect: format}
		for range window / 70 {
			h.list = append(h.list, h.ask()...)
		}
		h.ask()
		told := 0
		for _, s := range sideRequests {
			a := r.chat(format, s.of(h, window), s.headers...)
			r.settle()
			if n := len(r.up.Summaries()); a.code != 200 || n != 0 || a.header.Get("X-Recap-Summary") == "due" {
				t.Errorf("%s: %d, %s, summary %s, %d calls", s.client, a.code, a.status(), a.header.Get("X-Recap-Summary"), n)
			}
			if s.told {
				told++
			}
			if _, side := r.sessions(); side.Calls != told {
				t.Errorf("%s: %d side requests are told, want %d", s.client, side.Calls, told)
			}
		}
		if list, _ := r.sessions(); len(list) != len(sideRequests)-told {
			t.Errorf("%d conversations, want %d", len(list), len(sideRequests)-told)
		}
		r.chat(format, h.body("")) // the same messages as a chat of their own do start one
		r.settle()
		if len(r.up.Summaries()) == 0 {
			t.Error("the chat itself starts no job: the test proves nothing")
		}
		if refused := r.up.Refusals(); len(refused) > 0 {
			t.Errorf("refused: %s", refused[0])
		}
	})
}

// of is the request about a chat.
func (s *sideRequest) of(h *history, window int) []byte {
	said := strings.Repeat("U: what of it? A: it is so. ", window/8)
	body := strings.ReplaceAll(s.body, "HISTORY", said)
	body = `{"model":"fake-model","stream":false,` + strings.ReplaceAll(body, "ALL", strings.Join(h.list, ","))[1:]
	if h.dialect == "ollama" {
		body = strings.Replace(body, `"max_tokens":16`, `"options":{"num_predict":16}`, 1)
	}
	return []byte(body)
}

// NexusAI's other small calls go to its own path, which is no chat.
func TestB3UtilityPathIsNoChat(t *testing.T) {
	r := newRig(t, 4096, fakellm.Options{}, nil)
	a := r.do("POST", "/utility/complete", `{"user":"entities of …","json":true,"temperature":0.1,"maxTokens":200}`)
	if a.code != 200 || a.status() != "" {
		t.Errorf("%d %s", a.code, a.status())
	}
}
