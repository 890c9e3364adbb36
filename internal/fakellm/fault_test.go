package fakellm_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"recap/internal/fakellm"
)

// wire opens a connection, sends a chat and returns the connection: what comes is read as it is on the wire.
func wire(t *testing.T, s *fakellm.Server, path, further string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(within))
	ask(t, conn, path, further)
	return conn, bufio.NewReader(conn)
}

func ask(t *testing.T, conn net.Conn, path, further string) {
	t.Helper()
	body := `{"model":"m",` + further + `"messages":[` + usr + `]}`
	if _, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body); err != nil {
		t.Fatal(err)
	}
}

const (
	chatPath = "/v1/chat/completions"
	stream   = `"stream":true,`
)

// response reads one answer; the error is that of its body.
func response(t *testing.T, r *bufio.Reader) (*http.Response, string, error) {
	t.Helper()
	answer, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	text, err := io.ReadAll(answer.Body)
	return answer, string(text), err
}

func TestFaultStatus(t *testing.T) {
	s := start(t, fakellm.Options{})
	s.NextFault(fakellm.Fault{Status: 429, Body: `{"error":"slow"}`, Header: http.Header{"Retry-After": {"7"}}})
	status, text, header := call(t, "POST", s.URL()+chatPath, chatBody(usr))
	if status != 429 || text != `{"error":"slow"}` || header.Get("Retry-After") != "7" {
		t.Errorf("got %d %s %v", status, text, header)
	}
	if status, _ := post(t, s.URL()+chatPath, chatBody(usr)); status != 200 {
		t.Errorf("the fault stayed: got %d", status)
	}
}

// A queued fault goes to the kind of call that it was queued for; Options.Fault sees every request.
func TestFaultQueues(t *testing.T) {
	s := start(t, fakellm.Options{Fault: func(r *fakellm.Recorded) *fakellm.Fault {
		if r.Path == "/api/tags" {
			return &fakellm.Fault{Status: 503}
		}
		return nil
	}})
	s.NextSummaryFault(fakellm.Fault{Status: 500})
	f := func(path string, body []byte, want int) {
		t.Helper()
		if got, _ := post(t, s.URL()+path, body); got != want {
			t.Errorf("%s: got %d, want %d", path, got, want)
		}
	}
	f(chatPath, chatBody(usr), 200)
	f(chatPath, chatBody(said("user", "conversation record")), 500)
	f(chatPath, chatBody(said("user", "conversation record")), 200)
	if status, _, _ := call(t, "GET", s.URL()+"/api/tags", nil); status != 503 {
		t.Errorf("tags: got %d, want 503", status)
	}
}

// C7: a client that leaves is seen, before the headers and in mid-stream.
func TestFaultHangSeesTheClientLeave(t *testing.T) {
	f := func(fault fakellm.Fault, events int) {
		t.Helper()
		s := start(t, fakellm.Options{})
		s.NextFault(fault)
		conn, reader := wire(t, s, chatPath, stream)
		if _, err := s.WaitChats(1, within); err != nil {
			t.Fatal(err)
		}
		for range events * 4 { // "data", blank line, and the chunk framing around them
			if line, err := reader.ReadString('\n'); err != nil || strings.Contains(line, "[DONE]") {
				t.Fatalf("got %q, %v", line, err)
			}
		}
		before := time.Now()
		conn.Close()
		gone, err := s.WaitGone(1, within)
		if err != nil {
			t.Fatal(err)
		}
		if gone[0].Gone.Before(before) || !gone[0].Ended.IsZero() {
			t.Errorf("got gone at %v, ended %v", gone[0].Gone, gone[0].Ended)
		}
	}
	f(fakellm.Fault{Break: fakellm.BreakHang}, 0)
	f(fakellm.Fault{Break: fakellm.BreakSilence, After: 2}, 2)
}

// C7: so is one that leaves an ordinary stream.
func TestClientLeavesAStream(t *testing.T) {
	s := start(t, fakellm.Options{Reply: func(*fakellm.Recorded) fakellm.Reply {
		return fakellm.Reply{Text: strings.Repeat("x", 1000), Chunk: 1, Gap: 10 * time.Millisecond}
	}})
	ctx, cancel := context.WithCancel(context.Background())
	request, _ := http.NewRequestWithContext(ctx, "POST", s.URL()+chatPath, strings.NewReader(string(streamBody("", usr))))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	cancel()
	if _, err := s.WaitGone(1, within); err != nil {
		t.Error(err)
	}
}

// Delays are not counted as the client's leaving, and Close ends them.
func TestCloseEndsAHang(t *testing.T) {
	s := start(t, fakellm.Options{Latency: time.Hour})
	wire(t, s, chatPath, "")
	if _, err := s.WaitChats(1, within); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if rec := s.Requests()[0]; !rec.Gone.IsZero() || !rec.Ended.IsZero() {
		t.Errorf("got %+v", rec)
	}
}

// C9: the ways in which an answer ends too soon.
func TestC9Breaks(t *testing.T) {
	f := func(fault fakellm.Fault, further string, whole int, want error) {
		t.Helper()
		s := start(t, fakellm.Options{})
		s.NextFault(fault)
		_, reader := wire(t, s, chatPath, further)
		_, text, err := response(t, reader)
		if !errors.Is(err, want) {
			t.Errorf("%+v: got error %v, want %v", fault, err, want)
		}
		if got := strings.Count(text, "\n\n"); got != whole || strings.Contains(text, "[DONE]") {
			t.Errorf("%+v: got %d whole events, want %d: %q", fault, got, whole, text)
		}
		half := fault.Break == fakellm.BreakEOF || fault.Break == fakellm.BreakDrop
		if got := text != "" && !strings.HasSuffix(text, "\n\n"); got != half {
			t.Errorf("%+v: ends in mid-line: got %v, want %v: %q", fault, got, half, text)
		}
	}
	f(fakellm.Fault{Break: fakellm.BreakReset, After: 3}, stream, 3, syscall.ECONNRESET)
	f(fakellm.Fault{Break: fakellm.BreakReset}, "", 0, syscall.ECONNRESET)
	f(fakellm.Fault{Break: fakellm.BreakEOF, After: 2}, stream, 2, nil)
	f(fakellm.Fault{Break: fakellm.BreakEOF}, "", 0, nil)
	f(fakellm.Fault{Break: fakellm.BreakDrop, After: 1}, stream, 1, io.ErrUnexpectedEOF)
	f(fakellm.Fault{Break: fakellm.BreakDrop}, "", 0, io.ErrUnexpectedEOF)
}

func TestC9ShortLength(t *testing.T) {
	s := start(t, fakellm.Options{})
	s.NextFault(fakellm.Fault{Break: fakellm.BreakShort})
	_, reader := wire(t, s, chatPath, "")
	answer, text, err := response(t, reader)
	if !errors.Is(err, io.ErrUnexpectedEOF) || answer.ContentLength != int64(len(text)+100) {
		t.Errorf("got %d bytes of %d, %v", len(text), answer.ContentLength, err)
	}
	decodeMap(t, text) // all of the answer is there
}

// C16: the connection is closed a while after the answer, and nothing announced it.
func TestC16CloseUnannounced(t *testing.T) {
	s := start(t, fakellm.Options{})
	s.NextFault(fakellm.Fault{}, fakellm.Fault{Close: true, CloseWait: 10 * time.Millisecond})
	conn, reader := wire(t, s, chatPath, "")
	for i := range 2 {
		if i > 0 {
			ask(t, conn, chatPath, "")
		}
		answer, text, err := response(t, reader)
		if err != nil || answer.Close || text == "" {
			t.Fatalf("answer %d: got %q, close %v, %v", i, text, answer.Close, err)
		}
	}
	if _, err := reader.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("the connection stayed open: %v", err)
	}
}

// A18: what a summariser may answer in place of a summary.
func TestA18Contents(t *testing.T) {
	f := func(content fakellm.Content, path, further, want string) {
		t.Helper()
		s := start(t, fakellm.Options{})
		s.NextFault(fakellm.Fault{Content: content, After: 2})
		_, reader := wire(t, s, path, further)
		answer, text, err := response(t, reader)
		if err != nil || answer.StatusCode != 200 || !strings.Contains(text, want) {
			t.Errorf("content %d: got %d %q, %v, want %q", content, answer.StatusCode, text, err, want)
		}
	}
	const plain = `"stream":false,`
	f(fakellm.ContentErrorIn200, chatPath, plain, `"error":{`)
	f(fakellm.ContentErrorIn200, "/api/chat", plain, `{"error":"`)
	f(fakellm.ContentHTML, chatPath, plain, "<!doctype html>")
	f(fakellm.ContentEmpty, chatPath, plain, `"content":""`)
	f(fakellm.ContentEmpty, "/api/chat", plain, `"content":""`)
	f(fakellm.ContentBlank, chatPath, plain, `"content":"  \n"`)
	f(fakellm.ContentReasoning, chatPath, plain, `"content":null,"reasoning_content":"Thinking`)
	f(fakellm.ContentReasoning, "/api/chat", plain, `"content":"","role":"assistant","thinking":"Thinking`)
	f(fakellm.ContentToolCall, chatPath, plain, `"finish_reason":"tool_calls"`)
	f(fakellm.ContentToolCall, "/api/chat", plain, `"tool_calls":[{"function":{"arguments":{"q"`)
	f(fakellm.ContentLength, chatPath, plain, `"finish_reason":"length"`)
	f(fakellm.ContentLength, "/api/chat", plain, `"done_reason":"length"`)
	f(fakellm.ContentErrorLine, chatPath, stream, "data: {\"error\":{")
	f(fakellm.ContentErrorLine, "/api/chat", "", "\n{\"error\":\"the runner has stopped\"}\n")
}

func TestA18InvalidJSON(t *testing.T) {
	s := start(t, fakellm.Options{})
	s.NextFault(fakellm.Fault{Content: fakellm.ContentInvalidJSON})
	_, text := post(t, s.URL()+chatPath, chatBody(usr))
	if !strings.HasPrefix(text, "{") || strings.HasSuffix(text, "}") {
		t.Errorf("got %q, want half an object", text)
	}
}
