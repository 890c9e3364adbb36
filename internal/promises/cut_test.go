package promises_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"recap/config"
	"recap/internal/fakellm"
)

// growing sends a chat that grows, on Ollama's own path, until its status shows that a cut was noticed; it returns how many
// turns that took, 0 where it never did.
func growing(r *rig, turns int, extra string) int {
	r.t.Helper()
	for n := 1; n <= turns; n++ {
		body := bytes.Replace(plain("", 10+n*6, 500, lastUser), []byte(`"messages"`), []byte(extra+`"messages"`), 1)
		a := r.chat("ollama", body)
		if a.code != 200 {
			r.t.Fatalf("turn %d: %d %.200s", n, a.code, a.body)
		}
		r.settle()
		if strings.Contains(a.status(), ";silent-cut") {
			return n
		}
	}
	return 0
}

// B1: a window that was set too large by hand: Ollama cuts the prompts and answers 200. The reports give it away, whether
// or not it tells its window; from then on chats fit. It is said in the header, the log (once), the metrics and the
// explanation.
func TestB1SilentCutIsNoticed(t *testing.T) {
	for _, hide := range [][]string{nil, {"/api/ps", "/props", "/slots", "/models", "/api/show"}} {
		r := newRig(t, 100_000, fakellm.Options{Window: 4096, Hide: hide}, nil)
		if n := growing(r, 12, ""); n == 0 {
			t.Fatalf("hidden %v: not noticed", hide)
		}
		body := plain("", 90, 500, lastUser)
		a := r.chat("ollama", body)
		all := r.up.Chats()
		if got := a.header.Get("X-Recap-Tokens"); !strings.Contains(got, "window=4096, source=learned") || all[len(all)-1].CutMessages != 0 {
			t.Errorf("hidden %v: %s, %d messages cut", hide, got, all[len(all)-1].CutMessages)
		}
		if log := r.log.String(); strings.Count(log, "cut a prompt without a word") != 1 || strings.Contains(log, "why so") {
			t.Errorf("hidden %v: the log has no single warning", hide)
		} else if n := strings.Count(log, "larger than the window that the upstream tells"); n != map[bool]int{true: 1}[hide == nil] {
			t.Errorf("hidden %v: %d warnings that the file says more than the upstream", hide, n)
		}
		if !strings.Contains(r.figures(), `recap_silent_cuts_total{upstream="local"} 1`) {
			t.Error("the metrics do not have it")
		}
		e, err := do("POST", "http://"+r.app.AdminAddr()+"/api/explain?path=/api/chat", string(body))
		if err != nil || !strings.Contains(string(e.body), "cut a longer prompt without a word") {
			t.Errorf("explained: %v, %d %.600s", err, e.code, e.body)
		}
	}
}

// B1, B3: a request that sets its own num_ctx is measured by that, and a cut there says nothing about the others.
func TestB1CutUnderNumCtx(t *testing.T) {
	r := newRig(t, 0, fakellm.Options{Window: 32768, TrainedWindow: 4096}, nil)
	if n := growing(r, 12, `"options":{"num_ctx":65536},`); n != 0 {
		t.Errorf("noticed after %d turns: num_ctx over the trained maximum counts as that much from the start", n)
	}
	a := r.chat("ollama", plain("", 60, 500, lastUser))
	if got := a.header.Get("X-Recap-Tokens"); !strings.Contains(got, "window=32768, source=upstream") && !strings.Contains(got, "window=4096, source=default") {
		t.Errorf("without num_ctx: %s", got)
	}
}

// Reports of versions that leave the cached tokens out, or all of it, are no cut: nothing is learned from them.
func TestB1CacheIsNoCut(t *testing.T) {
	for _, counts := range []string{`"prompt_eval_count":%d,`, ""} {
		before := 0
		r := newRig(t, 100_000, fakellm.Options{Window: 4096, Handle: map[string]http.HandlerFunc{paths["ollama"]: func(w http.ResponseWriter, q *http.Request) {
			count := counts
			if count != "" {
				count = fmt.Sprintf(count, (int(q.ContentLength)-before)/4)
			}
			before = int(q.ContentLength)
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"model":"fake-model","message":{"role":"assistant","content":"ok"},%s"done":true,"done_reason":"stop"}`, count)
		}}}, nil)
		if n := growing(r, 12, ""); n != 0 || strings.Contains(r.log.String(), "cut a prompt") {
			t.Errorf("%q: taken for a cut after %d turns", counts, n)
		}
	}
}

// B1, B6: with noTruncate, Ollama refuses instead of cutting, Recap sends a shorter chat, and nothing else of the body has
// changed; the client's own word about it stands, and so does the default of leaving it out.
func TestB1NoTruncate(t *testing.T) {
	on := func(c *config.Config) { c.Upstreams[0].NoTruncate = true }
	r := newRig(t, 100_000, fakellm.Options{Window: 4096, Hide: []string{"/api/ps", "/props", "/models"}}, on)
	small := `{ "model":"fake-model","messages":[{"role":"user","content":"hi"}], "x":1.10}`
	r.chat("ollama", []byte(small))
	if got, want := string(r.sent()), `{"truncate":false,`+small[1:]; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	body := plain("", 60, 500, lastUser)
	a := r.chat("ollama", body)
	if a.code != 200 || !has(a.status(), "provisional") || !strings.Contains(a.status(), ";retried") {
		t.Fatalf("%d %.200s, status %q", a.code, a.body, a.status())
	}
	if sent := r.sent(); !bytes.HasPrefix(sent, []byte(`{"truncate":false,"model":"fake-model","messages":[`)) {
		t.Errorf("the second try is %.100s", sent)
	} else if err := fakellm.CheckKept("ollama", body, append([]byte("{"), sent[len(`{"truncate":false,`):]...)); err != nil {
		t.Error(err)
	}
	for _, own := range []string{`"truncate":true,`, `"Truncate":null,`, `"truncate" : false ,`} {
		mine := strings.Replace(small, `"model"`, own+`"model"`, 1)
		if r.chat("ollama", []byte(mine)); string(r.sent()) != mine {
			t.Errorf("sent %s, want %s", r.sent(), mine)
		}
	}
	if r.chat("openai", []byte(small)); string(r.sent()) != small {
		t.Errorf("on OpenAI's path: sent %s", r.sent())
	}
	off := newRig(t, 100_000, fakellm.Options{}, nil)
	if off.chat("ollama", []byte(small)); string(off.sent()) != small {
		t.Errorf("by default: sent %s", off.sent())
	}
}

// P9, B1: Ollama never cuts what a summary is made of: a call that is too long is refused, and asked again for less at a
// time.
func TestP9SummariesAreNotCut(t *testing.T) {
	r := newRig(t, 16_384, fakellm.Options{Window: 4096, Hide: []string{"/api/ps", "/props", "/slots", "/models"}}, nil)
	r.chat("ollama", plain("", 70, 500, lastUser), "X-Recap-Mode", "force")
	r.settle()
	whole := 0
	for _, call := range r.up.Summaries() {
		if call.Status == 200 && call.PromptTokens >= 4096 {
			t.Errorf("a call of %d bytes was cut", call.Bytes)
		}
		if call.Status == 200 {
			whole++
		}
	}
	if list, _ := r.app.Store.List(t.Context(), "", 0); whole == 0 || len(list) == 0 {
		t.Errorf("%d calls went well, %d checkpoints", whole, len(list))
	}
}

// B4: the same tool history in each format's own shape, over the level: kept messages keep theirs, the note is a string.
func TestB4ShapesStayApart(t *testing.T) {
	f := func(dialect, call, result string) {
		t.Helper()
		r := newRig(t, 4096, fakellm.Options{}, nil)
		body := plain("", 40, 500, `{"role":"user","content":"look it up"}`, call, result)
		if a := r.chat(dialect, body); a.code != 200 || bytes.Equal(r.sent(), body) {
			t.Fatalf("%s: %d, status %q", dialect, a.code, a.status())
		}
		if err := fakellm.CheckKept(dialect, body, r.sent()); err != nil {
			t.Errorf("%s: %v", dialect, err)
		}
		if sent := string(r.sent()); !strings.Contains(sent, call+","+result) || !strings.Contains(sent, `{"role":"user","content":"`) {
			t.Errorf("%s: sent %.300s", dialect, sent)
		}
		if refused := r.up.Refusals(); len(refused) > 0 {
			t.Errorf("%s: %s", dialect, refused[0])
		}
	}
	f("ollama", `{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{"q":1.10}}}]}`, `{"role":"tool","content":"found"}`)
	f("openai", `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"q\":1.10}"}}]}`, `{"role":"tool","tool_call_id":"c","content":"found"}`)
}

// design.md §4: windowWait lets the first request of a model wait for its window, and no other.
func TestWindowWait(t *testing.T) {
	t.Parallel()
	tell := make(chan struct{}) // closed when the window may be told
	slow := func(w http.ResponseWriter, _ *http.Request) {
		<-tell
		fmt.Fprint(w, `{"models":[{"name":"fake-model","context_length":16384}]}`)
	}
	o := fakellm.Options{Handle: map[string]http.HandlerFunc{"/api/ps": slow}}
	small := []byte(`{"model":"fake-model","messages":[{"role":"user","content":"hi"}]}`)
	r := newRig(t, 0, o, nil)
	if got := r.chat("ollama", small).header.Get("X-Recap-Tokens"); !strings.Contains(got, "window=4096, source=default") {
		t.Errorf("by default: %q", got)
	}
	r = newRig(t, 0, o, func(c *config.Config) { c.Upstreams[0].WindowWait = patience })
	time.AfterFunc(200*time.Millisecond, func() { close(tell) })
	if got := r.chat("ollama", small).header.Get("X-Recap-Tokens"); !strings.Contains(got, "window=16384, source=upstream") {
		t.Errorf("with a wait: %q", got)
	}
}

// The most that a model answers, from the file, caps what a client's max_tokens keeps free.
func TestReplyLimitCapsTheReserve(t *testing.T) {
	r := newRig(t, 8192, fakellm.Options{}, func(c *config.Config) { c.Models[0].ReplyTokens = 500 })
	body := bytes.Replace(plain("", 40, 500, lastUser), []byte(`"messages"`), []byte(`"max_tokens":100000,"messages"`), 1)
	e, err := do("POST", "http://"+r.app.AdminAddr()+"/api/explain", string(body))
	if err != nil || !strings.Contains(string(e.body), "500 are kept for the reply") {
		t.Errorf("explained: %v, %d %.600s", err, e.code, e.body)
	}
}
