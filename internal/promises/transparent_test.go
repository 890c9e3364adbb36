package promises_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"recap/chat"
	"recap/internal/fakellm"
)

// P1, E7: a request that needs nothing leaves byte for byte as it came, whatever its spacing, key order and numbers.
func TestP1E7BodiesStay(t *testing.T) {
	r := newRig(t, 100_000, fakellm.Options{}, nil)
	f := func(dialect, body string) {
		t.Helper()
		a := r.chat(dialect, []byte(body))
		if !has(a.status(), string(chat.Clear)) {
			t.Errorf("status %q, want clear", a.status())
		}
		if got := r.sent(); string(got) != body {
			t.Errorf("sent\n%s\nwant\n%s", got, body)
		}
	}
	f("openai", `{ "messages" : [ {"role":"user", "content":"<&\u00e9> 12345678901234567890"} ],
		"temperature":1.10, "seed":12345678901234567890, "top_p":1e0, "model":"fake-model", "x_foo":{"b":1,"a":2} }`)
	f("openai", `{"model":"fake-model","stream":false,"messages":[{"content":[{"type":"text","text":"a"}],"role":"user","name":"bob"}],"tools":[{"function":{"parameters":{"z":1,"a":2},"name":"f"},"type":"function"}]}`)
	f("ollama", `{"model":"fake-model","messages":[{"role":"user","content":"hi"}],"think":"high","format":{"type":"object"},"options":{"temperature":0,"num_predict":5,"stop":["x"]},"truncate":false,"keep_alive":-1,"x":1}`)
}

// P1: headers arrive as they were sent, hop-by-hop ones and ours aside, and none is added.
func TestP1HeadersStay(t *testing.T) {
	r := newRig(t, 100_000, fakellm.Options{}, nil)
	body := `{"model":"fake-model","messages":[{"role":"user","content":"hi"}]}`
	r.do("POST", "/v1/chat/completions", body,
		"Authorization", "Bearer client", "X-Stainless-Os", "Linux", "User-Agent", "probe/1", "Cookie", "a=b;c=d; e",
		"X-Recap-Session", "s", "X-Recap-Mode", "auto", "X-Recap-Unheard-Of", "1", "X-Request-Id", "mine")
	seen := r.up.Chats()
	got := seen[len(seen)-1].Header
	for name, want := range map[string]string{
		"Authorization": "Bearer client", "X-Stainless-Os": "Linux", "User-Agent": "probe/1", "Cookie": "a=b;c=d; e", "X-Request-Id": "mine",
		"Content-Type": "application/json",
	} {
		if got.Get(name) != want {
			t.Errorf("header %s is %q upstream, want %q", name, got.Get(name), want)
		}
	}
	allowed := map[string]bool{
		"Authorization": true, "X-Stainless-Os": true, "User-Agent": true, "Cookie": true, "X-Request-Id": true,
		"Content-Type": true, "Content-Length": true, "Accept-Encoding": true, "Host": true, "Connection": true,
	}
	for name := range got {
		if !allowed[http.CanonicalHeaderKey(name)] {
			t.Errorf("header %s was added upstream", name)
		}
	}
}

// P1, B6: answers come back byte for byte, plain and streamed, in both formats.
func TestP1AnswersStay(t *testing.T) {
	r := newRig(t, 100_000, fakellm.Options{}, nil)
	f := func(path, body string) {
		t.Helper()
		through := r.do("POST", path, body)
		direct, err := do("POST", r.up.URL()+path, body)
		if err != nil {
			t.Fatal(err)
		}
		if through.code != direct.code || !bytes.Equal(shape(through.body), shape(direct.body)) {
			t.Errorf("%s: %d %s\ndirect: %d %s", path, through.code, through.body, direct.code, direct.body)
		}
		if a, b := through.header.Get("Content-Type"), direct.header.Get("Content-Type"); a != b {
			t.Errorf("%s: content type %q, direct %q", path, a, b)
		}
	}
	f("/v1/chat/completions", `{"model":"fake-model","messages":[{"role":"user","content":"hi"}]}`)
	f("/v1/chat/completions", `{"model":"fake-model","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hi"}]}`)
	f("/api/chat", `{"model":"fake-model","messages":[{"role":"user","content":"hi"}]}`)
	f("/api/chat", `{"model":"fake-model","stream":false,"messages":[{"role":"user","content":"hi"}]}`)
	f("/v1/chat/completions", `{"model":"fake-model","messages":[{"role":"assistant","content":"refused"}]}`)
}

// shape leaves out what differs from answer to answer: ids and times.
func shape(body []byte) []byte {
	var lines [][]byte
	for line := range bytes.SplitSeq(body, []byte("\n")) {
		if i := bytes.Index(line, []byte(`"cached_tokens"`)); i >= 0 {
			line = line[:i]
		}
		lines = append(lines, line[:min(len(line), 12)])
	}
	return bytes.Join(lines, []byte("\n"))
}

// P1, B10: every path that is not a chat is relayed.
func TestP1B10OtherPaths(t *testing.T) {
	r := newRig(t, 100_000, fakellm.Options{}, nil)
	f := func(method, path, body string) {
		t.Helper()
		through := r.do(method, path, body)
		direct, err := do(method, r.up.URL()+path, body)
		if err != nil {
			t.Fatal(err)
		}
		if through.code != direct.code || len(through.body) != len(direct.body) {
			t.Errorf("%s %s: %d, %d bytes; direct %d, %d bytes", method, path, through.code, len(through.body), direct.code, len(direct.body))
		}
		if through.header.Get("X-Recap-Status") != "" {
			t.Errorf("%s %s carries our status", method, path)
		}
	}
	f("GET", "/", "")
	f("HEAD", "/", "")
	f("GET", "/v1/models", "")
	f("GET", "/api/version", "")
	f("HEAD", "/api/tags", "")
	f("POST", "/api/show", `{"model":"fake-model"}`)
	f("GET", "/no/such/path?x=1", "")
	f("DELETE", "/api/delete", `{"model":"fake-model"}`)
	f("POST", "/api/pull", `{"model":"fake-model"}`)
	f("POST", "/api/blobs/sha256:00", strings.Repeat("x", 1<<20))
}

// P2: what is not understood is relayed untouched, with the reason; nothing of it is an error of ours.
func TestP2NotUnderstood(t *testing.T) {
	r := newRig(t, 100_000, fakellm.Options{Lenient: true}, nil)
	f := func(body, reason string) {
		t.Helper()
		a := r.chat("openai", []byte(body))
		if want := "bypass;reason=" + reason; a.status() != want {
			t.Errorf("%.60s: status %q, want %q", body, a.status(), want)
		}
		if got := r.sent(); string(got) != body { // the very last request may be a probe of the window
			t.Errorf("%.60s: sent %s", body, got)
		}
	}
	f(`{"model":"fake-model","messages":[{"role":"user","content":"hi"}`, "invalid-json")
	f(`not json`, "invalid-json")
	f(``, "invalid-json")
	f(`{"messages":[{"role":"user","content":"a"}],"messages":[]}`, "duplicate-key")
	f(`{"Messages":[{"role":"user","content":"a"}],"messages":[{"role":"user","content":"a"}]}`, "odd-key")
	f(`{"messages":"hi"}`, "wrong-type")
	f(`{"messages":[{"role":"narrator","content":"a"}]}`, "unknown-role")
}

// P2: an unknown window is no compaction, said in the status and, once the upstream was asked, once in the log.
func TestP2UnknownWindow(t *testing.T) {
	r := newRig(t, 0, fakellm.Options{Hide: []string{"/props", "/api/ps", "/api/version", "/api/show", "/", "/v1/models"}}, nil)
	warned := func() int { return strings.Count(r.log.String(), "context window unknown") }
	for n, more := 0, 2; more > 0 && n < 10_000; n++ {
		if warned() > 0 {
			more--
		}
		a := r.chat("openai", []byte(`{"model":"strange","messages":[{"role":"user","content":"hi"}]}`))
		if a.code != 200 || a.status() != "bypass;reason=unknown-window" {
			t.Errorf("%d, status %q", a.code, a.status())
		}
	}
	r.close()
	if n := warned(); n != 1 {
		t.Errorf("warned %d times, want once", n)
	}
}

// A chat that is far from every level is only glanced at. What is said of it is what reading it would say.
func TestFarIsWhatReadingSays(t *testing.T) {
	t.Parallel()
	for _, window := range []int{3000, 8000, 30_000, 200_000} {
		for _, dialect := range []string{"openai", "ollama"} {
			r := newRig(t, window, fakellm.Options{Lenient: true}, nil)
			c := talk(uint64(window), 25, 1)
			for i, point := range c.Points() {
				body := c.Body(dialect, point)
				glanced := r.chat(dialect, body)
				read := r.chat(dialect, body, "X-Recap-Mode", "auto") // an override makes every chat be read
				if a, b := word(glanced), word(read); a != b && a == "clear" {
					t.Errorf("window %d, %s, request %d: %q, read: %q", window, dialect, i, a, b)
				}
				if point > 40 {
					break
				}
			}
			r.close()
		}
	}
}

func word(a answer) string {
	w, _, _ := strings.Cut(a.status(), ";")
	return w
}
