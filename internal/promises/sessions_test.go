package promises_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"recap/config"
	"recap/internal/fakellm"
	"recap/tokens"
)

// spent is what the API tells, or what the upstream reported.
type spent struct {
	Calls, Unreported          int
	Prompt, Cached, Completion int
	Cost                       float64
}

func (s *spent) add(more spent) {
	s.Calls += more.Calls
	s.Prompt += more.Prompt
	s.Cached += more.Cached
	s.Completion += more.Completion
}

// session is one row of GET /api/sessions.
type session struct {
	ID, Session, Tenant, Status, Checkpoint string
	Messages, Covers, Since                 int
	Gaps                                    bool
	Gauge                                   struct{ Used, Window, Baseline int }
	Usage, Again, Summaries                 spent
	Cost                                    float64
}

func (r *rig) sessions() (list []session, side spent) {
	r.t.Helper()
	r.settle()
	code, body := r.admin("GET", "/api/sessions?limit=0")
	var told struct {
		Sessions []session
		Side     spent
	}
	if err := json.Unmarshal([]byte(body), &told); code != 200 || err != nil {
		r.t.Fatalf("sessions: %d %s", code, body)
	}
	return told.Sessions, told.Side
}

// reported reads the usage out of an answer in one piece.
func reported(t *testing.T, dialect string, a answer) spent {
	t.Helper()
	var said struct {
		Usage struct {
			PromptTokens        int `json:"prompt_tokens"`
			CompletionTokens    int `json:"completion_tokens"`
			PromptTokensDetails struct {
				CachedTokens int `json:"cached_tokens"`
			} `json:"prompt_tokens_details"`
		}
		PromptEvalCount int `json:"prompt_eval_count"`
		EvalCount       int `json:"eval_count"`
	}
	lines := strings.Split(strings.TrimSpace(string(a.body)), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &said); err != nil {
		t.Fatalf("%s: %v in %.200s", dialect, err, a.body)
	}
	u := said.Usage
	return spent{
		Calls: 1, Prompt: u.PromptTokens + said.PromptEvalCount, Cached: u.PromptTokensDetails.CachedTokens,
		Completion: u.CompletionTokens + said.EvalCount,
	}
}

func sameSpent(a, b spent) bool {
	return a.Calls == b.Calls && a.Prompt == b.Prompt && a.Cached == b.Cached && a.Completion == b.Completion
}

func priced(window int) func(*config.Config) {
	return func(c *config.Config) {
		c.Models = []tokens.Model{{Match: "*", ContextWindow: window, Price: tokens.Price{Input: 10, Cached: 1, Output: 20}}}
	}
}

// L22, L23: the totals of a conversation are what the upstream reported for its requests, to the token, whether they are
// read or only glanced at; the summariser's stand apart; the gauge is what was sent last, beside what the client sent.
func TestL22L23WholeConversation(t *testing.T) {
	t.Parallel()
	for window, turns := range map[int]int{3000: 10, 6000: 20, 200_000: 10} {
		for _, dialect := range []string{"openai", "ollama"} {
			t.Run(fmt.Sprint(dialect, " ", window), func(t *testing.T) {
				r := newRig(t, 0, fakellm.Options{}, priced(window))
				var want, last spent
				compacted := 0
				r.drive(dialect, talk(81, turns, 1), func(_ int, _ []byte, a answer) {
					last = reported(t, dialect, a)
					want.add(last)
					if has(a.status(), "compacted") {
						compacted++
					}
				})
				list, _ := r.sessions()
				if len(list) != 1 {
					t.Fatalf("%d conversations, want 1", len(list))
				}
				s := list[0]
				if !sameSpent(s.Usage, want) || s.Usage.Unreported != 0 || s.Since != 1 || s.Gaps {
					t.Errorf("used %+v since %d, the upstream reported %+v", s.Usage, s.Since, want)
				}
				if s.Gauge.Used != last.Prompt || s.Gauge.Window != window || s.Gauge.Baseline < s.Gauge.Used {
					t.Errorf("gauge %+v, last sent %d", s.Gauge, last.Prompt)
				}
				if calls := len(r.up.Summaries()); s.Summaries.Calls != calls || (calls > 0) != (window < 20_000) {
					t.Errorf("%d summary calls told, %d made", s.Summaries.Calls, calls)
				}
				if (compacted > 0) != (s.Gauge.Baseline > s.Gauge.Used+1000) {
					t.Errorf("%d requests were compacted, gauge %+v", compacted, s.Gauge)
				}
				cost := (float64(want.Prompt-want.Cached)*10 + float64(want.Cached) + float64(want.Completion)*20) / 1e6
				if math.Abs(s.Usage.Cost-cost) > 1e-9 || math.Abs(s.Cost-s.Usage.Cost-s.Summaries.Cost) > 1e-9 {
					t.Errorf("costs %v, want %v; all together %v", s.Usage.Cost, cost, s.Cost)
				}
				r.check1(s.ID)
			})
		}
	}
}

// check1 asks for one conversation: its checkpoints are those that are stored, and no text is shown (P10).
func (r *rig) check1(id string) {
	r.t.Helper()
	code, body := r.admin("GET", "/api/sessions/"+id)
	stored, err := r.app.Store.List(r.t.Context(), "", 0)
	if err != nil || code != 200 || strings.Count(body, `"rowFrom"`) == 0 && len(stored) > 0 {
		r.t.Errorf("%d, %d stored: %s", code, len(stored), body)
	}
	for i := range stored {
		if strings.Contains(body, stored[i].Text) {
			r.t.Error("a summary's text is shown")
		}
	}
}

// L23: an edit opens a branch that holds what came before it once and nothing of what was abandoned; an answer asked for
// anew replaces the first; another credential's same chat is another conversation. P10.
func TestL23EditRegenerateTenants(t *testing.T) {
	for _, window := range []int{4096, 200_000} { // read, glanced at
		r := newRig(t, 0, fakellm.Options{}, priced(window))
		c := talk(82, 14, 0)
		say := func(c *fakellm.Conversation, from, to int, header ...string) (sum spent) {
			for _, point := range c.Points() {
				if point >= from && point < to {
					sum.add(reported(t, "openai", r.chat("openai", c.Body("openai", point), header...)))
					r.settle()
				}
			}
			return sum
		}
		points := c.Points()
		shared := say(c, 0, points[7], "Authorization", "Bearer one")
		abandoned := say(c, points[7], points[10], "Authorization", "Bearer one")
		edited := c.Fork(points[7]-1, 99)
		branch := say(edited, points[7], points[9], "Authorization", "Bearer one")
		again := say(edited, edited.Points()[8], edited.Points()[8]+1, "Authorization", "Bearer one")
		list, _ := r.sessions()
		if len(list) != 2 {
			t.Fatalf("window %d: %d branches, want 2", window, len(list))
		}
		want, first := shared, shared
		want.add(branch) // the answer that was asked for anew counts once, as the newest one
		first.add(abandoned)
		if got := list[0]; !sameSpent(got.Usage, want) && got.Usage.Completion != want.Completion || got.Usage.Calls != want.Calls ||
			got.Usage.Prompt != want.Prompt || got.Again.Calls != 1 || got.Again.Prompt != again.Prompt || got.Since != 1 {
			t.Errorf("window %d: the edit used %+v again %+v, want %+v", window, got.Usage, got.Again, want)
		}
		if got := list[1]; !sameSpent(got.Usage, first) {
			t.Errorf("window %d: the first branch used %+v, want %+v", window, got.Usage, first)
		}
		other := say(c, 0, points[2], "Authorization", "Bearer two")
		list, _ = r.sessions()
		if len(list) != 3 || list[0].Tenant == list[1].Tenant || list[1].Tenant != list[2].Tenant || !sameSpent(list[0].Usage, other) {
			t.Errorf("window %d: another credential's chat: %d rows, %+v", window, len(list), list[0])
		}
	}
}

// L23, D11: a stream whose client did not ask for usage is estimated, and said to be; side requests stand apart.
func TestL23UnreportedAndSide(t *testing.T) {
	r := newRig(t, 8192, fakellm.Options{NoUsage: true}, nil)
	c := talk(83, 12, 0)
	for _, point := range c.Points()[:10] {
		r.chat("openai", c.Body("openai", point))
		r.settle()
	}
	r.chat("openai", c.Body("openai", c.Points()[9]), "X-OpenWebUI-Task", "title_generation")
	list, side := r.sessions()
	if len(list) != 1 || side.Calls != 1 {
		t.Fatalf("%d conversations, %d side requests", len(list), side.Calls)
	}
	u := list[0].Usage
	if u.Calls != 10 || u.Unreported != 10 || u.Prompt < 1000 || u.Completion < 200 {
		t.Errorf("estimated %+v", u)
	}
}
