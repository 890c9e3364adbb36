package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"recap/proxy"

	"github.com/valyala/fasthttp"
)

// earlyRig asks Retry about 200s too, and answers each request of a client with the next of answers.
func earlyRig(t *testing.T, answer func(s *session, n int)) (r *rig, asked func() []string, sent func() int) {
	t.Helper()
	var mu sync.Mutex
	var seen []string
	n := 0
	s := newStub(t, func(s *session, _ *http.Request) {
		mu.Lock()
		n++
		at := n
		mu.Unlock()
		answer(s, at)
	})
	r = newRig(t, s.url(), func(set *setting) {
		set.call = func(ctx *fasthttp.RequestCtx, c *proxy.Call) bool {
			text, _ := readBody(ctx, 0)
			c.Body, c.Early = proxy.Bytes(text), 2*time.Second
			c.Retry = func(status int, body []byte) ([]byte, bool) {
				mu.Lock()
				defer mu.Unlock()
				seen = append(seen, fmt.Sprint(status, " ", string(body)))
				return []byte("shorter"), strings.Contains(string(body), "too long")
			}
			return true
		}
	})
	return r, func() []string { mu.Lock(); defer mu.Unlock(); return seen }, func() int { mu.Lock(); defer mu.Unlock(); return n }
}

// Call.Early: a 200 that begins as an error and ends is asked about, in any framing; nothing of it has gone to the client.
func TestEarlyErrorIsRetried(t *testing.T) {
	t.Parallel()
	const kind = "HTTP/1.1 200 OK\r\nContent-Type: "
	event := "data: {\"error\":{\"message\":\"too long\"}}\n\n"
	named := "event: error\ndata: {\"type\":\"error\",\"message\":\"too long\"}\n\n"
	f := func(name string, pause time.Duration, first ...string) {
		t.Helper()
		r, asked, sent := earlyRig(t, func(s *session, n int) {
			if n > 1 {
				s.say("%s", plainAnswer(200, "application/json", "{}"))
				return
			}
			for i, piece := range first {
				if i > 0 {
					time.Sleep(pause)
				}
				s.say("%s", piece)
			}
			s.close = !strings.Contains(first[0], "Length") && !strings.Contains(first[0], "chunked")
		})
		p := r.dial()
		p.post("/v1/chat/completions", "first")
		resp, got := p.answer("POST")
		if resp.StatusCode != 200 || got != "{}" || sent() != 2 || len(asked()) != 1 {
			t.Errorf("%s: %d %q after %d requests, asked about %q", name, resp.StatusCode, got, sent(), asked())
		}
	}
	f("JSON at once", 0, plainAnswer(200, "application/json", `{"error":"too long"}`))
	f("events, with the headers", 0, kind+"text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"+chunk(event)+"0\r\n\r\n")
	f("events, behind the headers", 5*time.Millisecond, kind+"text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n", chunk(event), "0\r\n\r\n")
	f("an event with a name, to the end of the connection", 5*time.Millisecond, kind+"text/event-stream\r\n\r\n", named[:13], named[13:])
	f("a line", 5*time.Millisecond, kind+"application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n", chunk(`{"error":"too `), chunk("long\"}\n"), "0\r\n\r\n")
}

func chunk(text string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(text), text) }

// Everything else is passed on byte for byte, and only an answer that may be an error is held back until it has ended.
func TestEarlyLeavesTheRestAlone(t *testing.T) {
	t.Parallel()
	f := func(name string, wantAsked int, body string, pieces ...string) {
		t.Helper()
		r, asked, sent := earlyRig(t, func(s *session, _ int) {
			s.say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
			for _, piece := range pieces {
				time.Sleep(2 * time.Millisecond)
				s.say("%s", chunk(piece))
			}
			s.say("0\r\n\r\n")
		})
		p := r.dial()
		p.post("/v1/chat/completions", "first")
		if _, got := p.answer("POST"); got != body || sent() != 1 || len(asked()) != wantAsked {
			t.Errorf("%s: %.200q after %d requests, asked about %d", name, got, sent(), len(asked()))
		}
	}
	talk := `data: {"error":null,"choices":[{"delta":{"content":"\"error\": too long"}}]}` + "\n\n"
	f("a chat", 0, talk+talk, talk, talk)
	f("an error that is none of ours", 1, `data: {"error":"busy"}`, `data: {"error":"busy"}`)
	long := `data: {"error":"` + strings.Repeat("x", 70<<10) + `too long"}`
	f("more than is kept", 0, long, long[:1000], long[1000:])
	f("nothing", 0, "")
}

// What has begun to reach the client is not taken back: an error behind a word that is out is passed on.
func TestEarlyErrorBehindAWord(t *testing.T) {
	t.Parallel()
	const word, fault = "data: {\"error\":null}\n\n", "data: {\"error\":\"too long\"}\n\n"
	read := make(chan struct{})
	r, asked, sent := earlyRig(t, func(s *session, _ int) {
		s.say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n%s", chunk(word))
		<-read // the word has arrived
		s.say("%s0\r\n\r\n", chunk(fault))
	})
	p := r.dial()
	p.post("/v1/chat/completions", "first")
	body := p.head("POST").Body
	first := make([]byte, len(word))
	if _, err := io.ReadFull(body, first); err != nil || string(first) != word {
		t.Fatalf("first event: %q, %v", first, err)
	}
	close(read)
	rest, err := io.ReadAll(body)
	if err != nil || string(rest) != fault || sent() != 1 || len(asked()) != 0 {
		t.Errorf("%q, %v after %d requests, asked about %q", rest, err, sent(), asked())
	}
}

// C1: headers that nothing follows are not held back for longer than asked.
func TestC1EarlyHoldsHeadersBriefly(t *testing.T) {
	t.Parallel()
	next := make(chan struct{})
	r, _, _ := earlyRig(t, func(s *session, _ int) {
		s.say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
		<-next
		s.say("%s0\r\n\r\n", chunk("data: {\"error\":\"too long\"}\n\n"))
	})
	p := r.dial()
	p.post("/v1/chat/completions", "first")
	p.head("POST") // hangs where the headers wait for the first event
	close(next)
}
