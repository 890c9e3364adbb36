package proxy_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recap/proxy"

	"github.com/valyala/fasthttp"
)

// patience bounds every wait in these tests; a test that needs it all has failed, however busy the machine.
const patience = 30 * time.Second

// stub is an upstream made of a raw listener: answer gets each request and writes what it likes.
type stub struct {
	t      *testing.T
	ln     net.Listener
	answer func(s *session, r *http.Request)
	wg     sync.WaitGroup
	mu     sync.Mutex
	conns  []net.Conn
	over   bool         // no more connections
	seen   atomic.Int64 // requests whose head and body arrived
	opened atomic.Int64 // connections
}

// session is one connection of a stub.
type session struct {
	net.Conn
	br    *bufio.Reader
	stub  *stub
	body  []byte // of the request at hand
	close bool   // end the connection after this answer
}

func newStub(t *testing.T, answer func(s *session, r *http.Request)) *stub {
	t.Helper()
	return newStubOn(t, "127.0.0.1:0", answer)
}

func newStubOn(t *testing.T, addr string, answer func(s *session, r *http.Request)) *stub {
	t.Helper()
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		t.Skipf("listen on %s: %v", addr, err)
	}
	return newStubAt(t, ln, answer)
}

func newStubAt(t *testing.T, ln net.Listener, answer func(s *session, r *http.Request)) *stub {
	t.Helper()
	s := &stub{t: t, ln: ln, answer: answer}
	s.wg.Add(1)
	go s.accept()
	t.Cleanup(s.stop)
	return s
}

func (s *stub) stop() {
	s.ln.Close()
	s.mu.Lock()
	s.over = true
	for _, c := range s.conns {
		c.Close()
	}
	s.mu.Unlock()
	done := make(chan struct{})
	go func() { s.wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(patience): // a test that failed may have left an answer waiting for it
		s.t.Error("stub still answers")
	}
}

func (s *stub) url() string { return "http://" + s.ln.Addr().String() }

func (s *stub) accept() {
	defer s.wg.Done()
	for {
		c, err := s.ln.Accept()
		if err != nil {
			return
		}
		s.opened.Add(1)
		s.mu.Lock()
		s.conns = append(s.conns, c)
		if s.over {
			c.Close()
		}
		s.mu.Unlock()
		s.wg.Add(1)
		go s.serve(c)
	}
}

func (s *stub) serve(c net.Conn) {
	defer s.wg.Done()
	defer c.Close()
	ses := &session{Conn: c, br: bufio.NewReader(c), stub: s}
	for !ses.close {
		r, err := http.ReadRequest(ses.br)
		if err != nil {
			return
		}
		if ses.body, err = io.ReadAll(r.Body); err != nil {
			return
		}
		s.seen.Add(1)
		s.answer(ses, r)
	}
}

// say writes text as it is.
func (s *session) say(format string, args ...any) {
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	io.WriteString(s.Conn, format)
}

// json answers with a body of known length.
func (s *session) json(body string) {
	s.say("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + fmt.Sprint(len(body)) + "\r\n\r\n" + body)
}

// chunk writes one chunk in one packet.
func (s *session) chunk(data string) { s.say(fmt.Sprintf("%x\r\n", len(data)) + data + "\r\n") }

const sseHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nX-Accel-Buffering: no\r\nTransfer-Encoding: chunked\r\n\r\n"

// reset closes with a TCP reset.
func (s *session) reset() {
	s.close = true
	s.Conn.(*net.TCPConn).SetLinger(0)
	s.Conn.Close()
}

// rig is a proxy in front of one upstream called local.
type rig struct {
	t      *testing.T
	client *proxy.Client
	server *proxy.Server
	addr   string
	mu     sync.Mutex
	ends   []proxy.Outcome
	ended  chan proxy.Outcome
}

// setting changes a rig before it starts.
type setting struct {
	up     proxy.Upstream
	opts   proxy.Options
	server proxy.ServerOptions
	call   func(ctx *fasthttp.RequestCtx, call *proxy.Call) bool // false: answered already
	addr   string
}

func newRig(t *testing.T, url string, change func(s *setting)) *rig {
	t.Helper()
	set := setting{up: proxy.Upstream{Name: "local", URL: url}, addr: "127.0.0.1:0"}
	if change != nil {
		change(&set)
	}
	client, err := proxy.New([]proxy.Upstream{set.up}, set.opts)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, client: client, ended: make(chan proxy.Outcome, 4096)}
	r.server = proxy.NewServer(func(ctx *fasthttp.RequestCtx) {
		call := proxy.Call{Upstream: "local", Ended: r.note}
		if set.call == nil || set.call(ctx, &call) {
			client.Relay(ctx, call)
		}
	}, set.server)
	ln, err := proxy.Listen(set.addr)
	if err != nil {
		t.Fatal(err)
	}
	r.addr = ln.Addr().String()
	served := make(chan error, 1)
	go func() { served <- r.server.Serve(ln) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		ln.Close() // Shutdown does not know of a Serve that has not begun yet
		r.server.Shutdown(ctx)
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
		client.Close()
	})
	return r
}

func (r *rig) note(o proxy.Outcome) {
	r.mu.Lock()
	r.ends = append(r.ends, o)
	r.mu.Unlock()
	r.ended <- o
}

// outcome waits for the end of an exchange.
func (r *rig) outcome() proxy.Outcome {
	r.t.Helper()
	select {
	case o := <-r.ended:
		return o
	case <-time.After(patience):
		r.t.Fatal("exchange did not end")
		return proxy.Outcome{}
	}
}

// peer is a raw client.
type peer struct {
	net.Conn
	t  *testing.T
	br *bufio.Reader
}

func (r *rig) dial() *peer {
	r.t.Helper()
	network := "tcp"
	if strings.HasPrefix(r.addr, "/") {
		network = "unix"
	}
	c, err := net.Dial(network, r.addr)
	if err != nil {
		r.t.Fatal(err)
	}
	c.SetDeadline(time.Now().Add(2 * patience))
	r.t.Cleanup(func() { c.Close() })
	return &peer{Conn: c, t: r.t, br: bufio.NewReader(c)}
}

// post sends a POST with a body of known length.
func (p *peer) post(path, body string, headers ...string) {
	p.t.Helper()
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: proxy.lan\r\nContent-Type: application/json\r\nContent-Length: %d\r\n", path, len(body))
	for _, h := range headers {
		head += h + "\r\n"
	}
	p.send(head + "\r\n" + body)
}

func (p *peer) send(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.Conn, text); err != nil {
		p.t.Fatalf("send: %v", err)
	}
}

// head reads an answer's headers; its Body decodes the framing.
func (p *peer) head(method string) *http.Response {
	p.t.Helper()
	resp, err := http.ReadResponse(p.br, &http.Request{Method: method})
	if err != nil {
		p.t.Fatalf("read answer: %v", err)
	}
	return resp
}

// answer reads a whole answer.
func (p *peer) answer(method string) (*http.Response, string) {
	p.t.Helper()
	resp := p.head(method)
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatalf("read body: %v", err)
	}
	return resp, string(body)
}

// closed waits for the end of the connection and fails if more bytes come.
func (p *peer) closed() {
	p.t.Helper()
	if n, err := io.Copy(io.Discard, p.br); n != 0 || err != nil && !strings.Contains(err.Error(), "reset") {
		p.t.Fatalf("connection gave %d more bytes, %v; want its end", n, err)
	}
}

// within fails the test if ch gives nothing in time.
func within[T any](t *testing.T, d time.Duration, what string, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(d):
		t.Fatalf("%s: not within %s", what, d)
		panic("unreachable")
	}
}

type netAddr = net.Addr

// readBody reads a request's body into memory of its own.
func readBody(ctx *fasthttp.RequestCtx, limit int64) (string, error) {
	body, err := wholeBody(ctx, limit)
	return string(body), err
}

// wholeBody is readBody for a caller who wants no copy.
func wholeBody(ctx *fasthttp.RequestCtx, limit int64) ([]byte, error) {
	from := proxy.OpenBody(ctx, limit)
	body := make([]byte, 0, min(max(ctx.Request.Header.ContentLength(), 512), 1<<20))
	for {
		n, err := from.Read(body[len(body):cap(body)])
		switch body = body[:len(body)+n]; {
		case err == io.EOF:
			return body, nil
		case err != nil:
			return nil, err
		case len(body) == cap(body):
			body = slices.Grow(body, len(body))
		}
	}
}

// newRawUpstream is a stub that reads its requests itself, one a connection.
func newRawUpstream(t *testing.T, serve func(s *session)) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			wg.Add(1)
			go func() {
				defer wg.Done()
				defer c.Close()
				c.SetDeadline(time.Now().Add(patience))
				serve(&session{Conn: c, br: bufio.NewReader(c)})
			}()
		}
	}()
	t.Cleanup(func() { ln.Close(); wg.Wait() })
	return "http://" + ln.Addr().String()
}
