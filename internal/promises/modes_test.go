package promises_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"strings"
	"testing"

	"recap/config"
	"recap/internal/fakellm"
)

// full is a request body over any small window, and the point it stands at.
func full(seed uint64) []byte {
	c := talk(seed, 40, 0)
	points := c.Points()
	return c.Body("openai", points[len(points)-1])
}

// X-Recap-Mode: off relays untouched; observe reports and changes nothing, and starts no job.
func TestModes(t *testing.T) {
	r := newRig(t, 4096, fakellm.Options{}, nil)
	body := full(71)
	f := func(mode, want string) {
		t.Helper()
		a := r.chat("openai", body, "X-Recap-Mode", mode)
		if a.code != 200 || a.status() != want {
			t.Errorf("%s: %d, status %q, want %q", mode, a.code, a.status(), want)
		}
		if !bytes.Equal(r.sent(), body) {
			t.Errorf("%s: the body was changed", mode)
		}
		r.settle()
		if n := len(r.up.Summaries()); n != 0 {
			t.Errorf("%s: %d summaries", mode, n)
		}
	}
	f("off", "off")
	f("observe", "observed")
	a := r.chat("openai", body, "X-Recap-Mode", "observe")
	if tokens := a.header.Get("X-Recap-Tokens"); !strings.Contains(tokens, "window=4096") || strings.Contains(tokens, "before=0") {
		t.Errorf("observed: X-Recap-Tokens is %q", tokens)
	}
}

// E15: bad values of override headers are answered with 400 in the dialect's shape, naming the header; none goes
// upstream, none is followed.
func TestE15BadOverrides(t *testing.T) {
	r := newRig(t, 4096, fakellm.Options{}, nil)
	f := func(name, value string) {
		t.Helper()
		for _, dialect := range []string{"openai", "ollama"} {
			a := r.chat(dialect, []byte(`{"model":"m","messages":[{"role":"user","content":"hi"}]}`), name, value)
			if a.code != 400 || !strings.Contains(string(a.body), name) || !strings.Contains(string(a.body), `"error"`) {
				t.Errorf("%s: %.40q on %s: %d %.200s", name, value, dialect, a.code, a.body)
			}
		}
	}
	f("X-Recap-Provider", "http://169.254.169.254/")
	f("X-Recap-Model", "http://127.0.0.1:22/")
	f("X-Recap-Provider", "file:///etc/passwd")
	f("X-Recap-Provider", "unheard-of")
	f("X-Recap-Trigger", "token_ratio=-1")
	f("X-Recap-Trigger", "token_ratio=NaN")
	f("X-Recap-Context-Window", "1e309")
	f("X-Recap-Keep-Turns", "999999999")
	f("X-Recap-Session", strings.Repeat("x", 2000))
	f("X-Recap-Mode", "maybe")
	if n := len(r.up.Requests()); n > 2 { // the probes of the window
		for _, q := range r.up.Requests() {
			if q.Chat {
				t.Errorf("%s reached the upstream", q.Path)
			}
		}
	}
}

// E15: an operator may switch overrides off: they are stripped, ignored and counted.
func TestE15OverridesOff(t *testing.T) {
	r := newRig(t, 4096, fakellm.Options{}, func(c *config.Config) { c.Overrides.Allow = nil })
	a := r.chat("openai", []byte(`{"model":"m","messages":[{"role":"user","content":"hi"}]}`), "X-Recap-Mode", "off")
	if a.code != 200 || a.status() != "clear" {
		t.Errorf("%d, status %q; want the header ignored", a.code, a.status())
	}
}

// L26: the one block of the file holds for all, and a request may override it.
func TestL26Overrides(t *testing.T) {
	r := newRig(t, 100_000, fakellm.Options{}, nil)
	body := full(72)
	if a := r.chat("openai", body); a.status() != "clear" {
		t.Fatalf("status %q, want clear", a.status())
	}
	a := r.chat("openai", body, "X-Recap-Context-Window", "4096", "X-Recap-Keep-Turns", "1", "X-Recap-Placement", "system")
	if !has(a.status(), "provisional") {
		t.Fatalf("with a small window: status %q", a.status())
	}
	if first := messages(t, r.sent())[0]; !strings.Contains(first, "earlier-conversation") {
		t.Errorf("the summary is not in the system message: %.100s", first)
	}
	a = r.chat("openai", full(77), "X-Recap-Context-Window", "4096", "X-Recap-Overflow", "reject")
	if a.code != 400 || !strings.Contains(string(a.body), "context_length_exceeded") {
		t.Errorf("reject: %d %.200s", a.code, a.body)
	}
}

// design.md §4: an overflow teaches the limit, and the turn still succeeds; the next one knows.
func TestOverflowIsRetriedOnce(t *testing.T) {
	for _, style := range []string{"llamacpp", "openai", "vllm"} {
		t.Run(style, func(t *testing.T) {
			r := newRig(t, 100_000, fakellm.Options{Window: 4096, Overflow: style}, nil)
			body := full(73)
			a := r.chat("openai", body)
			if a.code != 200 || !has(a.status(), "provisional") {
				t.Fatalf("%d, status %q: %.200s", a.code, a.status(), a.body)
			}
			if n := len(r.up.Chats()); n != 2 {
				t.Errorf("%d requests upstream, want the first and one more", n)
			}
			r.settle()
			before := len(r.up.Chats())
			a = r.chat("openai", body)
			if a.code != 200 || len(r.up.Chats()) != before+1 {
				t.Errorf("the second time: %d after %d requests", a.code, len(r.up.Chats())-before)
			}
			if got := a.header.Get("X-Recap-Tokens"); !strings.Contains(got, "window=4096, source=learned") {
				t.Errorf("X-Recap-Tokens is %q", got)
			}
		})
	}
}

// What is no overflow is never sent twice, and comes back as it is.
func TestOtherErrorsAreNotRetried(t *testing.T) {
	r := newRig(t, 100_000, fakellm.Options{}, nil)
	const text = `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`
	for _, status := range []int{400, 401, 429, 500, 503} {
		before := len(r.up.Chats())
		r.up.NextFault(fakellm.Fault{Status: status, Body: text})
		a := r.chat("openai", full(74))
		if a.code != status || string(a.body) != text || len(r.up.Chats()) != before+1 {
			t.Errorf("%d: got %d %.100s after %d requests", status, a.code, a.body, len(r.up.Chats())-before)
		}
	}
}

// Compressed requests are read; a rewritten one is sent plain, one that needs nothing as it came; an unknown coding is
// relayed untouched with the reason.
func TestCompressedRequests(t *testing.T) {
	r := newRig(t, 4096, fakellm.Options{Lenient: true}, nil)
	zip := func(body []byte) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write(body)
		_ = w.Close()
		return b.String()
	}
	last := func() fakellm.Recorded { all := r.up.Find(fakellm.IsChat); return all[len(all)-1] }
	a := r.do("POST", paths["openai"], zip(full(75)), "Content-Encoding", "gzip")
	if !has(a.status(), "provisional") || last().Header.Get("Content-Encoding") != "" {
		t.Errorf("rewritten: status %q, coding %q", a.status(), last().Header.Get("Content-Encoding"))
	}
	small := []byte(`{"model":"m","messages":[{"role":"user","content":"hi"}]}`)
	a = r.do("POST", paths["openai"], zip(small), "Content-Encoding", "gzip")
	if a.status() != "clear" || last().Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("untouched: status %q, coding %q", a.status(), last().Header.Get("Content-Encoding"))
	}
	a = r.do("POST", paths["openai"], "?", "Content-Encoding", "strange")
	if a.status() != "bypass;reason=content-encoding" {
		t.Errorf("unknown coding: status %q", a.status())
	}
}

// C14, B: a body over the limit gets 413 in the dialect's shape.
func TestC14TooLarge(t *testing.T) {
	r := newRig(t, 4096, fakellm.Options{Lenient: true}, func(c *config.Config) { c.Limits.Body = 1 << 20 })
	body := fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"%s"}]}`, strings.Repeat("x", 2<<20))
	for dialect, want := range map[string]string{"openai": `{"error":{"message"`, "ollama": `{"error":"`} {
		a := r.chat(dialect, []byte(body))
		if a.code != 413 || !strings.HasPrefix(string(a.body), want) || !strings.Contains(string(a.body), "limits.body") {
			t.Errorf("%s: %d %.200s", dialect, a.code, a.body)
		}
	}
}

// P2: a store that is damaged, or whose directory cannot be written, is reported; the proxy runs on without it.
func TestP2BrokenStore(t *testing.T) {
	dir := t.TempDir()
	damaged := dir + "/damaged.db"
	if err := os.WriteFile(damaged, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{damaged, "/proc/no/such/place/recap.db"} {
		r := newRig(t, 4096, fakellm.Options{}, func(c *config.Config) { c.Store.Kind, c.Store.Path = "sqlite", path })
		if a := r.chat("openai", full(76)); a.code != 200 || !has(a.status(), "provisional") {
			t.Errorf("%s: %d, status %q", path, a.code, a.status())
		}
		if !strings.Contains(r.log.String(), "store cannot be used") {
			t.Errorf("%s: the log does not say so", path)
		}
	}
}

// A dead upstream is an error in the dialect's own shape.
func TestDeadUpstream(t *testing.T) {
	r := newRig(t, 4096, fakellm.Options{}, func(c *config.Config) { c.Upstreams[0].URL = "http://127.0.0.1:1" })
	for dialect, want := range map[string]string{"openai": `{"error":{"message"`, "ollama": `{"error":"`} {
		a := r.chat(dialect, []byte(`{"model":"m","messages":[{"role":"user","content":"hi"}]}`))
		if a.code != 502 || !strings.HasPrefix(string(a.body), want) {
			t.Errorf("%s: %d %.200s", dialect, a.code, a.body)
		}
	}
}

// `overflow: reject` still has the summary written that helps the next try.
func TestRejectStartsTheSummary(t *testing.T) {
	r := newRig(t, 4096, fakellm.Options{}, func(c *config.Config) { c.Summarization.Overflow = "reject" })
	body := full(78)
	if a := r.chat("openai", body); a.code != 400 || a.header.Get("X-Recap-Summary") != "due" {
		t.Fatalf("%d, summary %q; want 400 and due", a.code, a.header.Get("X-Recap-Summary"))
	}
	r.settle()
	if a := r.chat("openai", body); a.code != 200 || !has(a.status(), "compacted") {
		t.Errorf("the next try: %d, status %q", a.code, a.status())
	}
}

// design.md §4, P7: a learned limit, and what the upstream told of its window, outlive a restart.
func TestP7WindowsOutliveARestart(t *testing.T) {
	path := t.TempDir() + "/recap.db"
	disk := func(c *config.Config) { c.Store.Kind, c.Store.Path = "sqlite", path }
	first := newRig(t, 100_000, fakellm.Options{Window: 4096}, disk)
	first.chat("openai", full(79))
	first.close()
	again := newRig(t, 100_000, fakellm.Options{Window: 4096}, disk)
	a := again.chat("openai", full(80))
	if got := a.header.Get("X-Recap-Tokens"); !strings.Contains(got, "window=4096, source=learned") {
		t.Errorf("after a restart X-Recap-Tokens is %q", got)
	}
	if n := len(again.up.Chats()); n != 1 {
		t.Errorf("%d requests upstream, want 1", n)
	}
}
