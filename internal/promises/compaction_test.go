package promises_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"recap/config"
	"recap/internal/fakellm"
)

// P5: long conversations with tools, in both formats, at a small window: nothing is refused, everything kept is what the
// client sent, checkpoints are written and used.
func TestP5Conversations(t *testing.T) {
	t.Parallel()
	for _, dialect := range []string{"openai", "ollama"} {
		for _, placement := range []string{"user", "system"} {
			t.Run(dialect+"/"+placement, func(t *testing.T) {
				r := newRig(t, 4096, fakellm.Options{}, func(c *config.Config) { c.Summarization.Placement = placement })
				statuses := map[string]int{}
				r.drive(dialect, talk(7, 60, 2), func(_ int, _ []byte, a answer) {
					word, _, _ := strings.Cut(a.status(), ";")
					statuses[word]++
				})
				if statuses["compacted"] < 20 || len(r.up.Summaries()) < 2 {
					t.Errorf("statuses %v, %d summaries; want a compacted chat", statuses, len(r.up.Summaries()))
				}
			})
		}
	}
}

// A4: an agent's loop in one turn is cut between finished rounds, again and again.
func TestP5A4AgentLoop(t *testing.T) {
	t.Parallel()
	r := newRig(t, 8192, fakellm.Options{}, nil)
	c := fakellm.NewConversation(fakellm.ConversationOptions{Seed: 3, Turns: 2, Rounds: 60, Parallel: 3, ResultChars: 1500})
	compacted, whole, most := 0, 0, 0
	r.drive("openai", c, func(_ int, client []byte, a answer) {
		if has(a.status(), "compacted") || has(a.status(), "provisional") {
			compacted++
		}
		most = max(most, len(messages(t, r.sent())))
		whole = len(messages(t, client))
	})
	if compacted == 0 || most > whole/2 {
		t.Errorf("compacted %d times; up to %d messages were sent, the chat has %d", compacted, most, whole)
	}
}

// P6: between two compaction steps the messages sent begin with the messages sent before, byte for byte, and every step
// that breaks this is declared. E6.
func TestP6E6StablePrefix(t *testing.T) {
	t.Parallel()
	for _, prune := range []string{"", "ratio", "budget"} {
		t.Run("pruning "+prune, func(t *testing.T) {
			r := newRig(t, 8192, fakellm.Options{}, func(c *config.Config) {
				p := &c.Summarization.ContextPruning
				p.Enabled, p.MinPrunableToolChars, p.KeepLastAssistants = prune != "", 400, 1
				p.SoftTrim.MaxChars, p.SoftTrim.HeadChars, p.SoftTrim.TailChars = 400, 150, 150
				if prune != "" {
					p.Strategy = prune
					p.ProtectTokens = 500
				}
			})
			var last []string
			breaks, declared, point := 0, 0, 0
			r.drive("openai", talk(11, 50, 3), func(p int, _ []byte, a answer) {
				now := messages(t, r.sent())
				broke := strings.Contains(a.status(), "broke-prefix")
				kept := commonPrefix(last, now) == len(last)
				if !kept && !broke {
					t.Errorf("point %d: the prefix broke and the status says %q", p, a.status())
				}
				if kept && broke && point > 0 {
					declared++
				}
				if !kept {
					breaks++
				}
				last, point = now, point+1
			})
			if breaks == 0 || breaks > point/4 {
				t.Errorf("%d breaks in %d requests", breaks, point)
			}
			if declared > 0 {
				t.Errorf("%d breaks were declared that were none", declared)
			}
		})
	}
}

func commonPrefix(a, b []string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func messages(t testing.TB, body []byte) []string {
	t.Helper()
	var request struct {
		Messages []json.RawMessage `json:"messages"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		t.Fatalf("read sent body: %v", err)
	}
	var list []string
	for _, m := range request.Messages {
		list = append(list, string(m))
	}
	return list
}

// P7, G5: the same bytes after a restart on the same store, with every memory cold.
func TestP7SameAfterRestart(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/recap.db"
	disk := func(c *config.Config) {
		c.Store.Kind, c.Store.Path = "sqlite", path
		p := &c.Summarization.ContextPruning
		p.Enabled, p.Strategy, p.ProtectTokens = true, "budget", 800
	}
	r := newRig(t, 8192, fakellm.Options{}, disk)
	c := talk(5, 40, 2)
	var body []byte
	r.drive("openai", c, func(_ int, client []byte, _ answer) { body = client })
	warm := string(r.sent())
	if warm == string(body) {
		t.Fatal("the last request was not rewritten: nothing to compare")
	}
	r.close()
	again := newRig(t, 8192, fakellm.Options{}, disk)
	for range 2 {
		a := again.chat("openai", body)
		if got := string(again.sent()); got != warm {
			t.Errorf("after a restart (%s) %d bytes are sent, before %d", a.status(), len(got), len(warm))
		}
	}
}

// P3, G7: a summariser that hangs for ever delays no request, and no job starts before its answer has ended.
func TestP3HungSummariser(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	r := newRig(t, 4096, fakellm.Options{
		Fault: func(rec *fakellm.Recorded) *fakellm.Fault {
			if fakellm.IsSummary(rec) {
				return &fakellm.Fault{Break: fakellm.BreakHang}
			}
			return nil
		},
	}, nil)
	c := talk(2, 40, 1)
	for _, point := range c.Points() {
		start := time.Now()
		a := r.chat("openai", c.Body("openai", point))
		if took := time.Since(start); a.code != 200 || took > patience {
			t.Fatalf("point %d: %d after %s", point, a.code, took)
		}
	}
	if len(r.up.Summaries()) == 0 {
		t.Fatal("no summary was ever asked for")
	}
	if n := len(r.up.Summaries()); n != 1 {
		t.Errorf("%d summary calls while the first one hangs, want 1", n)
	}
}

// P3: X-Recap-Wait waits for a summary that is due, X-Recap-Mode: force makes one; nothing else does.
func TestP3WaitAndForce(t *testing.T) {
	r := newRig(t, 30_000, fakellm.Options{}, nil)
	c := talk(9, 30, 0)
	body := c.Body("openai", c.Points()[29])
	if a := r.chat("openai", body); !has(a.status(), "clear") {
		t.Fatalf("status %q, want clear", a.status())
	}
	a := r.chat("openai", body, "X-Recap-Mode", "force")
	if !has(a.status(), "compacted") || a.header.Get("X-Recap-Checkpoint") == "" {
		t.Errorf("forced: status %q, checkpoint %q", a.status(), a.header.Get("X-Recap-Checkpoint"))
	}
	if len(r.up.Summaries()) != 1 {
		t.Errorf("%d summary calls, want 1", len(r.up.Summaries()))
	}
	small := talk(10, 30, 0)
	a = r.chat("openai", small.Body("openai", small.Points()[29]), "X-Recap-Context-Window", "4096", "X-Recap-Wait", "10")
	if !has(a.status(), "compacted") {
		t.Errorf("waited: status %q, want compacted", a.status())
	}
}

// P4, E1, G4: chats that begin alike never see each other's summary; the same chat under another credential does not
// either (P10).
func TestP4P10Twins(t *testing.T) {
	r := newRig(t, 4096, fakellm.Options{
		Summary: func(prompt string) fakellm.Reply {
			for _, word := range strings.Fields(prompt) {
				if strings.HasPrefix(word, "MARK") {
					return fakellm.Reply{Text: "The chat is about " + word}
				}
			}
			return fakellm.Reply{Text: "none"}
		},
	}, nil)
	const twins = 12
	turn := func(i, n int) []byte {
		var b strings.Builder
		b.WriteString(`{"model":"fake-model","messages":[{"role":"system","content":"You help."},{"role":"user","content":"hello"},{"role":"assistant","content":"Hello!"}`)
		for k := range n {
			fmt.Fprintf(&b, `,{"role":"user","content":"MARK%dX tell me part %d %s"},{"role":"assistant","content":"part %d is told %s"}`,
				i, k, strings.Repeat("please ", 40), k, strings.Repeat("word ", 40))
		}
		b.WriteString(`,{"role":"user","content":"go on"}]}`)
		return []byte(b.String())
	}
	compacted := 0
	for n := 8; n < 40; n += 4 {
		for i := range twins {
			a := r.chat("openai", turn(i, n), "Authorization", "Bearer one")
			if has(a.status(), "compacted") {
				compacted++
			}
			sent := string(r.sent())
			for j := range twins {
				if mark := fmt.Sprintf("MARK%dX", j); j != i && strings.Contains(sent, mark) {
					t.Fatalf("chat %d was sent with %s of chat %d", i, mark, j)
				}
			}
		}
		r.settle()
	}
	if compacted == 0 {
		t.Fatal("no twin was compacted")
	}
	a := r.chat("openai", turn(0, 36), "Authorization", "Bearer two")
	if strings.Contains(a.header.Get("X-Recap-Status"), "compacted") || strings.Contains(string(r.sent()), "The chat is about") {
		t.Error("another credential got the summary")
	}
}

// P9, A18: whatever the summariser answers but a summary, history is never replaced by it, and chats go on.
func TestP9A18BadSummaries(t *testing.T) {
	var calls atomic.Int64
	bad := []fakellm.Fault{
		{Status: 500},
		{Status: 429},
		{Content: fakellm.ContentEmpty},
		{Content: fakellm.ContentBlank},
		{Content: fakellm.ContentReasoning},
		{Content: fakellm.ContentToolCall},
		{Content: fakellm.ContentHTML},
		{Content: fakellm.ContentInvalidJSON},
		{Content: fakellm.ContentErrorIn200},
		{Content: fakellm.ContentLength},
	}
	for i := range bad {
		t.Run(fmt.Sprintf("%d", i), func(t *testing.T) {
			r := newRig(t, 30_000, fakellm.Options{
				Fault: func(rec *fakellm.Recorded) *fakellm.Fault {
					if !fakellm.IsSummary(rec) {
						return nil
					}
					calls.Add(1)
					return &bad[i]
				},
			}, nil)
			c := talk(21, 30, 0)
			a := r.chat("openai", c.Body("openai", c.Points()[29]), "X-Recap-Mode", "force")
			if a.code != 200 || !has(a.status(), "clear") {
				t.Errorf("%d, status %q; want the chat as it was", a.code, a.status())
			}
			if got := string(r.sent()); got != string(c.Body("openai", c.Points()[29])) {
				t.Error("the body was changed")
			}
			list, err := r.app.Store.List(t.Context(), "", 0)
			if err != nil || len(list) != 0 {
				t.Errorf("%d checkpoints stored (%v), want none", len(list), err)
			}
		})
	}
	if calls.Load() == 0 {
		t.Error("no summary was asked for")
	}
}

// E9, G8, m12: many equal requests at once make one summary call.
func TestE9OneSummary(t *testing.T) {
	r := newRig(t, 4096, fakellm.Options{
		Summary: func(string) fakellm.Reply { return fakellm.Reply{Text: "Once.", Delay: 300 * time.Millisecond} },
	}, nil)
	c := talk(31, 24, 0)
	points := c.Points()
	body := string(c.Body("openai", points[len(points)-1]))
	errs := make(chan error, 40)
	for range 40 {
		go func() {
			a, err := do("POST", r.url+paths["openai"], body)
			if err == nil && a.code != 200 {
				err = fmt.Errorf("status %d", a.code)
			}
			errs <- err
		}()
	}
	for range 40 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	r.settle()
	// One job; its input may be folded in several calls.
	if n := strings.Count(r.log.String(), "msg=summary.started"); n != 1 {
		t.Errorf("%d jobs were started, want 1", n)
	}
}

// Side requests never start a job (wire.md B3).
func TestSideRequests(t *testing.T) {
	r := newRig(t, 4096, fakellm.Options{}, nil)
	c := talk(41, 24, 0)
	points := c.Points()
	body := c.Body("openai", points[len(points)-1])
	r.chat("openai", body, "X-OpenWebUI-Task", "title_generation")
	r.settle()
	if n := len(r.up.Summaries()); n != 0 {
		t.Errorf("%d summaries after a side request", n)
	}
	r.chat("openai", body)
	r.settle()
	if len(r.up.Summaries()) == 0 {
		t.Error("the chat itself starts none: the test proves nothing")
	}
}
