package fakellm_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"strconv"
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

// wireChunks reads a chunked answer and returns the number of its chunks, each one flush of the server, and its text. Without
// chunks the text is read to the end of the connection or by its length.
func wireChunks(t *testing.T, r *bufio.Reader) (n int, text string) {
	t.Helper()
	head, err := textproto.NewReader(r).ReadLineBytes()
	if err != nil || !strings.Contains(string(head), "200") {
		t.Fatalf("got %q, %v", head, err)
	}
	header, err := textproto.NewReader(r).ReadMIMEHeader()
	if err != nil {
		t.Fatal(err)
	}
	if header.Get("Transfer-Encoding") == "" {
		size, err := strconv.ParseInt(header.Get("Content-Length"), 10, 64)
		if err != nil {
			size = 1 << 20
		}
		all, _ := io.ReadAll(io.LimitReader(r, size))
		return 0, string(all)
	}
	for {
		var size int
		if _, err := fmt.Fscanf(r, "%x\r\n", &size); err != nil {
			t.Fatal(err)
		}
		data := make([]byte, size+2)
		if _, err := io.ReadFull(r, data); err != nil {
			t.Fatal(err)
		}
		if size == 0 {
			return n, text
		}
		n, text = n+1, text+string(data[:size])
	}
}

// B8, C1, C2, C6: the same bytes in other writes, chunk by chunk as they are on the wire.
func TestWrites(t *testing.T) {
	var want string
	f := func(fault fakellm.Fault, path, further string, chunks func(n int) bool) {
		t.Helper()
		s := start(t, fakellm.Options{Reply: scripted})
		s.NextFault(fault)
		_, reader := wire(t, s, path, further)
		pieces, text := wireChunks(t, reader)
		if want == "" {
			want = text
		}
		if !chunks(pieces) || strings.TrimSuffix(text, "\n") != strings.TrimSuffix(want, "\n") {
			t.Errorf("%+v: got %d pieces of\n%q\nwant\n%q", fault, pieces, text, want)
		}
		if fault.NoNewline == strings.HasSuffix(text, "\n") {
			t.Errorf("%+v: ends in %q", fault, text[len(text)-2:])
		}
	}
	any := func(int) bool { return true }
	f(fakellm.Fault{}, chatPath, stream, any)
	f(fakellm.Fault{Piece: 1}, chatPath, stream, func(n int) bool { return n > 500 })
	f(fakellm.Fault{Bunch: 100}, chatPath, stream, func(n int) bool { return n == 1 })
	f(fakellm.Fault{Identity: true}, chatPath, stream, any)
	f(fakellm.Fault{Sized: true}, chatPath, stream, any)
	want = ""
	f(fakellm.Fault{}, "/api/chat", "", any)
	f(fakellm.Fault{Piece: 7, NoNewline: true}, "/api/chat", "", func(n int) bool { return n > 100 })
}

func TestFraming(t *testing.T) {
	f := func(fault fakellm.Fault, chunked bool, sized, closes bool) {
		t.Helper()
		s := start(t, fakellm.Options{})
		s.NextFault(fault)
		_, reader := wire(t, s, chatPath, stream)
		answer, text, err := response(t, reader)
		if err != nil || !strings.HasSuffix(text, "[DONE]\n\n") {
			t.Fatalf("got %q, %v", text, err)
		}
		if (len(answer.TransferEncoding) > 0) != chunked || (answer.ContentLength >= 0) != sized || answer.Close != closes {
			t.Errorf("%+v: got %v, length %d, close %v", fault, answer.TransferEncoding, answer.ContentLength, answer.Close)
		}
	}
	f(fakellm.Fault{}, true, false, false)
	f(fakellm.Fault{Sized: true}, false, true, false)
	f(fakellm.Fault{Identity: true}, false, false, true)
}

// C11, C15, C6.
func TestHeadersGzipAndPings(t *testing.T) {
	s := start(t, fakellm.Options{})
	s.NextFault(fakellm.Fault{Gzip: true, Padding: 10 << 10}, fakellm.Fault{Ping: true})
	_, reader := wire(t, s, chatPath, stream)
	answer, text, err := response(t, reader)
	if err != nil || answer.Header.Get("Content-Encoding") != "gzip" {
		t.Fatalf("got %v, %v", answer.Header, err)
	}
	zip, err := gzip.NewReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := io.ReadAll(zip); err != nil || !strings.HasSuffix(string(plain), "[DONE]\n\n") {
		t.Errorf("got %q, %v", plain, err)
	}
	size := 0
	for name, values := range answer.Header {
		size += len(name) + len(values[0])
	}
	if size < 10<<10 {
		t.Errorf("got %d bytes of headers, want 10 KiB", size)
	}
	if _, text := post(t, s.URL()+chatPath, streamBody("", usr)); !strings.HasPrefix(text, ": ping\n\ndata: ") {
		t.Errorf("got %q, want a comment first", text)
	}
}

// Each event goes out when it is made: the first is there while the second waits.
func TestC1EventByEvent(t *testing.T) {
	s := start(t, fakellm.Options{})
	s.NextFault(fakellm.Fault{Break: fakellm.BreakSilence, After: 1})
	_, reader := wire(t, s, "/api/chat", "")
	answer, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(answer.Body).ReadString('\n')
	if err != nil || !strings.Contains(line, `"done":false`) {
		t.Errorf("got %q, %v", line, err)
	}
}
