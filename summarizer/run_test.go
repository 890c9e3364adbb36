package summarizer_test

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"recap/chat"
	"recap/internal/fakellm"
	"recap/summarizer"
	"recap/tokens"
)

var goodSummary = headed("The user plans all parts.")

// headed is a summary with all the headings that are asked for, and a text under the first of them.
func headed(text string) string {
	return "## Goal\n" + text + "\n## Constraints & Preferences\nnone\n## Progress\nnone\n## Key Decisions\nnone\n" +
		"## Next Steps\nGo on.\n## Critical Context\nnone"
}

// N3, N14: a fresh summary of all messages before the cut, with all that a row must carry.
func TestN3FreshSummary(t *testing.T) {
	r := newRig(t, says(goodSummary))
	b := talk(4)
	cp := r.run(r.job(b, 6))
	want := chat.Checkpoint{
		Key: b.keys()[5], Lineage: b.keys()[5], Opening: b.keys()[0], Tenant: "t", Upstream: "u", Recipe: "r", Session: "s",
		From: 1, To: 6, RowFrom: 1, Text: goodSummary, Ledger: cp.Ledger, Tokens: tokens.Estimate(goodSummary),
		LedgerTokens: tokens.Estimate(cp.Ledger), Model: cp.Model,
	}
	got := cp
	got.Created, got.Updated, got.Used = want.Created, want.Updated, want.Used
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if !strings.Contains(cp.Ledger, "P-1002") || cp.Model == "" {
		t.Errorf("ledger %q, model %q", cp.Ledger, cp.Model)
	}
	r.ended(cp.Key)
	kinds, last := r.kinds()
	if kinds != "queued started ready" {
		t.Errorf("notices: %s", kinds)
	}
	if last.From != 1 || last.To != 6 || last.Tokens != cp.Size() || last.TokensIn == 0 || last.TokensOut == 0 ||
		last.Took <= 0 || last.Calls != 1 || last.Session != "s" {
		t.Errorf("last notice: %+v", last)
	}
}

// N4, N6, L21: the base under the limit is updated with the fresh messages only, and the pass says what it read.
func TestN4UpdateReadsFreshMessagesOnly(t *testing.T) {
	r := newRig(t, says(goodSummary))
	b := talk(6)
	first := r.run(r.job(b, 4))
	second := r.run(r.job(b, 8))
	if second.From != 5 || second.To != 8 || second.RowFrom != 1 || second.Parent != first.Key || second.Lineage != first.Lineage {
		t.Errorf("got %+v", second)
	}
	calls := r.llm.Summaries()
	if len(calls) != 2 {
		t.Fatalf("%d calls, want 2", len(calls))
	}
	prompt := calls[1].Said(-1)
	if strings.Contains(prompt, "Question 1:") || !strings.Contains(prompt, "Question 2:") || !strings.Contains(prompt, "Question 3:") {
		t.Errorf("want the fresh messages only:\n%s", prompt)
	}
	// A21: the previous summary stands in the prompt once.
	if strings.Count(prompt, goodSummary) != 1 {
		t.Errorf("the previous summary is there %d times", strings.Count(prompt, goodSummary))
	}
	if !strings.Contains(second.Ledger, "P-1000") {
		t.Errorf("the ledger of a rolling row covers all of it: %q", second.Ledger)
	}
}

// N5: a row over its limit is sealed, and the next pass opens a new one with the fresh prompt.
func TestN5FullRowOpensANewOne(t *testing.T) {
	r := newRig(t, says(goodSummary))
	b := talk(6)
	rows := func(j *summarizer.Job) { j.Options.RowTokens = 10 }
	first := r.run(r.job(b, 4, rows))
	second := r.run(r.job(b, 8, rows))
	if !first.Sealed || second.RowFrom != 5 || second.From != 5 || second.Parent != first.Key || second.Lineage != first.Lineage {
		t.Errorf("first %+v\nsecond %+v", first, second)
	}
	if prompt := r.llm.Summaries()[1].Said(-1); strings.Contains(prompt, goodSummary) || strings.Contains(prompt, "Question 1:") {
		t.Errorf("a new row reads its own range only:\n%s", prompt)
	}
	if strings.Contains(second.Ledger, "P-1000") {
		t.Errorf("the ledger of the second row repeats the first: %q", second.Ledger)
	}
	big := r.run(r.job(b, 10, func(j *summarizer.Job) { j.Options.RowTokens = 100000 }))
	if big.RowFrom != 9 || big.Sealed {
		t.Errorf("a sealed base stays sealed: %+v", big)
	}
}

// A provisional checkpoint is no summary: its range is read, and the real one takes its place.
func TestProvisionalIsReplaced(t *testing.T) {
	r := newRig(t, says(goodSummary))
	b := talk(6)
	first := r.run(r.job(b, 4))
	stand := chat.Checkpoint{
		Key: b.keys()[7], Parent: first.Key, Lineage: first.Lineage, Tenant: "t", From: 5, To: 8, RowFrom: 5,
		Ledger: "P-1003", Provisional: true,
	}
	if _, err := r.store.Put(context.Background(), stand); err != nil {
		t.Fatal(err)
	}
	deeper := r.run(r.job(b, 10))
	if deeper.From != 5 || deeper.Parent != first.Key {
		t.Errorf("the provisional one was taken for a base: %+v", deeper)
	}
	real := r.run(r.job(b, 8))
	if real.Provisional || real.Text != goodSummary || real.From != 5 || real.RowFrom != 1 {
		t.Errorf("got %+v", real)
	}
}

// A20, B3, E15: one user message, no tools, no stream, the chat's own window and keep-alive, the loop guard, the
// chat's credentials and nothing of ours.
func TestA20CallIsPlain(t *testing.T) {
	r := newRig(t, says("<think>x</think>SUM"))
	b := (&builder{}).user("Start.").assistant("", call{"c1", "run", `{"cmd":"ls"}`}).tool("run", "file.txt").user("And?").assistant("ok")
	j := r.job(b, 5, func(j *summarizer.Job) {
		j.Target.Dialect, j.Target.URL = "ollama", r.llm.URL()+"/api/chat"
		j.Target.Header = http.Header{
			"Authorization": {"Bearer k"}, "X-Recap-Mode": {"force"}, "X-Recap-Wait": {"3"}, "Content-Length": {"7"},
			"Accept-Encoding": {"gzip"},
		}
		j.NumCtx, j.KeepAlive = 16384, `"7m"`
		j.Options.Parameters = map[string]any{"top_p": 0.5}
	})
	if cp := r.run(j); cp.Text != "SUM" {
		t.Errorf("text %q", cp.Text)
	}
	got := r.llm.Summaries()[0]
	var body map[string]any
	if err := json.Unmarshal(got.Body, &body); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tools", "tool_choice", "response_format", "format", "stop", "n"} {
		if _, ok := body[name]; ok {
			t.Errorf("the call has %s", name)
		}
	}
	options, _ := body["options"].(map[string]any)
	if roles := got.Roles(); len(roles) != 1 || roles[0] != "user" || body["stream"] != false ||
		options["num_ctx"] != 16384.0 || options["top_p"] != 0.5 || body["keep_alive"] != "7m" {
		t.Errorf("roles %v, body %v", roles, body)
	}
	h := got.Header
	if h.Get("Authorization") != "Bearer k" || h.Get("X-Recap-Mode") != "off" || h.Get("X-Recap-Wait") != "" ||
		h.Get("Accept-Encoding") != "identity" {
		t.Errorf("header %v", h)
	}
}

// B3: another model on the same server does not get the chat's window.
func TestB3OtherModelOtherWindow(t *testing.T) {
	r := newRig(t, says(goodSummary))
	j := r.job(talk(4), 6, func(j *summarizer.Job) {
		j.Target.Dialect, j.Target.URL = "ollama", r.llm.URL()+"/api/chat"
		j.NumCtx, j.KeepAlive, j.Options.Model = 16384, `"7m"`, "small"
	})
	r.run(j)
	body := string(r.llm.Summaries()[0].Body)
	if strings.Contains(body, "num_ctx") || strings.Contains(body, "keep_alive") || !strings.Contains(body, `"small"`) {
		t.Errorf("body %s", body)
	}
}

// A18, N11: what is no summary changes nothing, and is refused by its name.
func TestA18BadAnswersAreRefused(t *testing.T) {
	f := func(want string, fault fakellm.Fault, answers ...string) {
		t.Helper()
		at := 0
		r := newRig(t, fakellm.Options{Summary: func(string) fakellm.Reply {
			if at < len(answers) {
				at++
				return fakellm.Reply{Text: answers[at-1]}
			}
			return fakellm.Reply{Text: "fine"}
		}})
		if len(answers) == 0 {
			for range 4 {
				r.llm.NextSummaryFault(fault)
			}
		}
		if got := r.refused(r.job(talk(4), 6, func(j *summarizer.Job) { j.Replaces = 900 })); got != want {
			t.Errorf("reason %q, want %q", got, want)
		}
	}
	long := strings.Repeat("word and word ", 2000)
	f("empty", fakellm.Fault{Content: fakellm.ContentEmpty})
	f("empty", fakellm.Fault{Content: fakellm.ContentBlank})
	f("empty", fakellm.Fault{Content: fakellm.ContentReasoning})
	f("http-500", fakellm.Fault{Status: 500})
	f("http-429", fakellm.Fault{Status: 429})
	f("shape", fakellm.Fault{Content: fakellm.ContentInvalidJSON})
	f("shape", fakellm.Fault{Content: fakellm.ContentHTML})
	f("tool-call", fakellm.Fault{Content: fakellm.ContentToolCall})
	f("truncated", fakellm.Fault{Content: fakellm.ContentLength})
	f("error-text", fakellm.Fault{Content: fakellm.ContentErrorIn200})
	f("network", fakellm.Fault{Break: fakellm.BreakReset})
	f("empty", fakellm.Fault{}, "<think>only thoughts")
	f("empty", fakellm.Fault{}, "<|im_end|>")
	f("error-text", fakellm.Fault{}, "Internal Server Error")
	f("error-text", fakellm.Fault{}, `{"error":{"message":"no"}}`)
	f("tool-call", fakellm.Fault{}, `{"name":"x","arguments":{}}`)
	f("oversized", fakellm.Fault{}, long, long)
	f("no-gain", fakellm.Fault{}, headed(strings.Repeat("word and word ", 300)))
}

// A21: a summariser that is asked for less once, and obeys, is accepted.
func TestA21TooLongIsAskedForLess(t *testing.T) {
	asked := 0
	r := newRig(t, fakellm.Options{Summary: func(prompt string) fakellm.Reply {
		if asked++; asked == 1 {
			return fakellm.Reply{Text: strings.Repeat("long ", 5000)}
		}
		if !strings.Contains(prompt, "too long") {
			t.Error("the second question does not ask for less")
		}
		return fakellm.Reply{Text: "short"}
	}})
	if cp := r.run(r.job(talk(4), 6)); cp.Text != "short" || asked != 2 {
		t.Errorf("text %q after %d calls", cp.Text, asked)
	}
}

// A21: twenty passes in a row never store more than the limit, whatever the summariser says.
func TestA21SummariesStayWithinTheirLimit(t *testing.T) {
	f := func(summary func(string) fakellm.Reply) {
		t.Helper()
		r := newRig(t, fakellm.Options{Summary: summary})
		b := talk(44)
		for n := 4; n <= 84; n += 4 {
			j := r.job(b, n, func(j *summarizer.Job) { j.Replaces = 100000 })
			r.submit(j)
			cp, err := r.store.Get(context.Background(), j.Key())
			if err == nil && tokens.Estimate(cp.Text) > 8192*15/100 {
				t.Errorf("stored %d tokens", tokens.Estimate(cp.Text))
			}
		}
	}
	f(func(prompt string) fakellm.Reply { return fakellm.Reply{Text: prompt} })
	f(func(prompt string) fakellm.Reply { return fakellm.Reply{Text: goodSummary} })
}

// A provisional checkpoint is replaced however little the pass has to read beyond its base.
func TestProvisionalIsReplacedThoughLittleIsFresh(t *testing.T) {
	r := newRig(t, says(goodSummary))
	b := talk(3)
	b.user("Hm.").assistant("Yes.")
	r.run(r.job(b, 6))
	stand := chat.Checkpoint{Key: b.keys()[7], From: 7, To: 8, RowFrom: 7, Ledger: "x", Provisional: true}
	if _, err := r.store.Put(context.Background(), stand); err != nil {
		t.Fatal(err)
	}
	if cp := r.run(r.job(b, 8)); cp.Provisional {
		t.Errorf("got %+v", cp)
	}
}
