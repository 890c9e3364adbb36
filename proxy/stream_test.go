package proxy_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"recap/proxy"

	"github.com/valyala/fasthttp"
)

// C1: each event is at the client before the next is sent, whatever the framing, and so are the headers before the
// first event. A relay that holds anything back would wait for ever here.
func TestC1EventsArriveAsTheyAreSent(t *testing.T) {
	t.Parallel()
	const events = 5
	f := func(name, head, end string, frame func(s *session, event string), addr string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			next := make(chan int)
			s := newStub(t, func(s *session, r *http.Request) {
				s.say(head)
				for i := range next {
					frame(s, event(i))
				}
				s.say(end)
				s.close = true
			})
			r := newRig(t, s.url(), func(set *setting) { set.addr = addr })
			p := r.dial()
			p.post("/v1/chat/completions", `{"stream":true}`)
			heads := make(chan *http.Response)
			go func() { heads <- p.head("POST") }()
			resp := within(t, patience, "headers", heads)
			if got := resp.Header.Get("X-Accel-Buffering"); got != "no" {
				t.Errorf("X-Accel-Buffering = %q, want no", got)
			}
			got := readEvents(resp.Body, events)
			for i := range events {
				next <- i
				if e := within(t, patience, "event", got); e != event(i) {
					t.Errorf("event %d = %q, want %q", i, e, event(i))
				}
			}
			close(next)
			if rest, err := io.ReadAll(resp.Body); len(rest) != 0 || err != nil {
				t.Errorf("after the events: %q, %v; want a proper end", rest, err)
			}
			if o := r.outcome(); !o.Complete || o.Bytes != int64(events*len(event(0))) {
				t.Errorf("outcome %+v, want complete with all bytes", o)
			}
		})
	}
	chunkFrame := func(s *session, e string) { s.chunk(e) }
	plain := func(s *session, e string) { s.say(e) }
	fixedHead := strings.Replace(sseHead, "Transfer-Encoding: chunked", fmt.Sprint("Content-Length: ", events*len(event(0))), 1)
	closeHead := strings.Replace(sseHead, "Transfer-Encoding: chunked", "Connection: close", 1)
	const tcp, last = "127.0.0.1:0", "0\r\n\r\n"
	f("chunked", sseHead, last, chunkFrame, tcp)
	f("content-length", fixedHead, "", plain, tcp)
	f("identity", closeHead, "", plain, tcp)
	f("content-length over a unix socket", fixedHead, "", plain, "unix:"+t.TempDir()+"/s")
	late := "" // the line end of each chunk comes with the next one
	f("chunk without its line end", sseHead, "\r\n"+last, func(s *session, e string) {
		s.say(fmt.Sprintf("%s%x\r\n", late, len(e)) + e)
		late = "\r\n"
	}, tcp)
}

// readEvents reads events one by one in the background.
func readEvents(r io.Reader, n int) <-chan string {
	got := make(chan string)
	go func() {
		buf := make([]byte, len(event(0)))
		for range n {
			io.ReadFull(r, buf)
			got <- string(buf)
		}
	}()
	return got
}

func event(i int) string { return fmt.Sprintf("data: {\"delta\":\"piece %02d\"}\n\n", i) }

// C2: a stream cut into single bytes is the same stream at the client.
func TestC2ByteByByteStreamIsUnchanged(t *testing.T) {
	text := strings.Repeat("data: {\"arguments\":\"{\\\"path\\\":\\\"żółć漢字😀\\\"}\"}\n\n", 8)
	s := newStub(t, func(s *session, r *http.Request) {
		s.say(sseHead)
		for i := range len(text) {
			s.chunk(text[i : i+1])
		}
		s.say("0\r\n\r\n")
	})
	var tapped bytes.Buffer
	r := newRig(t, s.url(), func(set *setting) {
		set.call = func(_ *fasthttp.RequestCtx, c *proxy.Call) bool { c.Tap = &tapped; return true }
	})
	p := r.dial()
	p.post("/v1/chat/completions", `{}`)
	_, got := p.answer("POST")
	if sha256.Sum256([]byte(got)) != sha256.Sum256([]byte(text)) {
		t.Errorf("stream changed: %q", got)
	}
	r.outcome()
	if tapped.String() != text {
		t.Errorf("tap saw %q, want the stream", tapped.String())
	}
}

// B7, B8: NDJSON lines come through live, in any cut, with their type, and nothing is added.
func TestB7B8LinesOfNDJSONAreLeftAlone(t *testing.T) {
	pieces := []string{"{\"mess", "age\":{\"con", "tent\":\"a\"", "},\"done\":", "false}\n", "{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n", "{\"done\":true}"}
	step := make(chan struct{})
	s := newStub(t, func(s *session, r *http.Request) {
		if bytes.Contains(s.body, []byte("stream")) {
			t.Errorf("body has a stream key: %s", s.body)
		}
		s.say(strings.Replace(sseHead, "text/event-stream", "application/x-ndjson", 1))
		for _, piece := range pieces {
			<-step
			s.chunk(piece)
		}
		s.say("0\r\n\r\n")
	})
	r := newRig(t, s.url(), nil)
	p := r.dial()
	p.post("/api/chat", `{"model":"m","messages":[]}`)
	resp := p.head("POST")
	if got := resp.Header.Get("Content-Type"); got != "application/x-ndjson" {
		t.Errorf("Content-Type = %q", got)
	}
	for _, piece := range pieces {
		step <- struct{}{}
		got := make([]byte, len(piece))
		if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != piece {
			t.Fatalf("got %q, %v; want %q", got, err, piece)
		}
	}
	if rest, err := io.ReadAll(resp.Body); len(rest) != 0 || err != nil {
		t.Errorf("after the last line: %q, %v", rest, err)
	}
}

// C4: the body goes out as it came, in both ways of sending it.
func TestC4BodyIsUnchanged(t *testing.T) {
	t.Parallel()
	f := func(body string, own bool) {
		t.Helper()
		got := make(chan string, 1)
		lengths := make(chan []string, 1)
		s := newStub(t, func(s *session, r *http.Request) {
			got <- string(s.body)
			lengths <- r.TransferEncoding
			s.json("{}")
		})
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
		p.post("/v1/chat/completions", body)
		p.answer("POST")
		if g := <-got; g != body {
			t.Errorf("own=%v: upstream got %d bytes, want the %d sent", own, len(g), len(body))
		}
		if te := <-lengths; te != nil {
			t.Errorf("own=%v: Transfer-Encoding %v, want Content-Length", own, te)
		}
	}
	for _, own := range []bool{true, false} {
		f(`{"stream":true}`, own)
		f(`{"stream":true,"stream_options":{"include_usage":false}}`, own)
		f(`{"n":12345678901234567890,"x":1.10,"s":"<&\u00e9"}`, own)
		f(`{"x":"`+strings.Repeat("ż", 5000)+`"}`, own)
		f(`{"x":"`+strings.Repeat("ż", 300_000)+`"}`, own)
		f(``, own)
	}
}

// A tap that panics or fails costs nobody their answer.
func TestTapFaultsAreContained(t *testing.T) {
	for _, tap := range []io.Writer{panicky{}, failing{}} {
		s := newStub(t, func(s *session, r *http.Request) {
			s.say(sseHead)
			s.chunk("data: a\n\n")
			s.chunk("data: b\n\n")
			s.say("0\r\n\r\n")
		})
		r := newRig(t, s.url(), func(set *setting) {
			set.call = func(_ *fasthttp.RequestCtx, c *proxy.Call) bool { c.Tap = tap; return true }
		})
		p := r.dial()
		p.post("/v1/chat/completions", "{}")
		if _, got := p.answer("POST"); got != "data: a\n\ndata: b\n\n" {
			t.Errorf("%T: got %q", tap, got)
		}
		if o := r.outcome(); !o.Complete {
			t.Errorf("%T: outcome %+v, want complete", tap, o)
		}
	}
}

type panicky struct{}

func (panicky) Write([]byte) (int, error) { panic("tap") }

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
