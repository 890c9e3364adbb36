package promises_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"recap/config"
	"recap/internal/fakellm"
)

// P10: neither credentials nor message text appear in logs at any level, in metrics, in events or in errors of ours.
func TestP10NoLeaks(t *testing.T) {
	const secret, said = "sk-SECRETCREDENTIAL", "WORDSOFTHEUSER"
	r := newRig(t, 2048, fakellm.Options{
		Summary: func(string) fakellm.Reply { return fakellm.Reply{Text: "SUMMARYWORDS of the chat."} },
	}, func(c *config.Config) { c.Log.Level = "debug"; c.Log.Diagnostics = true })
	events := r.events(t)
	var shown strings.Builder
	turn := `,{"role":"user","content":"WORDSOFTHEUSER %d ` + strings.Repeat("tell me more ", 20) + `"},{"role":"assistant","content":"WORDSOFTHEUSER too"}`
	var history strings.Builder
	for i := range 40 {
		fmt.Fprintf(&history, turn, i)
		body := `{"model":"fake-model","messages":[{"role":"system","content":"WORDSOFTHEUSER"}` + history.String() + `,{"role":"user","content":"go on"}]}`
		a := r.chat("openai", []byte(body), "Authorization", "Bearer "+secret, "X-Api-Key", secret)
		for name, values := range a.header {
			fmt.Fprintln(&shown, name, values)
		}
		r.settle()
	}
	bad := r.chat("openai", []byte(`{"messages":["WORDSOFTHEUSER"`), "Authorization", "Bearer "+secret)
	fmt.Fprintln(&shown, bad.header)
	refused := r.chat("openai", []byte(`{}`), "X-Recap-Mode", "WORDSOFTHEUSER", "Authorization", "Bearer "+secret)
	if refused.code != 400 {
		t.Errorf("a bad override header gives %d, want 400", refused.code)
	}
	fmt.Fprintln(&shown, string(refused.body))
	resp, err := client.Get("http://" + r.app.AdminAddr() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	metrics, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	r.close()
	for place, text := range map[string]string{"log": r.log.String(), "metrics": string(metrics), "events": events("event: summary.ready"), "answers": shown.String()} {
		for _, word := range []string{secret, "SECRETCREDENTIAL", said, "SUMMARYWORDS"} {
			if at := strings.Index(text, word); at >= 0 {
				t.Errorf("%s hold %q: %.200s", place, word, text[max(at-100, 0):])
			}
		}
		if len(text) == 0 {
			t.Errorf("nothing in the %s: the test proves nothing", place)
		}
	}
	if !strings.Contains(string(metrics), "recap_summaries_total") {
		t.Error("the metrics tell of no summary")
	}
}

// events collects the admin listener's event stream. What it returns waits until the words have been told, and ends it.
// N15: the end of a summary is told.
func (r *rig) events(t *testing.T) func(words string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	req, _ := http.NewRequestWithContext(ctx, "GET", "http://"+r.app.AdminAddr()+"/api/events", nil)
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	var all logBuffer
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(&all, bufio.NewReader(resp.Body))
	}()
	return func(words string) string {
		r.until(words, func() bool { return strings.Contains(all.String(), words) })
		cancel()
		resp.Body.Close()
		<-done
		return all.String()
	}
}

// N14, N15: a job is queued after the answer has ended, and its steps are told in order, with the header beside them.
func TestN14N15Signals(t *testing.T) {
	r := newRig(t, 4096, fakellm.Options{}, nil)
	events := r.events(t)
	c := talk(51, 30, 0)
	points := c.Points()
	a := r.chat("openai", c.Body("openai", points[len(points)-2]))
	if got := a.header.Get("X-Recap-Summary"); got != "due" {
		t.Errorf("X-Recap-Summary is %q, want due", got)
	}
	r.settle()
	a = r.chat("openai", c.Body("openai", points[len(points)-1]))
	if got := a.header.Get("X-Recap-Summary"); got != "ready" && got != "due" {
		t.Errorf("afterwards X-Recap-Summary is %q", got)
	}
	text := events("event: summary.ready")
	at := 0
	for _, kind := range []string{"event: exchange", "event: summary.queued", "event: summary.started", "event: summary.ready"} {
		i := strings.Index(text[at:], kind)
		if i < 0 {
			t.Fatalf("%q is not told, or not in order:\n%s", kind, text)
		}
		at += i
	}
}

// C7: an answer that the client left starts no summary.
func TestC7AbortedTurn(t *testing.T) {
	r := newRig(t, 4096, fakellm.Options{
		Reply: func(*fakellm.Recorded) fakellm.Reply {
			return fakellm.Reply{Text: strings.Repeat("word ", 2000), Gap: 20 * time.Millisecond}
		},
	}, nil)
	c := fakellm.NewConversation(fakellm.ConversationOptions{Seed: 61, Turns: 30, TextChars: 250, Stream: true})
	points := c.Points()
	req, _ := http.NewRequest("POST", r.url+paths["openai"], strings.NewReader(string(c.Body("openai", points[len(points)-1]))))
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Header.Get("X-Recap-Summary") != "due" {
		t.Fatalf("no summary is due (%s): the test proves nothing", resp.Header.Get("X-Recap-Status"))
	}
	_, _ = io.ReadFull(resp.Body, make([]byte, 200))
	resp.Body.Close()
	if _, err := r.up.WaitGone(1, patience); err != nil {
		t.Error(err)
	}
	r.settle()
	if n := len(r.up.Summaries()); n != 0 {
		t.Errorf("%d summaries after an aborted turn", n)
	}
}

// The gauge of open streams counts an answer from its headers to its end.
func TestOpenStreamsAreCounted(t *testing.T) {
	looked := make(chan struct{})
	r := newRig(t, 100_000, fakellm.Options{Handle: map[string]http.HandlerFunc{
		paths["openai"]: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"so"}}]}`+"\n\n")
			w.(http.Flusher).Flush()
			<-looked
			_, _ = io.WriteString(w, "data: [DONE]\n\n")
		},
	}}, nil)
	gauge := func() string {
		var b strings.Builder
		r.app.Stats.WritePrometheus(&b)
		_, line, _ := strings.Cut(b.String(), "\nrecap_open_streams ")
		value, _, _ := strings.Cut(line, "\n")
		return value
	}
	req, _ := http.NewRequest("POST", r.url+paths["openai"],
		strings.NewReader(`{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`))
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if got := gauge(); got != "1" {
		t.Errorf("%q open streams while one runs", got)
	}
	close(looked)
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	r.settle()
	if got := gauge(); got != "0" {
		t.Errorf("%q open streams after its end", got)
	}
}
