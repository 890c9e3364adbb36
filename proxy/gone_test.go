package proxy_test

import (
	"errors"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"recap/proxy"

	"github.com/valyala/fasthttp"
)

// C7: a client that goes away takes its upstream request with it, in each of the three phases.
func TestC7ClientGoneClosesTheUpstream(t *testing.T) {
	t.Parallel()
	f := func(name string, answer func(s *session), read int) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			started, closed := make(chan struct{}, 1), make(chan struct{})
			s := newStub(t, func(s *session, r *http.Request) {
				answer(s)
				started <- struct{}{}
				s.close = true
				s.br.ReadByte() // until the proxy closes
				close(closed)
			})
			r := newRig(t, s.url(), nil)
			p := r.dial()
			p.post("/v1/chat/completions", "{}")
			<-started
			if read > 0 {
				io.ReadFull(p.br, make([]byte, read))
			}
			p.Close()
			within(t, patience, "upstream closed", closed) // 100 to 200 ms on a quiet machine
			if o := r.outcome(); !o.ClientGone || o.Complete || !errors.Is(o.Err, proxy.ErrClientGone) {
				t.Errorf("outcome %+v, want client gone", o)
			}
		})
	}
	f("waiting for headers", func(*session) {}, 0)
	f("silent stream", func(s *session) { s.say(sseHead); s.chunk("data: 1\n\n") }, 10)
	f("active stream", func(s *session) {
		s.say(sseHead)
		go func() {
			for {
				if _, err := io.WriteString(s.Conn, "3\r\nabc\r\n"); err != nil {
					return
				}
				time.Sleep(5 * time.Millisecond)
			}
		}()
	}, 10)
	f("silent body of known length", func(s *session) { s.say("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc") }, 10)
}

// C7: a client that stops in the middle of its own upload is gone too, and what it sent never looks whole upstream.
func TestC7ClientGoneWithinItsUpload(t *testing.T) {
	for _, frame := range []string{"Content-Length: 100000", "Transfer-Encoding: chunked"} {
		whole := make(chan bool, 1)
		url := newRawUpstream(t, func(s *session) {
			r, err := http.ReadRequest(s.br)
			if err == nil {
				_, err = io.Copy(io.Discard, r.Body)
				whole <- err == nil
			}
		})
		r := newRig(t, url, nil)
		p := r.dial()
		p.send("POST /api/blobs/x HTTP/1.1\r\nHost: p\r\n" + frame + "\r\n\r\n2710\r\n" + strings.Repeat("x", 10000) + "\r\n")
		p.Close()
		if within(t, patience, "end of the upload", whole) {
			t.Errorf("%s: upstream took a part for the whole", frame)
		}
		if o := r.outcome(); !o.ClientGone || o.Complete {
			t.Errorf("%s: outcome %+v, want client gone", frame, o)
		}
	}
}

// C7: aborted clients leave nothing behind. 200 of them: a leak of one each shows by then, and the 1,000 of the report take
// five seconds.
func TestC7NoGoroutineIsLeftBehind(t *testing.T) {
	s := newStub(t, func(s *session, r *http.Request) {
		s.say(sseHead)
		s.chunk("data: 1\n\n")
		s.close = true
		s.br.ReadByte()
	})
	r := newRig(t, s.url(), nil)
	before := 0
	for round := range 5 {
		for range 40 {
			p := r.dial()
			p.post("/v1/chat/completions", "{}")
			p.head("POST")
			p.Close()
		}
		for range 40 {
			r.outcome()
		}
		if round == 0 {
			before = runtime.NumGoroutine()
		}
	}
	after := runtime.NumGoroutine()
	for end := time.Now().Add(patience); after > before+10 && time.Now().Before(end); after = runtime.NumGoroutine() {
		time.Sleep(20 * time.Millisecond) // connections are still closing
	}
	if after > before+10 {
		t.Errorf("%d goroutines after 160 more aborts, %d before", after, before)
	}
}

// C9: an upstream that dies in the middle never looks complete to the client, and nothing is made up.
func TestC9DeadUpstreamNeverLooksComplete(t *testing.T) {
	f := func(name, head string, begin, die func(s *session), want string, version string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			read := make(chan struct{})
			s := newStub(t, func(s *session, r *http.Request) {
				s.say(head)
				begin(s)
				<-read // a reset overtakes what was not read
				die(s)
				s.close = true
			})
			r := newRig(t, s.url(), nil)
			p := r.dial()
			p.send("POST /v1/chat/completions HTTP/" + version + "\r\nHost: p\r\nContent-Length: 2\r\n\r\n{}")
			resp := p.head("POST")
			got := make([]byte, len(want))
			n, _ := io.ReadFull(resp.Body, got)
			close(read)
			rest, err := io.ReadAll(resp.Body)
			if err == nil {
				t.Error("body ended as if it were complete")
			}
			if got := string(got[:n]) + string(rest); got != want {
				t.Errorf("body = %q, want %q", got, want)
			}
			if o := r.outcome(); o.Complete || o.ClientGone || o.Err == nil || o.Status != 200 {
				t.Errorf("outcome %+v, want incomplete through the upstream's fault", o)
			}
		})
	}
	const e = "data: {\"a\":1}\n\n"
	events := func(s *session) { s.chunk(e); s.chunk(e); s.chunk(e) }
	end, reset := func(*session) {}, (*session).reset
	f("reset after three events", sseHead, events, reset, e+e+e, "1.1")
	f("clean end in mid line", sseHead, func(s *session) { s.chunk("data: {\"a") }, end, "data: {\"a", "1.1")
	f("end within a chunk", sseHead, func(s *session) { s.say("ff\r\ndata: {\"a") }, end, "data: {\"a", "1.1")
	f("broken chunk", sseHead, func(s *session) { s.chunk(e) }, func(s *session) { s.say("zz\r\n") }, e, "1.1")
	f("NDJSON", strings.Replace(sseHead, "text/event-stream", "application/x-ndjson", 1),
		func(s *session) { s.chunk("{\"done\":false}\n") }, reset, "{\"done\":false}\n", "1.1")
	f("short of its length", "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n", func(s *session) { s.say("{\"choices\":[") }, end, "{\"choices\":[", "1.1")
	f("reset without framing, to HTTP/1.0", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", func(s *session) { s.say(e) }, reset, e, "1.0")
}

// An upstream that is not there, refuses or talks nonsense is a JSON error that names it and the class of the cause,
// and repeats nothing of what was received.
func TestDeadUpstreamIsAnErrorInTheAPIsShape(t *testing.T) {
	t.Parallel()
	f := func(url string, status int, code, part string) {
		t.Helper()
		r := newRig(t, url, func(set *setting) {
			set.call = func(_ *fasthttp.RequestCtx, c *proxy.Call) bool {
				c.ErrorBody = func(status int, code, message string) []byte { return []byte(code + "|" + message) }
				c.Header = func(h *fasthttp.ResponseHeader, status int) { h.Set("X-Recap-Status", "clear") }
				return true
			}
		})
		p := r.dial()
		p.post("/v1/chat/completions", "{}")
		resp, body := p.answer("POST")
		if resp.StatusCode != status || !strings.HasPrefix(body, code+"|upstream \"local\": ") || !strings.Contains(body, part) {
			t.Errorf("%s: %d %q, want %d %s with %q", url, resp.StatusCode, body, status, code, part)
		}
		if strings.Contains(body, "SECRET") {
			t.Errorf("error repeats the answer: %q", body)
		}
		if resp.Header.Get("X-Recap-Status") != "clear" {
			t.Error("Call.Header was not asked about the error")
		}
		if o := r.outcome(); o.Status != status || o.Complete || o.Err == nil || strings.Contains(o.Err.Error(), "SECRET") {
			t.Errorf("outcome %+v", o)
		}
	}
	talk := func(text string) string {
		return newStub(t, func(s *session, r *http.Request) { s.say(text); s.close = true }).url()
	}
	f("http://127.0.0.1:1", 502, "upstream_unreachable", "connection refused") // a port that was free a moment ago may be somebody's
	f("http://no-such-host.invalid", 502, "upstream_unreachable", "")
	f(talk(""), 502, "upstream_closed", "before an answer")
	f(talk("HTTP/1.1 2"), 502, "upstream_closed", "before an answer")
	f(talk("SECRET nonsense\r\n\r\n"), 502, "upstream_bad_answer", "not an HTTP answer")
	f(talk("HTTP/1.1 200 OK\r\nSECRET\x00: x\r\n\r\n"), 502, "upstream_bad_answer", "")
	const chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	f(talk(chunks+"SECRET\r\n"), 502, "upstream_bad_answer", "broken chunk")
	f(talk(chunks+"\r\n"), 502, "upstream_bad_answer", "broken chunk")
	f(talk(chunks+"fffffffffffffffff\r\n"), 502, "upstream_bad_answer", "broken chunk")
	f(talk("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"), 502, "upstream_bad_answer", "protocol")
}

// Without a shape the error is plain JSON; an unknown name is an error too.
func TestUnknownUpstream(t *testing.T) {
	r := newRig(t, "http://127.0.0.1:1", func(set *setting) {
		set.call = func(_ *fasthttp.RequestCtx, c *proxy.Call) bool { c.Upstream = "other"; return true }
	})
	p := r.dial()
	p.post("/x", "{}")
	resp, body := p.answer("POST")
	const want = `{"error":{"code":"unknown_upstream","message":"upstream \"other\": no such upstream","type":"proxy_error"}}`
	if resp.StatusCode != 502 || body != want {
		t.Errorf("%d %s, want 502 %s", resp.StatusCode, body, want)
	}
}
