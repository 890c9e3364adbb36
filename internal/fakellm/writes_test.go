package fakellm_test

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
	"testing"

	"recap/internal/fakellm"
)

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
