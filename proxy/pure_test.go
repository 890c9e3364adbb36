package proxy_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http/httputil"
	"strings"
	"testing"

	"recap/proxy"
)

// decodeIn feeds text to the decoder in pieces of size n and gives what came out.
func decodeIn(text string, n, room int) (out string, done bool, rest string, err error) {
	var c proxy.Chunks
	var got bytes.Buffer
	dst := make([]byte, room)
	for len(text) > 0 && !c.Done() {
		wrote, read, err := c.Decode(dst, []byte(text[:min(n, len(text))]))
		got.Write(dst[:wrote])
		text = text[read:]
		if err != nil {
			return got.String(), false, text, err
		}
	}
	return got.String(), c.Done(), text, nil
}

func TestChunks(t *testing.T) {
	f := func(text, want string, done, wantErr bool) {
		t.Helper()
		for _, n := range []int{1, 2, 3, 1000} {
			for _, room := range []int{1, 5, 1000} {
				got, ended, _, err := decodeIn(text, n, room)
				if got != want || ended != done || (err != nil) != wantErr {
					t.Errorf("%q by %d into %d: %q, done %v, %v; want %q, %v, error %v", text, n, room, got, ended, err, want, done, wantErr)
				}
			}
		}
	}
	f("3\r\nabc\r\n0\r\n\r\n", "abc", true, false)
	f("3\nabc\n0\n\n", "abc", true, false)
	f("A;name=\"v\"\r\n0123456789\r\n00\r\nX: 1\r\n\r\n", "0123456789", true, false)
	f("5 \r\nab\r\n\x00\r\n0\r\n", "ab\r\n\x00", true, false)
	f("3\r\nab", "ab", false, false)
	f("3\r\nabcX", "abc", false, true)
	f("\r\n", "", false, true)
	f("x\r\n", "", false, true)
	f("-1\r\n", "", false, true)
	f("ffffffffffffffffff\r\n", "", false, true)
}

// The decoder gives what net/http's gives, however the input is cut, and never panics.
func FuzzChunks(f *testing.F) {
	f.Add("3\r\nabc\r\n0\r\n\r\n", uint8(2), uint8(3))
	f.Add("1\r\na\r\n2;x\r\nbc\r\n0\r\nT: 1\r\n\r\n", uint8(1), uint8(1))
	f.Fuzz(func(t *testing.T, text string, n, room uint8) {
		got, done, _, err := decodeIn(text, int(n)+1, int(room)+1)
		whole, wholeDone, _, wholeErr := decodeIn(text, 1<<20, 1<<20)
		if got != whole || done != wholeDone || (err != nil) != (wholeErr != nil) {
			t.Fatalf("cut: %q %v %v; whole: %q %v %v", got, done, err, whole, wholeDone, wholeErr)
		}
		if want, err := io.ReadAll(httputil.NewChunkedReader(strings.NewReader(text))); err == nil && (got != string(want) || !done) {
			t.Fatalf("got %q done %v, net/http reads %q", got, done, want)
		}
	})
}

// A head for the upstream names each header of the client once, never one of the proxy's own or of the hop, and no
// line of it can be broken in two.
func FuzzHead(f *testing.F) {
	f.Add("GET /v1/models?x=1 HTTP/1.1\r\nHost: p\r\nConnection: close, X-Drop\r\nX-Drop: 1\r\nX-Recap-Mode: off\r\n\r\n", "/v1", "key")
	f.Add("POST * HTTP/1.0\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n", "", "")
	f.Fuzz(func(t *testing.T, src, prefix, key string) {
		if strings.ContainsAny(prefix+key, "\r\n :") {
			return
		}
		head := proxy.AppendHead(src, "up.example", prefix, key, 7)
		if !strings.HasSuffix(head, "\r\n\r\n") || strings.Count(head, "\r\n\r\n") != 1 {
			t.Fatalf("head %q does not end once", head)
		}
		lower := strings.ToLower(head)
		for name, times := range map[string]int{"host": 1, "content-length": 1, "expect": 0, "connection": 0, "transfer-encoding": 0, "x-recap-mode": 0, "te": 0} {
			if n := strings.Count(lower, "\r\n"+name+":"); n != times {
				t.Fatalf("%d lines %q in %q, want %d", n, name, head, times)
			}
		}
		if key != "" && !strings.Contains(head, key) {
			t.Fatalf("head %q lacks the key", head)
		}
	})
}

// Join writes base and path byte for byte, but for the slashes where they meet and a run of whole segments that ends the
// one and begins the other.
func FuzzJoin(f *testing.F) {
	f.Add("", "/")
	f.Add("/v1", "/v1/models?x=1")
	f.Add("/a/v1/", "/v1")
	f.Add("/0", "0")
	f.Add("/v1", "//v1//x/../y")
	f.Fuzz(func(t *testing.T, prefix, path string) {
		if prefix != "" && prefix[0] != '/' || strings.ContainsAny(prefix, "?#") || !strings.HasPrefix(path, "/") {
			return // no base path, or no path
		}
		got := proxy.Join("http://h"+prefix, path)
		base := "http://h" + strings.TrimRight(prefix, "/")
		if got == base+path {
			return
		}
		if base == "http://h" {
			t.Fatalf("Join(%q, %q) = %q changed a path that nothing was put in front of", prefix, path, got)
		}
		path = "/" + strings.TrimLeft(path, "/")
		if got == base+path {
			return
		}
		run := len(base) + len(path) - len(got) // what is written once
		if run <= 0 || run > len(path) || got != base+path[run:] || !strings.HasSuffix(base, path[:run]) {
			t.Fatalf("Join(%q, %q) = %q", prefix, path, got)
		}
		if rest := path[run:]; rest != "" && rest[0] != '/' && rest[0] != '?' {
			t.Fatalf("Join(%q, %q) = %q cut a segment", prefix, path, got)
		}
	})
}

// P1: what a client asks for goes on byte for byte, but for the joining rule.
func TestP1JoinKeepsSlashes(t *testing.T) {
	f := func(base, path, want string) {
		t.Helper()
		if got := proxy.Join(base, path); got != want {
			t.Errorf("Join(%q, %q) = %q, want %q", base, path, got, want)
		}
	}
	f("http://h", "//evil/x/../y", "http://h//evil/x/../y")
	f("http://h/", "//v1//chat/completions", "http://h//v1//chat/completions")
	f("http://h/v1", "//chat//completions", "http://h/v1/chat//completions")
	f("http://h/v1", "//v1//chat/completions", "http://h/v1//chat/completions")
	f("http://h/v1/", "/v1//chat/completions", "http://h/v1//chat/completions")
	f("http://h/v1", "/", "http://h/v1/")
	f("http://h/v1", "/v1?x=//y", "http://h/v1?x=//y")
	f("http://h/v1", "http://proxy/v1/models?u=http://x/y", "http://h/v1/models?u=http://x/y")
	f("http://h", "http://proxy", "http://h/")
	f("http://h", "http://proxy?x", "http://h/?x")
	f("http://h", "x?u=http://y/z", "http://h/x?u=http://y/z")
	f("http://h", "/x?u=http://y/z", "http://h/x?u=http://y/z")
}

func Example() {
	fmt.Println(proxy.Join("http://h/v1", "/v1/chat/completions"))
	fmt.Println(proxy.Join("http://h/ollama/", "/api/chat?x=1"))
	// Output:
	// http://h/v1/chat/completions
	// http://h/ollama/api/chat?x=1
}
