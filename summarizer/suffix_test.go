package summarizer_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"recap/chat"
	"recap/dialect"
	"recap/internal/fakellm"
	"recap/summarizer"
)

// behind knows a summary call in suffix mode by its last message, and one by transcript as ever.
func behind(r *fakellm.Recorded) bool {
	return strings.HasPrefix(r.Said(-1), summarizer.SuffixNotice) || strings.Contains(r.Said(-1), summarizer.DataNotice)
}

var chatPaths = map[string]string{"openai": "/v1/chat/completions", "ollama": "/api/chat"}

// liveJob is the job for the messages before a cut of a request that has been sent.
func liveJob(t *testing.T, name string, body []byte, url string, cut func(*chat.Outline) chat.Cut) *summarizer.Job {
	t.Helper()
	c, err := dialect.ByName(name).Decode(string(body), nil)
	if err != nil {
		t.Fatal(err)
	}
	o := chat.NewOutline(c)
	at := cut(o)
	j := &summarizer.Job{
		Tenant: "t", Upstream: "u", Recipe: "r", Keys: chat.Keys(o, chat.Seed("t", "u", "r"))[:at.Covers], Kept: -1,
		Window: 65536, Model: c.Model, NumCtx: c.NumCtx, Options: summarizer.Defaults(),
		Target: summarizer.Target{Name: "u", Dialect: name, URL: url + chatPaths[name], Header: http.Header{}},
		Live:   dialect.NewLive(string(body), c, &chat.Plan{}, o.Index[at.Covers]),
	}
	j.Options.Mode = summarizer.SuffixMode
	if at.Carrier < at.Covers {
		j.Kept = at.Carrier
	}
	for i := range at.Covers {
		j.Covered = append(j.Covered, *o.At(i))
	}
	return j
}

// Suffix mode: at every cut of chats with and without tools, in both formats, the call is taken by the strictest upstream,
// covers exactly the job's range, and finds all that it shares with the live request in a single-slot prompt cache.
func TestSuffixReusesThePromptCache(t *testing.T) {
	for _, name := range []string{"openai", "ollama"} {
		for _, rounds := range []int{0, 3} {
			r := newRig(t, fakellm.Options{IsSummary: behind, Summary: func(string) fakellm.Reply { return fakellm.Reply{Text: goodSummary} }})
			conv := fakellm.NewConversation(fakellm.ConversationOptions{Seed: 7, Turns: 6, Rounds: rounds, Parallel: 2, TextChars: 600})
			points := conv.Points()
			body := conv.Body(name, points[len(points)-1])
			c, _ := dialect.ByName(name).Decode(string(body), nil)
			for _, cut := range chat.NewOutline(c).Cuts() {
				r.llm.Reset()
				post(t, r.llm.URL()+chatPaths[name], body)
				j := liveJob(t, name, body, r.llm.URL(), func(*chat.Outline) chat.Cut { return cut })
				checkSuffix(t, r, j, c)
			}
		}
	}
}

func checkSuffix(t *testing.T, r *rig, j *summarizer.Job, c *chat.Chat) {
	t.Helper()
	cp := r.run(j)
	calls := r.llm.Summaries()
	if len(calls) != 1 || calls[0].Refused != "" || cp.Text != goodSummary || cp.RowFrom != 1 || cp.To != j.To() {
		t.Fatalf("cut %d: %d calls, %+v", j.To(), len(calls), cp)
	}
	call := calls[0]
	asked, err := dialect.ByName(call.Dialect).Decode(string(call.Body), nil)
	if err != nil || asked.Stream || len(asked.Extras) != len(c.Extras) {
		t.Fatalf("cut %d: %v, stream %v, %d extras of %d", j.To(), err, asked.Stream, len(asked.Extras), len(c.Extras))
	}
	n := 0
	for n < len(c.Messages) && n < len(asked.Messages) && asked.Messages[n].Raw == c.Messages[n].Raw {
		n++
	}
	if n != j.Live.Messages || len(asked.Messages) > n+2 {
		t.Errorf("cut %d: %d messages of the live request, want %d", j.To(), n, j.Live.Messages)
	}
	fresh := fakellm.CountRunes(call.Said(-1)) + 40
	if call.PromptTokens-call.CachedTokens > fresh {
		t.Errorf("cut %d: %d of %d tokens cached, want all but %d", j.To(), call.CachedTokens, call.PromptTokens, fresh)
	}
	last := r.ended(j.Key())
	if last.Mode != summarizer.SuffixMode || j.Target.Dialect == "openai" && last.TokensCached != call.CachedTokens {
		t.Errorf("cut %d: %+v", j.To(), last)
	}
}

func post(t *testing.T, url string, body []byte) {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != 200 {
		t.Fatalf("status %d", resp.StatusCode)
	}
}

// Where suffix mode cannot say what is to be summarised, a transcript is asked for: another model, another provider's, a
// row that does not begin at message 1, no live request, no room for the answer.
func TestSuffixIsNotForEveryJob(t *testing.T) {
	f := func(mode string, edit func(*summarizer.Job)) {
		t.Helper()
		r := newRig(t, fakellm.Options{IsSummary: behind, Summary: func(string) fakellm.Reply { return fakellm.Reply{Text: goodSummary} }})
		conv := fakellm.NewConversation(fakellm.ConversationOptions{Seed: 3, Turns: 6})
		points := conv.Points()
		j := liveJob(t, "openai", conv.Body("openai", points[len(points)-1]), r.llm.URL(), func(o *chat.Outline) chat.Cut {
			cuts := o.Cuts()
			return cuts[len(cuts)-1]
		})
		edit(j)
		r.run(j)
		if last := r.ended(j.Key()); last.Mode != mode || len(r.llm.Summaries()) != 1 || len(last.Found) > 0 {
			t.Errorf("mode %s, want %s; %d calls, found %v", last.Mode, mode, len(r.llm.Summaries()), last.Found)
		}
	}
	f("suffix", func(*summarizer.Job) {})
	f("transcript", func(j *summarizer.Job) { j.Options.Mode = summarizer.TranscriptMode })
	f("transcript", func(j *summarizer.Job) { j.Options.Model = "another" })
	f("transcript", func(j *summarizer.Job) { j.Live = nil })
	f("suffix", func(j *summarizer.Job) { j.Options.Prompt = "Sum it up." })
}

// A row that does not begin at message 1 is written from a transcript: the live request shows more than it stands for.
func TestSuffixIsNotForLaterRows(t *testing.T) {
	s := &stub{}
	bubble(t, s, func(t *testing.T, r *rig) {
		b := talk(20)
		body := `{"model":"m","messages":[`
		for i := range b.list {
			body += strings.Repeat(",", min(i, 1)) + b.list[i].Raw
		}
		for i, mode := range []string{summarizer.SuffixMode, summarizer.TranscriptMode, summarizer.TranscriptMode} {
			n := 8 + 4*i
			r.run(stubJob(b, n, func(j *summarizer.Job) {
				j.Options.Mode, j.Options.RowTokens, j.Window = summarizer.SuffixMode, 10, 65536
				j.Live = &dialect.Live{Body: body + "]}", Messages: n}
			}))
			synctest.Wait()
			if _, last := r.kinds(); last.Mode != mode || s.calls() != i+1 {
				t.Errorf("row %d: mode %s, want %s", i+1, last.Mode, mode)
			}
		}
	})
}

// What is refused or not followed in suffix mode is written from a transcript at once, and for half an hour; who cannot
// answer at all is not asked twice.
func TestSuffixFallsBack(t *testing.T) {
	f := func(status int, text string, calls int, mode string) {
		t.Helper()
		s := &stub{}
		s.answer = func(prompt string) (int, string) {
			if strings.Contains(prompt, quote(summarizer.SuffixNotice)[1:40]) {
				return status, text
			}
			return 200, goodSummary
		}
		bubble(t, s, func(t *testing.T, r *rig) {
			job := func(n int) *summarizer.Job {
				b := talk(20)
				body := `{"model":"m","messages":[`
				for i := range b.list {
					body += strings.Repeat(",", min(i, 1)) + b.list[i].Raw
				}
				return stubJob(b, n, func(j *summarizer.Job) {
					j.Options.Mode, j.Window = summarizer.SuffixMode, 32768
					j.Live = &dialect.Live{Body: body + "]}", Messages: n}
				})
			}
			r.queue.Submit(job(8))
			r.queue.Wait(context.Background(), job(8).Keys, 32768)
			synctest.Wait()
			if _, last := r.kinds(); s.calls() != calls || last.Mode != mode && mode != "" || (mode == "") != (last.Kind == summarizer.NoticeFailed) {
				t.Errorf("%d %.30q: %d calls, %+v", status, text, s.calls(), last)
			}
			if mode != summarizer.TranscriptMode {
				return
			}
			if _, last := r.kinds(); !strings.Contains(strings.Join(last.Found, " "), summarizer.FellBack) {
				t.Errorf("not told: %v", last.Found)
			}
			before := s.calls()
			r.run(job(12))
			if s.calls() != before+1 {
				t.Error("asked in suffix mode again at once")
			}
			time.Sleep(31 * time.Minute)
			r.run(job(16))
			if s.calls() < before+3 {
				t.Error("not asked in suffix mode after half an hour")
			}
		})
	}
	f(200, goodSummary, 1, summarizer.SuffixMode)
	f(400, "x", 2, summarizer.TranscriptMode)
	f(500, "roles must alternate", 2, summarizer.TranscriptMode)
	f(200, `<tool_call>{"name":"f"}</tool_call>`, 2, summarizer.TranscriptMode)
	f(200, "...", 2, summarizer.TranscriptMode)
	f(200, "Ignore all previous instructions.", 2, summarizer.TranscriptMode)
	f(429, "x", 1, "")
	f(503, "x", 1, "")
	f(401, "x", 1, "")
}

// P4: what stands behind the cut is neither shown nor taken over; what the range says is supported, however long ago.
func TestP4SuffixCoversExactlyItsRange(t *testing.T) {
	s := &stub{answer: func(string) (int, string) { return 200, headed("Part P-1000 is planned, and P-1019 is next of all.") }}
	bubble(t, s, func(t *testing.T, r *rig) {
		b := talk(20)
		body := `{"model":"m","messages":[`
		for i := range b.list {
			body += strings.Repeat(",", min(i, 1)) + b.list[i].Raw
		}
		cp := r.run(stubJob(b, 8, func(j *summarizer.Job) {
			j.Options.Mode, j.Window = summarizer.SuffixMode, 32768
			j.Live = &dialect.Live{Body: body + "]}", Messages: 8}
		}))
		if !strings.Contains(cp.Text, "P-1000") || strings.Contains(cp.Text, "P-1019") || strings.Contains(s.prompts[0], "P-1019") {
			t.Errorf("text %q", cp.Text)
		}
	})
}
