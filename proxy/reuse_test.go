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

// An exchange's memory serves the next one: what one was must not show in another.
func TestExchangesDoNotMix(t *testing.T) {
	t.Parallel()
	s := newStub(t, func(s *session, r *http.Request) {
		var n int
		fmt.Sscanf(r.URL.Path, "/%d", &n)
		switch n % 4 {
		case 0:
			s.json(strings.Repeat("j", n))
		case 1:
			s.say("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
		case 2:
			s.say(sseHead)
			s.chunk(strings.Repeat("s", n))
			s.say("0\r\n\r\n")
		case 3:
			s.reset()
		}
	})
	const workers, each = 8, 40
	var mu sync.Mutex
	var ended sync.WaitGroup
	ended.Add(workers * each)
	outcomes := map[string]proxy.Outcome{}
	r := newRig(t, s.url(), func(set *setting) {
		set.call = func(ctx *fasthttp.RequestCtx, call *proxy.Call) bool {
			path := string(ctx.Path())
			call.Ended = func(o proxy.Outcome) {
				mu.Lock()
				defer mu.Unlock()
				if _, twice := outcomes[path]; twice {
					t.Errorf("%s ended twice", path)
					return
				}
				outcomes[path] = o
				ended.Done()
			}
			return true
		}
	})
	var wg sync.WaitGroup
	for w := range workers {
		p := r.dial()
		wg.Go(func() {
			for i := range each {
				p.post(fmt.Sprintf("/%d", 1+w*each+i), "{}")
				p.answer("POST")
			}
		})
	}
	wg.Wait()
	all := make(chan struct{})
	go func() { ended.Wait(); close(all) }()
	within(t, patience, "the end of all", all)
	mu.Lock()
	defer mu.Unlock()
	for n := 1; n <= workers*each; n++ {
		o, ok := outcomes[fmt.Sprintf("/%d", n)]
		want := []proxy.Outcome{
			{Status: 200, Complete: true, Bytes: int64(n)},
			{Status: 404, Complete: true},
			{Status: 200, Complete: true, Bytes: int64(n)},
			{Status: 502},
		}[n%4]
		if !ok || o.Status != want.Status || o.Complete != want.Complete || o.Bytes != want.Bytes || (o.Err == nil) != want.Complete {
			t.Errorf("%d: outcome %+v, want %+v", n, o, want)
		}
	}
}

// B10: whatever its length and however it is cut into packets, a body arrives whole, and the request behind it too.
func TestB10UploadsArriveWhole(t *testing.T) {
	t.Parallel()
	got := make(chan string, 1)
	s := newStub(t, func(s *session, r *http.Request) { got <- string(s.body); s.json("{}") })
	r := newRig(t, s.url(), nil)
	f := func(size, first int, pause time.Duration) {
		t.Helper()
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, "%d ", i)
		}
		body := b.String()[:size]
		p := r.dial()
		request := fmt.Sprintf("POST /v1/files HTTP/1.1\r\nHost: p\r\nContent-Length: %d\r\n\r\n%s", size, body)
		second := "POST /v1/files HTTP/1.1\r\nHost: p\r\nContent-Length: 6\r\n\r\nsecond"
		go func() {
			io.WriteString(p.Conn, request[:first])
			time.Sleep(pause)
			io.WriteString(p.Conn, request[first:]+second)
		}()
		for i, want := range []string{body, "second"} {
			if text := within(t, patience, "request", got); text != want {
				t.Errorf("%d bytes cut at %d: request %d arrived with %d bytes, want %d, or others", size, first, i, len(text), len(want))
			}
			p.answer("POST")
		}
	}
	for _, size := range []int{1, 4096, 4097, 8192, 8193, 20_000, 70_000, 300_000, 600_000, 1_500_000} {
		f(size, 50, 0)
		f(size, 50+size/2, 5*time.Millisecond)
	}
}

// A connection that waits for its next request may do so for as long as KeepAlive says, be HeaderTimeout ever so short.
func TestKeepAliveOutlastsHeaderTimeout(t *testing.T) {
	t.Parallel()
	s := newStub(t, func(s *session, r *http.Request) { s.json("{}") })
	f := func(header, keep, wait time.Duration, open bool) {
		t.Helper()
		r := newRig(t, s.url(), func(set *setting) { set.server.HeaderTimeout, set.server.KeepAlive = header, keep })
		p := r.dial()
		for range 2 {
			p.post("/api/chat", "{}")
			p.answer("POST")
		}
		p.SetReadDeadline(time.Now().Add(wait))
		if _, err := p.br.ReadByte(); open != isTimeout(err) {
			t.Errorf("header %s, keep %s: after %s read gives %v, want open = %v", header, keep, wait, err, open)
		}
		if !open {
			return
		}
		p.SetReadDeadline(time.Now().Add(patience))
		p.post("/api/chat", "{}")
		if resp, _ := p.answer("POST"); resp.StatusCode != 200 {
			t.Errorf("status %d after a pause", resp.StatusCode)
		}
	}
	f(time.Second, patience, 1500*time.Millisecond, true)
	f(time.Second, 800*time.Millisecond, patience, false)
	f(patience, 800*time.Millisecond, patience/2, false)
}

func isTimeout(err error) bool {
	late, ok := err.(interface{ Timeout() bool })
	return ok && late.Timeout()
}
