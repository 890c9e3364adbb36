package promises_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"recap/internal/fakellm"
)

// C6: comments before the first event, between the halves of one and with CRLF arrive as they were sent, each before the
// next is sent, and are not taken for an answer's first words.
func TestC6CommentsAreRelayedAtOnce(t *testing.T) {
	pieces := []string{
		": keep-alive\n", ": keep-alive\n\n", ": OPENROUTER PROCESSING\r\n", "\r\n", ":\n\n",
		`data: {"choices":[{"delta":{"content":"a"}}]}` + "\n", ": in between\n", "\n",
		`data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":1}}` + "\n\n", ": behind it\n\n", "data: [DONE]\n\n",
	}
	next := make(chan struct{})
	r := newRig(t, 100_000, fakellm.Options{Handle: map[string]http.HandlerFunc{paths["openai"]: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, piece := range pieces {
			_, _ = io.WriteString(w, piece)
			w.(http.Flusher).Flush()
			<-next
		}
	}}}, nil)
	req, _ := http.NewRequest("POST", r.url+paths["openai"], strings.NewReader(`{"stream":true,"model":"m","messages":[{"role":"user","content":"hi"}]}`))
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	stream := bufio.NewReader(resp.Body)
	for i, piece := range pieces {
		got := make([]byte, len(piece)) // a relay that waits for more would wait for ever
		if _, err := io.ReadFull(stream, got); err != nil || string(got) != piece {
			t.Fatalf("piece %d: %q, %v; want %q", i, got, err, piece)
		}
		next <- struct{}{}
	}
	if rest, err := io.ReadAll(stream); len(rest) > 0 || err != nil {
		t.Errorf("at the end %q, %v", rest, err)
	}
	if list, _ := r.sessions(); len(list) != 1 || list[0].Usage.Prompt != 7 {
		t.Errorf("the usage between comments was not read: %+v", list)
	}
}

// C20: preflights and CORS headers are the upstream's own: answered by it, once, on errors and streams too.
func TestC20CORSIsTheUpstreams(t *testing.T) {
	const origin = "http://app.example"
	var asked http.Header
	r := newRig(t, 100_000, fakellm.Options{Handle: map[string]http.HandlerFunc{paths["openai"]: func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", origin)
		w.Header().Set("Vary", "Origin")
		if asked = q.Header.Clone(); q.Method == "OPTIONS" {
			w.Header().Set("Access-Control-Allow-Headers", q.Header.Get("Access-Control-Request-Headers"))
			w.WriteHeader(http.StatusNoContent)
			return
		}
		if q.Header.Get("X-Bad") != "" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	}}}, nil)
	f := func(method, bad string, code int) answer {
		t.Helper()
		body := ""
		if method == "POST" {
			body = `{"stream":true,"model":"m","messages":[{"role":"user","content":"hi"}]}`
		}
		const wanted = "authorization,content-type,x-stainless-os,x-recap-mode"
		a := r.do(method, paths["openai"], body, "Origin", origin, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", wanted, "X-Bad", bad)
		if got := a.header.Values("Access-Control-Allow-Origin"); a.code != code || len(got) != 1 || got[0] != origin || len(a.header.Values("Vary")) != 1 {
			t.Errorf("%s %q: %d, allowed %q, vary %q", method, bad, a.code, got, a.header.Values("Vary"))
		}
		if asked.Get("Origin") != origin {
			t.Errorf("%s: the upstream saw the origin %q", method, asked.Get("Origin"))
		}
		return a
	}
	if a := f("OPTIONS", "", 204); a.header.Get("Access-Control-Allow-Headers") != "authorization,content-type,x-stainless-os,x-recap-mode" {
		t.Errorf("preflight allows %q", a.header.Get("Access-Control-Allow-Headers"))
	}
	f("POST", "", 200)
	f("POST", "yes", 400)
}

// chunked hides how long it is.
type chunked struct{ io.Reader }

// C14 at its full size: with the limit as it is by default, 5 and 20 MB pass and 70 MB are refused with 413 in the
// format's own shape, with a declared length or without.
func TestC14FullSize(t *testing.T) {
	t.Parallel()
	if underRace {
		t.Skip("the same code at 2 MiB is tested in proxy; here the detector takes ten times as long")
	}
	answered := func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }
	r := newRig(t, 100_000, fakellm.Options{Handle: map[string]http.HandlerFunc{paths["openai"]: answered}}, nil)
	f := func(size int, declared bool, code int) {
		t.Helper()
		front, behind := `{"model":"fake-model","messages":[{"role":"user","content":"`, `"}]}`
		var body io.Reader = strings.NewReader(front + strings.Repeat("x", size-len(front)-len(behind)) + behind)
		if !declared {
			body = chunked{body}
		}
		req, _ := http.NewRequest("POST", r.url+paths["openai"], body)
		resp, err := client.Do(req)
		if err != nil {
			t.Errorf("%d bytes, declared %v: %v", size, declared, err)
			return
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		if resp.StatusCode != code || code == 413 && !bytes.Contains(text, []byte(`{"error":{"message"`)) {
			t.Errorf("%d bytes, declared %v: %d %.200s", size, declared, resp.StatusCode, text)
		}
	}
	for _, declared := range []bool{true, false} {
		f(5e6, declared, 200)
		f(20e6, declared, 200)
		f(70e6, declared, 413)
	}
	seen := []string{}
	for _, q := range r.up.Find(func(q *fakellm.Recorded) bool { return q.Path == paths["openai"] }) {
		seen = append(seen, fmt.Sprint(q.Bytes))
	}
	if got := strings.Join(seen, " "); got != "5000000 20000000 5000000 20000000" {
		t.Errorf("the upstream got bodies of %s bytes", got)
	}
}
