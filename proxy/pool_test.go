package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recap/proxy"

	"github.com/valyala/fasthttp"
)

// C16: an upstream that closes idle connections without a word costs no request, and gets each POST once.
func TestC16StaleConnections(t *testing.T) {
	t.Parallel()
	f := func(stream bool, closeAfter, rest time.Duration, rounds int) {
		t.Helper()
		gone := make(chan struct{}, 1)
		s := newStub(t, func(s *session, r *http.Request) {
			if stream {
				s.say(sseHead)
				s.chunk("data: 1\n\n")
				s.say("0\r\n\r\n")
			} else {
				s.json("{}")
			}
			time.AfterFunc(closeAfter, func() { s.Close(); gone <- struct{}{} })
		})
		r := newRig(t, s.url(), nil)
		p := r.dial()
		for i := range rounds {
			p.post("/v1/chat/completions", fmt.Sprintf(`{"n":%d}`, i))
			if resp, body := p.answer("POST"); resp.StatusCode != 200 {
				t.Errorf("request %d: %d %s", i, resp.StatusCode, body)
			}
			<-gone // what comes before that may be lost
			time.Sleep(rest)
		}
		if n := s.seen.Load(); n != int64(rounds) {
			t.Errorf("stream=%v: upstream saw %d requests, want %d", stream, n, rounds)
		}
	}
	f(false, 10*time.Millisecond, 20*time.Millisecond, 25)
	f(true, 10*time.Millisecond, 20*time.Millisecond, 25)
}

// C16: a POST that the upstream has read is not sent again, whatever became of it; a GET is, once.
func TestC16OnlyHarmlessRequestsGoTwice(t *testing.T) {
	t.Parallel()
	f := func(method string, status int, times int64) {
		t.Helper()
		var count atomic.Int64
		s := newStub(t, func(s *session, r *http.Request) {
			if count.Add(1) == 2 { // the first on a connection that was used before
				s.close = true
				return
			}
			s.json("{}")
		})
		r := newRig(t, s.url(), nil)
		p := r.dial()
		p.send("GET /warm HTTP/1.1\r\nHost: p\r\n\r\n")
		p.answer("GET")
		p.send(method + " /x HTTP/1.1\r\nHost: p\r\nContent-Length: 0\r\n\r\n")
		if resp, body := p.answer(method); resp.StatusCode != status || status == 502 && !strings.Contains(body, "upstream_closed") {
			t.Errorf("%s: %d %s, want %d", method, resp.StatusCode, body, status)
		}
		if n := count.Load() - 1; n != times {
			t.Errorf("%s was sent %d times, want %d", method, n, times)
		}
	}
	f("POST", 502, 1)
	f("PUT", 502, 1)
	f("GET", 200, 2)
}

// A GET whose connections are always closed is tried twice, not five times.
func TestC16GetIsNotTriedForEver(t *testing.T) {
	s := newStub(t, func(s *session, r *http.Request) {
		s.close = r.URL.Path != "/warm"
		if !s.close {
			s.json("{}")
		}
	})
	r := newRig(t, s.url(), nil)
	p := r.dial()
	p.send("GET /warm HTTP/1.1\r\nHost: p\r\n\r\n")
	p.answer("GET")
	p.send("GET /x HTTP/1.1\r\nHost: p\r\n\r\n")
	if resp, _ := p.answer("GET"); resp.StatusCode != 502 {
		t.Errorf("%d, want 502", resp.StatusCode)
	}
	if n := s.seen.Load() - 1; n != 2 {
		t.Errorf("GET was sent %d times, want 2", n)
	}
}

// A connection on which bytes came that belong to no request is not used again.
func TestUnaskedBytesSpoilAConnection(t *testing.T) {
	said := make(chan struct{}, 3)
	s := newStub(t, func(s *session, r *http.Request) {
		s.json("{}")
		s.say("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged")
		said <- struct{}{}
	})
	r := newRig(t, s.url(), nil)
	p := r.dial()
	for range 3 {
		p.post("/x", "{}")
		if _, body := p.answer("POST"); body != "{}" {
			t.Errorf("got %q, want the answer to this request", body)
		}
		<-said
		time.Sleep(10 * time.Millisecond)
	}
}

// Connections are kept for a while and closed then.
func TestUnusedConnectionsAreClosed(t *testing.T) {
	gone := make(chan struct{})
	url := newRawUpstream(t, func(s *session) {
		r, err := http.ReadRequest(s.br)
		if err != nil {
			return
		}
		io.Copy(io.Discard, r.Body)
		s.json("{}")
		s.br.ReadByte()
		close(gone)
	})
	r := newRig(t, url, func(set *setting) { set.opts.IdleConn = 50 * time.Millisecond })
	p := r.dial()
	p.post("/x", "{}")
	p.answer("POST")
	within(t, patience, "unused connection closed", gone)
}

// An upstream that answers before it has read the whole body, and closes, is heard.
func TestEarlyAnswerIsRelayed(t *testing.T) {
	t.Parallel()
	for _, own := range []bool{true, false} {
		url := newRawUpstream(t, func(s *session) {
			io.ReadFull(s.br, make([]byte, 1000))
			s.say("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
			time.Sleep(100 * time.Millisecond)
		})
		r := newRig(t, url, func(set *setting) {
			set.call = func(ctx *fasthttp.RequestCtx, c *proxy.Call) bool {
				if own {
					text, _ := readBody(ctx, 0)
					c.Body = proxy.Bytes(text)
				}
				return true
			}
		})
		p := r.dial()
		p.post("/x", strings.Repeat("x", 16<<20))
		if resp, body := p.answer("POST"); resp.StatusCode != 413 || body != "no" {
			t.Errorf("own=%v: %d %q, want the upstream's 413", own, resp.StatusCode, body)
		}
	}
}

// Call.Retry: asked once, about JSON errors only; else the answer is relayed byte for byte.
func TestRetry(t *testing.T) {
	t.Parallel()
	const overflow = `{"error":{"message":"context length"}}`
	f := func(name string, answers []string, next string, wantAsked int, want string) {
		t.Helper()
		var mu sync.Mutex
		var sent []string
		s := newStub(t, func(s *session, r *http.Request) {
			mu.Lock()
			sent = append(sent, string(s.body))
			a := answers[min(len(sent), len(answers))-1]
			mu.Unlock()
			if a == "" {
				s.close = true
				return
			}
			s.say("%s", a)
		})
		asked := 0
		r := newRig(t, s.url(), func(set *setting) {
			set.call = func(ctx *fasthttp.RequestCtx, c *proxy.Call) bool {
				text, _ := readBody(ctx, 0)
				c.Body = proxy.Bytes(text)
				c.Retry = func(status int, body []byte) ([]byte, bool) {
					asked++
					if next == "panic" {
						panic("retry")
					}
					return []byte(next), next != ""
				}
				return true
			}
		})
		p := r.dial()
		p.post("/v1/chat/completions", "first")
		resp, got := p.answer("POST")
		if got := fmt.Sprint(resp.StatusCode, " ", got); got != want || asked != wantAsked {
			t.Errorf("%s: %.90s, asked %d times; want %.90s, %d", name, got, asked, want, wantAsked)
		}
		mu.Lock()
		if next != "" && next != "panic" && wantAsked > 0 && (len(sent) != 2 || sent[1] != next) {
			t.Errorf("%s: sent %q, want the second body once", name, sent)
		}
		mu.Unlock()
		if o := r.outcome(); !o.Complete || o.Status != resp.StatusCode {
			t.Errorf("%s: outcome %+v", name, o)
		}
	}
	ok := plainAnswer(200, "application/json", "{}")
	long := strings.Repeat("x", 65<<10)
	f("sent again", []string{plainAnswer(400, "application/json", overflow), ok}, "second", 1, "200 {}")
	f("chunked error", []string{chunkedAnswer(400, overflow), ok}, "second", 1, "200 {}")
	f("declined", []string{plainAnswer(400, "application/json; charset=utf-8", overflow)}, "", 1, "400 "+overflow)
	f("declined, chunked", []string{chunkedAnswer(400, overflow)}, "", 1, "400 "+overflow)
	f("asked once only", []string{plainAnswer(400, "application/json", overflow), plainAnswer(400, "application/json", "again")}, "second", 1, "400 again")
	f("the second attempt dies", []string{plainAnswer(400, "application/json", overflow), ""}, "second", 1, "400 "+overflow)
	f("not JSON", []string{plainAnswer(400, "text/html", overflow)}, "second", 0, "400 "+overflow)
	f("no error", []string{ok}, "second", 0, "200 {}")
	f("too long", []string{plainAnswer(400, "application/json", long)}, "second", 0, "400 "+long)
	f("too long, chunked", []string{chunkedAnswer(400, long)}, "second", 0, "400 "+long)
	f("a panic", []string{plainAnswer(400, "application/json", overflow)}, "panic", 1, "400 "+overflow)
}

func plainAnswer(status int, kind, body string) string {
	return fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", status, kind, len(body), body)
}

func chunkedAnswer(status int, body string) string {
	return fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", status, len(body), body)
}
