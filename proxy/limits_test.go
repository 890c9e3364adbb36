package proxy_test

import (
	"bytes"
	"compress/gzip"
	"errors"
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

// readsBody makes a rig's handler read the body itself, with a limit.
func readsBody(t *testing.T, limit int64, errs chan<- error) func(set *setting) {
	return func(set *setting) {
		set.call = func(ctx *fasthttp.RequestCtx, c *proxy.Call) bool {
			text, err := readBody(ctx, limit)
			if err != nil {
				ctx.SetStatusCode(413)
				ctx.SetContentType("application/json")
				ctx.SetBodyString(`{"error":{"message":"too large"}}`)
				errs <- err
				return false
			}
			c.Body = proxy.Bytes(text)
			return true
		}
	}
}

// C14: bodies up to the limit pass; over it the client gets to read the 413, even if it is still sending. Here the limit is
// 2 MiB; internal/promises sends the 70 MB of the report.
func TestC14BodyLimit(t *testing.T) {
	const limit = 2 << 20
	got := make(chan int, 1)
	s := newStub(t, func(s *session, r *http.Request) { got <- len(s.body); s.json("{}") })
	errs := make(chan error, 1)
	r := newRig(t, s.url(), readsBody(t, limit, errs))
	f := func(size int, inChunks bool, status int) {
		t.Helper()
		p := r.dial()
		var sent sync.WaitGroup
		sent.Add(1)
		go func() { // a client that sends it all before it reads
			defer sent.Done()
			frame := fmt.Sprintf("Content-Length: %d", size)
			if inChunks {
				frame = "Transfer-Encoding: chunked"
			}
			io.WriteString(p.Conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: p\r\n"+frame+"\r\n\r\n")
			for left := size; left > 0; {
				n := min(left, 64<<10)
				piece := strings.Repeat("x", n)
				if inChunks {
					piece = fmt.Sprintf("%x\r\n%s\r\n", n, piece)
				}
				if _, err := io.WriteString(p.Conn, piece); err != nil {
					t.Errorf("size %d chunked=%v: sending broke off: %v", size, inChunks, err)
					return
				}
				left -= n
			}
			if inChunks {
				io.WriteString(p.Conn, "0\r\n\r\n")
			}
		}()
		sent.Wait()
		resp, body := p.answer("POST")
		if resp.StatusCode != status {
			t.Errorf("size %d chunked=%v: %d, want %d", size, inChunks, resp.StatusCode, status)
		}
		if status == 200 {
			if n := <-got; n != size {
				t.Errorf("upstream got %d bytes, want %d", n, size)
			}
			return
		}
		if err := <-errs; !errors.Is(err, proxy.ErrTooLarge) || !strings.Contains(body, "too large") {
			t.Errorf("size %d chunked=%v: error %v, body %q", size, inChunks, err, body)
		}
	}
	for _, inChunks := range []bool{false, true} {
		f(1, inChunks, 200)
		f(limit, inChunks, 200)
		f(limit+1, inChunks, 413)
		f(5*limit, inChunks, 413)
	}
	if n := s.seen.Load(); n != 4 {
		t.Errorf("upstream saw %d requests, want 4", n)
	}
}

// C14: a declared size over the limit is refused before a byte of it is waited for.
func TestC14DeclaredSizeIsRefusedAtOnce(t *testing.T) {
	errs := make(chan error, 1)
	r := newRig(t, "http://127.0.0.1:1", readsBody(t, 0, errs))
	p := r.dial()
	p.send("POST /x HTTP/1.1\r\nHost: p\r\nExpect: 100-continue\r\nContent-Length: 70000000\r\n\r\n" + strings.Repeat("x", 9000))
	resp := p.head("POST")
	if resp.StatusCode == 100 {
		resp = p.head("POST")
	}
	if err := <-errs; resp.StatusCode != 413 || !errors.Is(err, proxy.ErrTooLarge) {
		t.Errorf("%d, %v; want 413", resp.StatusCode, err)
	}
}

// A body that ends early is an error, not a short body.
func TestReadBodyCutShort(t *testing.T) {
	for _, sent := range []string{
		"POST /x HTTP/1.1\r\nHost: p\r\nContent-Length: 20000\r\n\r\n" + strings.Repeat("x", 15000),
		"POST /x HTTP/1.1\r\nHost: p\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
	} {
		errs := make(chan error, 1)
		r := newRig(t, "http://127.0.0.1:1", readsBody(t, 0, errs))
		p := r.dial()
		p.send(sent)
		p.Conn.(interface{ CloseWrite() error }).CloseWrite()
		if err := within(t, patience, "error", errs); err == nil || errors.Is(err, proxy.ErrTooLarge) {
			t.Errorf("readBody = %v, want an early end", err)
		}
	}
}

// The body that is read is nobody else's: later requests on the connection do not change it.
func TestE11BodyOutlivesItsRequest(t *testing.T) {
	s := newStub(t, func(s *session, r *http.Request) { s.json("{}") })
	var mu sync.Mutex
	var kept []string
	r := newRig(t, s.url(), func(set *setting) {
		set.call = func(ctx *fasthttp.RequestCtx, c *proxy.Call) bool {
			text, _ := readBody(ctx, 0)
			mu.Lock()
			kept = append(kept, text)
			mu.Unlock()
			c.Body = proxy.Bytes(text)
			return true
		}
	})
	p := r.dial()
	for i := range 20 {
		p.post("/x", strings.Repeat(fmt.Sprint(i%10), 6000))
		p.answer("POST")
	}
	for i, text := range kept {
		if want := strings.Repeat(fmt.Sprint(i%10), 6000); text != want {
			t.Errorf("body %d changed after its request", i)
		}
	}
}

func TestDecodeBody(t *testing.T) {
	t.Parallel()
	pack := func(text string) string {
		var b bytes.Buffer
		zw := gzip.NewWriter(&b)
		io.WriteString(zw, text)
		zw.Close()
		return b.String()
	}
	br := string(fasthttp.AppendBrotliBytes(nil, []byte("hello")))
	zstd := string(fasthttp.AppendZstdBytes(nil, []byte("hello")))
	deflate := string(fasthttp.AppendDeflateBytes(nil, []byte("hello")))
	f := func(body, encoding, want string, wantErr error) {
		t.Helper()
		got, err := proxy.DecodeBody(body, encoding, 1000)
		if got != want || wantErr != nil && !errors.Is(err, wantErr) || wantErr == nil && err != nil {
			t.Errorf("DecodeBody(%q, %q) = %q, %v; want %q, %v", body[:min(9, len(body))], encoding, got, err, want, wantErr)
		}
	}
	f("plain", "", "plain", nil)
	f("plain", "identity", "plain", nil)
	f(pack("hello"), "gzip", "hello", nil)
	f(pack("hello"), " X-GZIP ", "hello", nil)
	f(br, "br", "hello", nil)
	f(zstd, "zstd", "hello", nil)
	f(deflate, "deflate", "hello", nil)
	f(pack(strings.Repeat("0", 1000)), "gzip", strings.Repeat("0", 1000), nil)
	f(pack(strings.Repeat("0", 50_000_000)), "gzip", "", proxy.ErrTooLarge)
	f(string(fasthttp.AppendZstdBytes(nil, make([]byte, 1_000_000))), "zstd", "", proxy.ErrTooLarge)
	f("x", "compress", "", proxy.ErrEncoding)
	f("x", "gzip, br", "", proxy.ErrEncoding)
	if _, err := proxy.DecodeBody("no gzip", "gzip", 1000); err == nil || strings.Contains(err.Error(), "no gzip") {
		t.Errorf("broken data: %v, want an error without the data", err)
	}
}

// C15: long header blocks work both ways up to the limit; over it the client reads a 431 and the hook hears of it.
func TestC15LongHeaders(t *testing.T) {
	got := make(chan int, 1)
	answer := 0
	s := newStub(t, func(s *session, r *http.Request) {
		got <- len(r.Header.Get("Cookie"))
		s.say("HTTP/1.1 200 OK\r\nX-Long: " + strings.Repeat("y", answer) + "\r\nContent-Length: 2\r\n\r\n{}")
	})
	refused := make(chan string, 1)
	r := newRig(t, s.url(), func(set *setting) {
		set.server.Refused = func(_ netAddr, status int, reason string) { refused <- fmt.Sprint(status, " ", reason) }
	})
	f := func(request, length int) {
		t.Helper()
		answer = length
		p := r.dial()
		for range 2 { // the second on a connection whose buffer has grown
			p.post("/x", "{}", "Cookie: "+strings.Repeat("c", request))
			resp, body := p.answer("POST")
			if n := len(resp.Header.Get("X-Long")); resp.StatusCode != 200 || n != length || body != "{}" {
				t.Errorf("request %d, answer %d: %d, %d bytes back, %q", request, length, resp.StatusCode, n, body)
			}
			if n := <-got; n != request {
				t.Errorf("upstream got %d bytes of Cookie, want %d", n, request)
			}
		}
	}
	f(5<<10, 1)
	f(30<<10, 1)
	f(60<<10, 1)
	f(1, 10<<10)
	f(1, 60<<10)

	p := r.dial()
	p.post("/x", "{}", "Cookie: "+strings.Repeat("c", 200<<10))
	resp, body := p.answer("POST")
	if resp.StatusCode != 431 || !strings.Contains(body, "limits.header") {
		t.Errorf("%d %s, want 431 that names the limit", resp.StatusCode, body)
	}
	if got := within(t, patience, "hook", refused); !strings.HasPrefix(got, "431 ") {
		t.Errorf("hook heard %q", got)
	}
	answer = 200 << 10
	p = r.dial()
	p.post("/x", "{}")
	if resp, body := p.answer("POST"); resp.StatusCode != 502 || strings.Contains(body, "yyy") {
		t.Errorf("answer with too long headers: %d %.200s, want 502", resp.StatusCode, body)
	}
}

// C23: without a limit 600 streams run side by side.
func TestC23ManyStreams(t *testing.T) {
	t.Parallel()
	const streams = 600
	var all sync.WaitGroup
	all.Add(streams)
	s := newStub(t, func(s *session, r *http.Request) {
		s.say(sseHead)
		s.chunk("data: 1\n\n")
		all.Done()
		all.Wait() // nobody ends before everybody has begun
		s.say("0\r\n\r\n")
	})
	r := newRig(t, s.url(), nil)
	var clients sync.WaitGroup
	for range streams {
		p := r.dial()
		clients.Add(1)
		go func() {
			defer clients.Done()
			p.post("/v1/chat/completions", "{}")
			if resp, body := p.answer("POST"); resp.StatusCode != 200 || body != "data: 1\n\n" {
				t.Errorf("%d %q", resp.StatusCode, body)
			}
		}()
	}
	clients.Wait()
}

// C23: with a limit the rest wait, and after a while get a 503 that says when to come again.
func TestC23QueueThenBusy(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := newStub(t, func(s *session, r *http.Request) { <-release; s.json("{}") })
	f := func(wait time.Duration, want int) {
		t.Helper()
		r := newRig(t, s.url(), func(set *setting) {
			set.opts = proxy.Options{Limits: proxy.Limits{Concurrent: 1}, Wait: wait}
		})
		first, second := r.dial(), r.dial()
		seen := s.seen.Load()
		first.post("/x", "{}")
		for s.seen.Load() == seen {
			time.Sleep(time.Millisecond)
		}
		second.post("/x", "{}")
		if want == 503 {
			resp, body := second.answer("POST")
			if resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" || !strings.Contains(body, "limits.concurrent") {
				t.Errorf("%d %v %s, want 503 with Retry-After", resp.StatusCode, resp.Header, body)
			}
			release <- struct{}{}
			first.answer("POST")
			return
		}
		time.Sleep(20 * time.Millisecond)
		if n := s.seen.Load(); n != seen+1 {
			t.Errorf("upstream saw %d requests at once, want 1", n-seen)
		}
		release <- struct{}{}
		first.answer("POST")
		release <- struct{}{}
		if resp, _ := second.answer("POST"); resp.StatusCode != 200 {
			t.Errorf("the one that waited got %d", resp.StatusCode)
		}
	}
	f(patience, 200)
	f(50*time.Millisecond, 503)
}
