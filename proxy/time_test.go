package proxy_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"recap/proxy"

	"github.com/valyala/fasthttp"
)

// never is a pause that only the proxy ends.
const never = time.Duration(-1)

// B11: the first byte has a limit of its own, far over those of connect and idle. Here all are scaled down.
func TestB11FirstByteIsLimitedOnItsOwn(t *testing.T) {
	t.Parallel()
	f := func(wait, firstByte time.Duration, status int) {
		t.Helper()
		s := newStub(t, func(s *session, r *http.Request) {
			if wait == never {
				s.close = true
				s.br.ReadByte() // until the proxy closes
				return
			}
			time.Sleep(wait)
			s.json("{}")
		})
		r := newRig(t, s.url(), func(set *setting) {
			set.up.Timeouts = proxy.Timeouts{Connect: 500 * time.Millisecond, FirstByte: firstByte, Idle: 500 * time.Millisecond}
		})
		p := r.dial()
		p.post("/api/chat", "{}")
		resp, body := p.answer("POST")
		if resp.StatusCode != status {
			t.Errorf("wait %s, limit %s: %d %s, want %d", wait, firstByte, resp.StatusCode, body, status)
		}
		if status == 504 && !strings.Contains(body, "timeouts.firstByte") {
			t.Errorf("error does not name its knob: %s", body)
		}
	}
	f(900*time.Millisecond, patience, 200)
	f(never, 200*time.Millisecond, 504)
}

// B11: the defaults let a cold model load for minutes.
func TestB11DefaultsAreGenerous(t *testing.T) {
	t.Parallel()
	s := newStub(t, func(s *session, r *http.Request) { s.json("{}") })
	r := newRig(t, s.url(), nil)
	p := r.dial()
	p.post("/api/chat", "{}")
	if resp, _ := p.answer("POST"); resp.StatusCode != 200 {
		t.Errorf("status %d with default timeouts", resp.StatusCode)
	}
}

// C22: a stream that moves is never cut, however long it takes; one that does not is. The limits are scaled down, a stream
// lasts several of them instead of the report's ten minutes.
func TestC22OnlySilenceEndsAStream(t *testing.T) {
	t.Parallel()
	idle := 2 * time.Second
	f := func(gap time.Duration, events int, whole bool) {
		t.Helper()
		s := newStub(t, func(s *session, r *http.Request) {
			s.say(sseHead)
			for range events {
				s.chunk("data: x\n\n")
				time.Sleep(gap)
			}
			if !whole {
				s.close = true
				s.br.ReadByte() // until the proxy closes
				return
			}
			s.say("0\r\n\r\n")
		})
		r := newRig(t, s.url(), func(set *setting) {
			set.up.Timeouts = proxy.Timeouts{FirstByte: idle, Idle: idle}
			set.server.HeaderTimeout = idle
			set.server.KeepAlive = idle
		})
		p := r.dial()
		p.post("/v1/chat/completions", "{}")
		_, err := io.ReadAll(p.head("POST").Body)
		if whole != (err == nil) {
			t.Errorf("gap %s: read gave %v, want whole = %v", gap, err, whole)
		}
		if o := r.outcome(); o.Complete != whole || !whole && o.ClientGone {
			t.Errorf("gap %s: outcome %+v, want complete = %v", gap, o, whole)
		}
	}
	f(300*time.Millisecond, 10, true) // one and a half of the limit in all
	f(0, 2, false)
}

// C22: a client that takes nothing for very long is cut, and its upstream with it; the idle time is not what counts.
func TestC22StalledReaderIsCut(t *testing.T) {
	t.Parallel()
	closed := make(chan struct{})
	s := newStub(t, func(s *session, r *http.Request) {
		s.say(sseHead)
		s.close = true
		defer close(closed)
		for {
			if _, err := io.WriteString(s.Conn, "1000\r\n"+strings.Repeat("x", 4096)+"\r\n"); err != nil {
				return
			}
		}
	})
	r := newRig(t, s.url(), nil)
	r.client.SetStall(300 * time.Millisecond)
	p := r.dial()
	p.Conn.(*net.TCPConn).SetReadBuffer(4096)
	p.post("/v1/chat/completions", "{}")
	within(t, patience, "upstream closed", closed)
	if o := r.outcome(); o.Complete || o.Err == nil || !o.ClientGone {
		t.Errorf("outcome %+v, want the error of a client that is not there", o)
	}
}

// C22: a client that reads more slowly than its upstream speaks gets everything, even if it pauses for longer than the
// idle time: meanwhile it is not the upstream that is silent.
func TestC22SlowReaderGetsAll(t *testing.T) {
	t.Parallel()
	const size = 16 << 20
	piece := strings.Repeat("x", 64<<10)
	f := func(head, protocol string, inChunks bool) {
		t.Helper()
		s := newStub(t, func(s *session, r *http.Request) {
			s.say(head)
			for range size / len(piece) {
				if inChunks {
					s.chunk(piece)
				} else {
					s.say(piece)
				}
			}
			if inChunks {
				s.say("0\r\n\r\n")
			}
		})
		r := newRig(t, s.url(), func(set *setting) { set.up.Timeouts.Idle = 2 * time.Second }) // a stub on a busy machine may rest for a while
		p := r.dial()
		p.Conn.(*net.TCPConn).SetReadBuffer(256 << 10)
		p.send("GET /x " + protocol + "\r\nHost: p\r\n\r\n")
		resp := p.head("GET")
		time.Sleep(2500 * time.Millisecond)
		if n, err := io.Copy(io.Discard, resp.Body); n != size || err != nil {
			t.Errorf("%s, %q: read %d, %v; want %d", protocol, head, n, err, size)
		}
		if o := r.outcome(); !o.Complete {
			t.Errorf("%s, %q: outcome %+v, want complete", protocol, head, o)
		}
	}
	f(sseHead, "HTTP/1.1", true)
	f(sseHead, "HTTP/1.0", true)
	f(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", size), "HTTP/1.1", false)
}

// C22: a body that arrives slowly is fine, one that stops is not.
func TestC22SlowUploadIsFineAStoppedOneIsNot(t *testing.T) {
	t.Parallel()
	f := func(pieces int, stop bool) {
		t.Helper()
		got := make(chan int, 1)
		s := newStub(t, func(s *session, r *http.Request) { got <- len(s.body); s.json("{}") })
		r := newRig(t, s.url(), func(set *setting) {
			set.up.Timeouts.Idle = 2 * time.Second
			set.server.HeaderTimeout = 2 * time.Second
		})
		p := r.dial()
		p.send("POST /api/blobs/x HTTP/1.1\r\nHost: p\r\nTransfer-Encoding: chunked\r\n\r\n")
		for range pieces {
			p.send("400\r\n" + strings.Repeat("b", 1024) + "\r\n")
			time.Sleep(300 * time.Millisecond)
		}
		if !stop {
			p.send("0\r\n\r\n")
			if resp, _ := p.answer("POST"); resp.StatusCode != 200 {
				t.Errorf("slow upload: %d", resp.StatusCode)
			}
			if n := <-got; n != pieces*1024 {
				t.Errorf("upstream got %d bytes, want %d", n, pieces*1024)
			}
			return
		}
		resp, body := p.answer("POST")
		if resp.StatusCode != 504 || !strings.Contains(body, "timeouts.idle") {
			t.Errorf("stopped upload: %d %s, want 504 that names the limit", resp.StatusCode, body)
		}
		p.closed()
	}
	f(8, false)
	f(2, true)
}

// The connect timeout covers the TLS handshake: a port that accepts and then says nothing does not hang a request.
func TestConnectTimeout(t *testing.T) {
	t.Parallel()
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	r := newRig(t, "https://"+mute.Addr().String(), func(set *setting) { set.up.Timeouts.Connect = 200 * time.Millisecond })
	p := r.dial()
	p.post("/x", "{}")
	if resp, body := p.answer("POST"); resp.StatusCode != 504 || !strings.Contains(body, "timeouts.connect") {
		t.Errorf("%d %s, want 504 that names the limit", resp.StatusCode, body)
	}
}

// The outcome tells the first byte from the whole.
func TestOutcomeTimes(t *testing.T) {
	t.Parallel()
	seen := make(chan struct{})
	s := newStub(t, func(s *session, r *http.Request) {
		time.Sleep(50 * time.Millisecond)
		s.say(sseHead)
		<-seen // a busy machine may take its time to read this
		time.Sleep(200 * time.Millisecond)
		s.chunk("x")
		s.say("0\r\n\r\n")
	})
	heads := make(chan int, 1)
	r := newRig(t, s.url(), func(set *setting) {
		set.call = func(_ *fasthttp.RequestCtx, c *proxy.Call) bool {
			c.Header = func(_ *fasthttp.ResponseHeader, status int) { heads <- status; close(seen) }
			return true
		}
	})
	p := r.dial()
	p.post("/x", "{}")
	p.answer("POST")
	o := r.outcome()
	if o.FirstByte < 50*time.Millisecond || o.Total < o.FirstByte+100*time.Millisecond || o.Status != 200 || !o.Complete {
		t.Errorf("outcome %+v, want first byte at 50 ms and the end 200 ms later", o)
	}
	if got := <-heads; got != 200 {
		t.Errorf("Call.Header got status %d", got)
	}
}
