package proxy_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"recap/proxy"
)

// P1: the upstream sees the request target that the client wrote, after the base's path.
func TestP1TargetGoesOnByteForByte(t *testing.T) {
	t.Parallel()
	seen := make(chan string, 1)
	up := newRawUpstream(t, func(s *session) {
		line, err := s.br.ReadString('\n')
		if err != nil {
			return
		}
		for rest := line; rest != "\r\n" && err == nil; {
			rest, err = s.br.ReadString('\n')
		}
		seen <- strings.TrimSuffix(line, " HTTP/1.1\r\n")
		s.say("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
	})
	f := func(base, line, want string) {
		t.Helper()
		p := newRig(t, up+base, nil).dial()
		p.send(line + " HTTP/1.1\r\nHost: p\r\n\r\n")
		if resp, body := p.answer("GET"); resp.StatusCode != 200 {
			t.Errorf("%s: %d %s", line, resp.StatusCode, body)
			return
		}
		if got := within(t, patience, "request", seen); got != want {
			t.Errorf("base %q, %s: upstream saw %s, want %s", base, line, got, want)
		}
	}
	f("", "GET //evil/x/../y", "GET //evil/x/../y")
	f("", "GET //v1//chat/completions", "GET //v1//chat/completions")
	f("", "GET ///", "GET ///")
	f("", "GET //host:80:90/x", "GET //host:80:90/x")
	f("", "GET //[bad/x", "GET //[bad/x")
	f("", "GET /a%2Fb/%20/./c?x=%41&&y#z", "GET /a%2Fb/%20/./c?x=%41&&y#z")
	f("/v1", "GET //v1//models", "GET /v1//models")
	f("/v1", "GET /v1//models", "GET /v1//models")
	f("/a", "GET //x//y/../z", "GET /a/x//y/../z")
	f("/v1", "GET /v1/models?", "GET /v1/models?")
	f("", "GET http://proxy.lan/v1//models?x=http://y", "GET /v1//models?x=http://y")
	f("/v1", "GET http://proxy.lan:8080/v1/models", "GET /v1/models")
	f("", "GET http://proxy.lan", "GET /")
	f("", "OPTIONS *", "OPTIONS *")
	f("/v1", "OPTIONS *", "OPTIONS *")
}

// A client that ends its header lines with LF alone is told so; it does not wait for a timeout.
func TestBareLineFeedsAreAnswered(t *testing.T) {
	s := newStub(t, func(s *session, r *http.Request) { s.json("{}") })
	r := newRig(t, s.url(), nil)
	f := func(status int, pieces ...string) {
		t.Helper()
		p := r.dial()
		for _, piece := range pieces {
			p.send(piece)
		}
		resp, body := p.answer("GET")
		if resp.StatusCode != status || status == 400 && !strings.Contains(body, "CR LF") {
			t.Errorf("%q: %d %s, want %d", pieces, resp.StatusCode, body, status)
		}
		if status == 400 {
			p.closed()
		}
	}
	f(400, "GET /x HTTP/1.1\nHost: p\n\n")
	f(400, "GET /x HTTP/1.1\r\nHost: p\n\r\n")
	f(400, "GET /x HTTP/1.1\r\nHost: p\r\n\n")
	f(400, "POST /x HTTP/1.1\nHost: p\nContent-Length: 2\n\n{}")
	f(400, "GET /x HTTP/1.1\nHost: p", "\n", "\n")
	f(200, "GET /x HTTP/1.1\nHost: p\nX-A: 1\r\n\r\n")
	f(200, "GET /x HTTP/1.1\r\nHost: p\r\n", "\r\n")
	f(200, "\r\nGET /x HTTP/1.1\r\nHost: p\r\n\r\n")
	f(200, "POST /x HTTP/1.1\r\nHost: p\r\nContent-Length: 4\r\n\r\n", "\n\n", "\n\n")
	f(200, "POST /x HTTP/1.1\r\nHost: p\r\nContent-Length: 4\r\n\r\n\n\n", "\n\n")
}

// The body of one request says nothing about the head of the next, on whatever packets they come.
func TestBareLineFeedsOfABodyAreNoHead(t *testing.T) {
	s := newStub(t, func(s *session, r *http.Request) { s.json("{}") })
	p := newRig(t, s.url(), nil).dial()
	post := "POST /x HTTP/1.1\r\nHost: p\r\nContent-Length: 4\r\n\r\n\n\n\n\n"
	for _, text := range []string{post, post, "\r\n" + post, post + post[:20]} {
		p.send(text)
		if resp, body := p.answer("POST"); resp.StatusCode != 200 {
			t.Fatalf("%q: %d %s", text, resp.StatusCode, body)
		}
	}
	p.send(post[20:])
	if resp, body := p.answer("POST"); resp.StatusCode != 200 {
		t.Errorf("the rest: %d %s", resp.StatusCode, body)
	}
}

// An upstream that ends its header lines with LF alone costs a 502, not the limit of the first byte.
func TestBareLineFeedsOfAnUpstream(t *testing.T) {
	f := func(answer string, status int, want string) {
		t.Helper()
		s := newStub(t, func(s *session, r *http.Request) { s.close = true; s.say("%s", answer); s.br.ReadByte() })
		p := newRig(t, s.url(), nil).dial()
		p.post("/x", "{}")
		resp := p.head("POST")
		body := make([]byte, len(want))
		if _, err := io.ReadFull(resp.Body, body); err != nil || resp.StatusCode != status || string(body) != want {
			t.Errorf("%q: %d %q, %v; want %d", answer, resp.StatusCode, body, err, status)
		}
	}
	f("HTTP/1.1 200 OK\nContent-Length: 2\n\n{}", 502, `{"error":{"code":"upstream_bad_answer"`)
	f("HTTP/1.1 200 OK\nContent-Length: 2\nX-A: 1\r\n\r\n{}", 200, "{}")
	f("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", 200, "{}")
}

// However a header block is cut into reads, it is stuck if its end lacks a CR, and never if it ends as it should.
func FuzzHeadEnd(f *testing.F) {
	f.Add("GET / HTTP/1.1\nHost: p\n\n", uint8(3))
	f.Add("GET / HTTP/1.1\r\nHost: p\r\n\r\n\n\n", uint8(1))
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		whole := strings.Contains(text, "\r\n\r\n")
		stuck, early := proxy.Stuck(text, int(n)+1)
		want := !whole && (strings.Contains(text, "\n\n") || strings.Contains(text, "\n\r\n"))
		if stuck != want && !early {
			t.Fatalf("%q by %d: stuck %v, want %v", text, int(n)+1, stuck, want)
		}
		if early && index(text, "\r\n\r\n") < min(index(text, "\n\n"), index(text, "\n\r\n")) {
			t.Fatalf("%q by %d: stuck before an end that is as it should be", text, int(n)+1)
		}
	})
}

// index is strings.Index with a large number for none.
func index(text, part string) int {
	if i := strings.Index(text, part); i >= 0 {
		return i
	}
	return len(text)
}
