package proxy_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"recap/proxy"

	"github.com/valyala/fasthttp"
)

// rawHead writes a request's line and headers down, names in lower case and in order.
func rawHead(r *http.Request) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s\nHost: %s\n", r.Method, r.RequestURI, r.Host)
	var lines []string
	for name, values := range r.Header {
		for _, v := range values {
			lines = append(lines, strings.ToLower(name)+": "+v)
		}
	}
	slices.Sort(lines)
	b.WriteString(strings.Join(lines, "\n"))
	if r.TransferEncoding != nil {
		fmt.Fprintf(&b, "\ntransfer-encoding: %v", r.TransferEncoding)
	}
	return strings.TrimSpace(b.String())
}

// C21, P1: credentials, Host and every other header arrive as they were sent; what belongs to one hop does not.
func TestC21RequestHeaders(t *testing.T) {
	t.Parallel()
	f := func(name, key, sent, want string) {
		t.Helper()
		got := make(chan string, 1)
		s := newStub(t, func(s *session, r *http.Request) { got <- rawHead(r); s.json("{}") })
		r := newRig(t, s.url()+"/base", func(set *setting) { set.up.APIKey = key })
		p := r.dial()
		p.send(strings.ReplaceAll(sent, "\n", "\r\n"))
		p.head(strings.Fields(sent)[0])
		want = strings.ReplaceAll(want, "UPSTREAM", s.ln.Addr().String())
		if g := <-got; g != want {
			t.Errorf("%s: upstream got\n%s\nwant\n%s", name, g, want)
		}
	}
	f("everything passes, the hop's own does not", "",
		"GET /v1/models?x=1&y=%2F HTTP/1.1\nHost: proxy.lan\nauthorization: Bearer CLIENT\nx-api-key: K\nAPI-KEY: A\nCookie: a=1;b=2\n"+
			"Connection: X-Drop, keep-alive\nX-Drop: 1\nKeep-Alive: timeout=5\nTE: trailers\nProxy-Authorization: Basic x\nUpgrade: h2c\n"+
			"X-Recap-Mode: off\nx-recap-anything: 1\nX-Recap-Tokens: 1\nx-stainless-os: Linux\nX-Twice: 1\nX-Twice: 2\n\n",
		"GET /base/v1/models?x=1&y=%2F\nHost: UPSTREAM\napi-key: A\nauthorization: Bearer CLIENT\ncookie: a=1;b=2\n"+
			"x-api-key: K\nx-stainless-os: Linux\nx-twice: 1\nx-twice: 2")
	f("a configured key replaces all three", "SERVER",
		"GET / HTTP/1.1\nHost: p\nAuthorization: Bearer CLIENT\nX-Api-Key: CLIENT\napi-key: CLIENT\n\n",
		"GET /base/\nHost: UPSTREAM\napi-key: SERVER\nauthorization: Bearer SERVER\nx-api-key: SERVER")
	f("a configured key is added where the client has none", "SERVER", "GET /a//b/%2e%2e/c HTTP/1.1\nHost: p\n\n",
		"GET /base/a//b/%2e%2e/c\nHost: UPSTREAM\nauthorization: Bearer SERVER")
	f("nothing is added", "", "POST /x HTTP/1.1\nHost: p\nContent-Length: 2\n\n{}", "POST /base/x\nHost: UPSTREAM\ncontent-length: 2")
	f("absolute form", "", "GET http://proxy.lan:1/v1/models HTTP/1.1\nHost: proxy.lan\n\n", "GET /base/v1/models\nHost: UPSTREAM")
	f("h2c is not spoken, the request is answered all the same", "",
		"GET /x HTTP/1.1\nHost: p\nConnection: Upgrade, HTTP2-Settings\nUpgrade: h2c\nHTTP2-Settings: AA\n\n", "GET /base/x\nHost: UPSTREAM")
	f("DELETE without a body stays without one", "", "DELETE /api/delete HTTP/1.1\nHost: p\n\n", "DELETE /base/api/delete\nHost: UPSTREAM")
}

// P1: an answer's headers are the upstream's and no others, Date and a silent Server included.
func TestP1AnswerHeaders(t *testing.T) {
	t.Parallel()
	f := func(sent, want string) {
		t.Helper()
		s := newStub(t, func(s *session, r *http.Request) { s.say(strings.ReplaceAll(sent, "\n", "\r\n")); s.close = true })
		r := newRig(t, s.url(), nil)
		p := r.dial()
		p.send("GET /v1/models HTTP/1.1\r\nHost: p\r\n\r\n")
		resp, body := p.answer("GET")
		var lines []string
		for name, values := range resp.Header {
			for _, v := range values {
				lines = append(lines, name+": "+v)
			}
		}
		slices.Sort(lines)
		got := resp.Proto + " " + resp.Status + "\n" + strings.Join(lines, "\n") + "\n" + body
		if got != want {
			t.Errorf("client got\n%s\nwant\n%s", got, want)
		}
	}
	f("HTTP/1.1 200 Fine\ndate: Mon, 02 Jan 2006 15:04:05 GMT\nserver: uvicorn\nset-cookie: a=1; Path=/\nset-cookie: b=2\ncontent-length: 2\n"+
		"Connection: keep-alive, X-Hop\nX-Hop: 1\nKeep-Alive: timeout=5\nProxy-Authenticate: Basic\nX-Request-Id: 7\n\nhi",
		"HTTP/1.1 200 Fine\nContent-Length: 2\nDate: Mon, 02 Jan 2006 15:04:05 GMT\nServer: uvicorn\nSet-Cookie: a=1; Path=/\nSet-Cookie: b=2\nX-Request-Id: 7\nhi")
	f("HTTP/1.1 200 OK\nContent-Length: 0\n\n", "HTTP/1.1 200 OK\nContent-Length: 0\n")
	f("HTTP/1.0 200 OK\nContent-Type: text/plain\n\nold", "HTTP/1.1 200 OK\nContent-Type: text/plain\nold")
	f("HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Early Hints\nLink: x\n\nHTTP/1.1 418 I'm a teapot\nContent-Length: 1\n\nt", "HTTP/1.1 418 I'm a teapot\nContent-Length: 1\nt")
	f("HTTP/1.1 429 Too Many Requests\nRetry-After: 7\nx-ratelimit-remaining-tokens: 0\nContent-Length: 2\n\n{}",
		"HTTP/1.1 429 Too Many Requests\nContent-Length: 2\nRetry-After: 7\nX-Ratelimit-Remaining-Tokens: 0\n{}")
}

// B10: the probes of Ollama clients, answers without a body among them.
func TestB10EveryMethodPasses(t *testing.T) {
	s := newStub(t, func(s *session, r *http.Request) {
		switch r.URL.Path {
		case "/none":
			s.say("HTTP/1.1 204 No Content\r\nX-A: 1\r\n\r\n")
		case "/same":
			s.say("HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\nContent-Length: 77\r\n\r\n")
		default:
			body := r.Method + " " + r.RequestURI + " " + string(s.body)
			s.say("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n", len(body))
			if r.Method != "HEAD" {
				s.say("%s", body)
			}
		}
	})
	r := newRig(t, s.url(), nil)
	p := r.dial() // one connection for all: none may be left in disorder
	f := func(method, path, body string, status int, length int64, want string) {
		t.Helper()
		frame := ""
		if body != "" {
			frame = fmt.Sprintf("Content-Length: %d\r\n", len(body))
		}
		p.send(method + " " + path + " HTTP/1.1\r\nHost: p\r\n" + frame + "\r\n" + body)
		resp, got := p.answer(method)
		if resp.StatusCode != status || resp.ContentLength != length || got != want {
			t.Errorf("%s %s: %d, length %d, %q; want %d, %d, %q", method, path, resp.StatusCode, resp.ContentLength, got, status, length, want)
		}
		if o := r.outcome(); !o.Complete || o.Status != status {
			t.Errorf("%s %s: outcome %+v", method, path, o)
		}
	}
	f("HEAD", "/", "", 200, 7, "")
	f("GET", "/", "", 200, 6, "GET / ")
	f("HEAD", "/api/tags", "", 200, 15, "")
	f("GET", "/api/version", "", 200, 17, "GET /api/version ")
	f("POST", "/api/show", `{"model":"m"}`, 200, 28, `POST /api/show {"model":"m"}`)
	f("DELETE", "/api/delete", `{"model":"m"}`, 200, 32, `DELETE /api/delete {"model":"m"}`)
	f("PUT", "/api/blobs/x", "blob", 200, 21, "PUT /api/blobs/x blob")
	f("OPTIONS", "/v1/models", "", 200, 19, "OPTIONS /v1/models ")
	f("PATCH", "/x", "p", 200, 10, "PATCH /x p")
	f("GET", "/none", "", 204, 0, "")
	f("GET", "/same", "", 304, 0, "")
	f("HEAD", "/same", "", 304, 77, "")
	f("GET", "/end", "", 200, 9, "GET /end ")
	if n := s.opened.Load(); n != 1 {
		t.Errorf("%d upstream connections, want 1 kept alive", n)
	}
}

// B10: a large upload streams, it is not collected first.
func TestB10UploadStreams(t *testing.T) {
	got := make(chan string, 1)
	first := make(chan struct{})
	up := newRawUpstream(t, func(s *session) {
		r, err := http.ReadRequest(s.br)
		if err != nil {
			return
		}
		io.ReadFull(r.Body, make([]byte, 100_000))
		close(first)
		n, _ := io.Copy(io.Discard, r.Body)
		got <- fmt.Sprint(r.ContentLength, " ", n+100_000)
		s.json("{}")
	})
	r := newRig(t, up, nil)
	p := r.dial()
	p.send("POST /api/blobs/x HTTP/1.1\r\nHost: p\r\nContent-Length: 1000000\r\n\r\n" + strings.Repeat("a", 200_000))
	within(t, patience, "the beginning at the upstream", first)
	p.send(strings.Repeat("a", 800_000))
	p.answer("POST")
	if g := <-got; g != "1000000 1000000" {
		t.Errorf("upstream got %s", g)
	}
}

// C11: coded answers pass with both headers, whatever the status.
func TestC11CompressedAnswersAreLeftAlone(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	zw := gzip.NewWriter(&packed)
	io.WriteString(zw, `{"error":{"message":"no"}}`)
	zw.Close()
	f := func(status int, encoding, body string, inChunks bool) {
		t.Helper()
		accept := make(chan string, 1)
		s := newStub(t, func(s *session, r *http.Request) {
			accept <- r.Header.Get("Accept-Encoding")
			head := fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Encoding: %s\r\n", status, encoding)
			if inChunks {
				s.say("%s", head+"Transfer-Encoding: chunked\r\n\r\n")
				s.chunk(body)
				s.say("0\r\n\r\n")
				return
			}
			s.say("%s", head+fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body))+body)
		})
		r := newRig(t, s.url(), func(set *setting) {
			set.call = func(ctx *fasthttp.RequestCtx, c *proxy.Call) bool {
				text, _ := readBody(ctx, 0)
				c.Body = proxy.Bytes(text)
				c.Retry = func(_ int, body []byte) ([]byte, bool) {
					if encoding == "gzip" && string(body) != `{"error":{"message":"no"}}` {
						t.Errorf("Retry got %q, want the decoded error", body)
					}
					return nil, false
				}
				return true
			}
		})
		p := r.dial()
		p.post("/v1/chat/completions", "{}", "Accept-Encoding: gzip, br, zstd")
		resp, got := p.answer("POST")
		if resp.StatusCode != status || resp.Header.Get("Content-Encoding") != encoding || got != body {
			t.Errorf("%d %s: got %d, %q, %d bytes", status, encoding, resp.StatusCode, resp.Header.Get("Content-Encoding"), len(got))
		}
		if a := <-accept; a != "gzip, br, zstd" {
			t.Errorf("Accept-Encoding = %q", a)
		}
	}
	f(200, "gzip", packed.String(), false)
	f(200, "br", "\x0b\x02\x80data\x03", true)
	f(500, "gzip", packed.String(), false)
	f(400, "gzip", packed.String(), true)
	f(400, "nonsense", "\x00\x01", false)
}

// C13: chunked bodies, Expect and requests that are framed twice.
func TestC13Framing(t *testing.T) {
	t.Parallel()
	got := make(chan string, 1)
	s := newStub(t, func(s *session, r *http.Request) { got <- rawHead(r) + "\n" + string(s.body); s.json("{}") })
	f := func(own bool, sent string, status int, want string) {
		t.Helper()
		r := newRig(t, s.url(), func(set *setting) {
			set.call = func(ctx *fasthttp.RequestCtx, c *proxy.Call) bool {
				if own {
					text, err := readBody(ctx, 0)
					if err != nil {
						t.Errorf("read body: %v", err)
					}
					c.Body = proxy.Bytes(text)
				}
				return true
			}
		})
		p := r.dial()
		p.send(strings.ReplaceAll(sent, "\n", "\r\n"))
		resp, body := p.answer("POST")
		if resp.StatusCode == 100 {
			resp, body = p.answer("POST")
		}
		if resp.StatusCode != status {
			t.Errorf("%q: %d %s, want %d", sent, resp.StatusCode, body, status)
		}
		if status != 200 {
			p.closed()
			if !strings.Contains(body, `"error"`) {
				t.Errorf("%q: body %q is no JSON error", sent, body)
			}
			return
		}
		if g := <-got; !strings.HasSuffix(g, want) || strings.Contains(g, "expect") {
			t.Errorf("own=%v %q: upstream got %q, want its end %q", own, sent, g, want)
		}
	}
	inChunks := "POST /x HTTP/1.1\nHost: p\nTransfer-Encoding: chunked\n\n3\n{\"a\n4;ext=1\n\":1}\n0\n\n"
	f(true, inChunks, 200, "\ncontent-length: 7\n{\"a\":1}")
	f(false, inChunks, 200, "\ntransfer-encoding: [chunked]\n{\"a\":1}")
	for _, own := range []bool{true, false} {
		f(own, "POST /x HTTP/1.1\nHost: p\nExpect: 100-continue\nContent-Length: 7\n\n{\"a\":1}", 200, "\ncontent-length: 7\n{\"a\":1}")
	}
	f(false, "POST /x HTTP/1.1\nHost: p\nContent-Length: 3\nTransfer-Encoding: chunked\n\n0\n\nGET /smuggled HTTP/1.1\nHost: p\n\n", 400, "")
	f(false, "POST /x HTTP/1.1\nHost: p\ntransfer-encoding: chunked\ncontent-length: 3\n\n3\nabc\n0\n\n", 400, "")
	f(false, "POST /x HTTP/1.1\nHost: p\nContent-Length: 3\nContent-Length: 4\n\nabcd", 400, "")
	f(false, "POST /x HTTP/1.1\nHost: p\nContent-Length: 3, 3\n\nabc", 400, "")
	if n := len(got); n != 0 {
		t.Errorf("a refused request reached the upstream")
	}
}

// An HTTP/1.0 client gets no chunks: a known length, or the end of the connection.
func TestHTTP10ClientGetsNoChunks(t *testing.T) {
	f := func(answer func(s *session), want string) {
		t.Helper()
		s := newStub(t, func(s *session, r *http.Request) { answer(s) })
		r := newRig(t, s.url(), nil)
		p := r.dial()
		p.send("GET /x HTTP/1.0\r\nHost: p\r\n\r\n")
		all, err := io.ReadAll(p.br)
		head, body, _ := strings.Cut(string(all), "\r\n\r\n")
		if err != nil || body != want || strings.Contains(strings.ToLower(head), "chunked") {
			t.Errorf("got %q, %v; want body %q without chunks", all, err, want)
		}
		if o := r.outcome(); !o.Complete {
			t.Errorf("outcome %+v, want complete", o)
		}
	}
	f(func(s *session) { s.say(sseHead); s.chunk("data: a\n\n"); s.chunk("data: b\n\n"); s.say("0\r\n\r\n") }, "data: a\n\ndata: b\n\n")
	f(func(s *session) { s.json("{}") }, "{}")
	f(func(s *session) { s.say("HTTP/1.1 200 OK\r\n\r\nrest"); s.close = true }, "rest")
}

// A protocol switch is refused at once, in words; it does not hang.
func TestWebSocketIsRefused(t *testing.T) {
	s := newStub(t, func(s *session, r *http.Request) { s.json("{}") })
	refused := make(chan int, 1)
	r := newRig(t, s.url(), func(set *setting) {
		set.server.Refused = func(_ netAddr, status int, _ string) { refused <- status }
	})
	p := r.dial()
	p.send("GET /v1/realtime HTTP/1.1\r\nHost: p\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n")
	resp, body := p.answer("GET")
	if resp.StatusCode != 501 || !strings.Contains(body, "WebSocket") {
		t.Errorf("%d %s, want 501 that says why", resp.StatusCode, body)
	}
	p.closed()
	if got := <-refused; got != 501 || s.seen.Load() != 0 {
		t.Errorf("Refused heard %d, upstream saw %d requests", got, s.seen.Load())
	}
}

// Trailers pass; to HTTP/1.0, which has none, they are not announced either.
func TestTrailersPass(t *testing.T) {
	s := newStub(t, func(s *session, r *http.Request) {
		s.say("HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n")
		s.chunk("abc")
		s.say("0\r\nX-Sum: 9\r\n\r\n")
	})
	r := newRig(t, s.url(), nil)
	p := r.dial()
	p.post("/x", "{}")
	resp, body := p.answer("POST")
	if body != "abc" || resp.Trailer.Get("X-Sum") != "9" {
		t.Errorf("body %q, trailer %v", body, resp.Trailer)
	}
	old := r.dial()
	old.send("GET /x HTTP/1.0\r\nHost: p\r\n\r\n")
	if all, err := io.ReadAll(old.br); err != nil || strings.Contains(string(all), "Trailer") || !strings.HasSuffix(string(all), "\r\n\r\nabc") {
		t.Errorf("HTTP/1.0: %q, %v; want the body and no word of a trailer", all, err)
	}
}
