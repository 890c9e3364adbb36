package dashboard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"recap/cache"
	"recap/chat"
	"recap/dashboard"
	"recap/stats"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// fasthttp keeps one goroutine for the Date header.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
	)
}

// site is an admin listener on loopback with a store of one checkpoint.
type site struct {
	*dashboard.Admin
	url   string
	store cache.Store
	stats *stats.Stats
	key   chat.Key
}

func serve(t *testing.T, o dashboard.Options) *site {
	t.Helper()
	s := &site{store: cache.NewMemory(cache.Options{}), stats: stats.New(), key: chat.Seed("a", "b", "c")}
	_, err := s.store.Put(t.Context(), chat.Checkpoint{Key: s.key, Tenant: "a", Session: "my chat/1", To: 42, Text: "the text", Tokens: 2})
	if err != nil {
		t.Fatal(err)
	}
	o.Store, o.Stats = s.store, s.stats
	s.start(t, o)
	return s
}

// serveWith is a listener over a store and stats of the caller's.
func serveWith(t *testing.T, store cache.Store, all *stats.Stats) *site {
	t.Helper()
	s := &site{store: cache.NewMemory(cache.Options{})}
	s.start(t, dashboard.Options{Store: store, Stats: all})
	return s
}

func (s *site) start(t *testing.T, o dashboard.Options) {
	t.Helper()
	s.Admin = dashboard.New(o)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.url = "http://" + ln.Addr().String()
	done := make(chan error, 1)
	go func() { done <- s.Serve(ln) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := errors.Join(s.Shutdown(ctx), <-done, s.store.Close()); err != nil {
			t.Errorf("shut down: %v", err)
		}
	})
}

// ask sends one request; headers are pairs.
func (s *site) ask(t *testing.T, method, path, body string, headers ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Header.Get("X-Content-Type-Options") != "nosniff" || resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s %s: headers %v", method, path, resp.Header)
	}
	return resp.StatusCode, string(text)
}

func TestHealth(t *testing.T) {
	var reasons []string
	s := serve(t, dashboard.Options{Version: "1.2.3", Ready: func() []string { return reasons }})
	f := func(path string, code int, parts ...string) {
		t.Helper()
		got, body := s.ask(t, "GET", path, "")
		if got != code {
			t.Errorf("%s: %d, want %d", path, got, code)
		}
		for _, part := range parts {
			if !strings.Contains(body, part) {
				t.Errorf("%s: %q is not in %s", path, part, body)
			}
		}
	}
	f("/healthz", 200, "ok", "1.2.3")
	f("/readyz", 200, `"ready":true`, `"reasons":[]`)
	reasons = []string{"store: damaged"}
	f("/readyz", 503, `"ready":false`, "store: damaged")
	reasons = nil
	s.Drain() // F5
	f("/readyz", 503, "draining")
	f("/healthz", 200)
	f("/", 200, "/api/events", "/metrics", "/api/sessions")
	f("/metrics", 200, "recap_open_streams", "process_")
	f("/nothing", 404, `"code":"not-found"`)
	if code, body := s.ask(t, "PATCH", "/api/checkpoints/x", ""); code != 405 || !strings.Contains(body, "GET, PUT, DELETE") {
		t.Errorf("PATCH: %d %s", code, body)
	}
	if code, body := s.ask(t, "HEAD", "/healthz", ""); code != 200 || body != "" {
		t.Errorf("HEAD: %d %q", code, body)
	}
}

func TestCheckpoints(t *testing.T) {
	s := serve(t, dashboard.Options{Measure: func(text string) int { return len(text) }})
	one := "/api/checkpoints/" + s.key.String()
	f := func(method, path, body string, code int, parts ...string) {
		t.Helper()
		got, answer := s.ask(t, method, path, body)
		if got != code {
			t.Errorf("%s %s: %d %s, want %d", method, path, got, answer, code)
		}
		for _, part := range parts {
			if !strings.Contains(answer, part) {
				t.Errorf("%s %s: %q is not in %s", method, path, part, answer)
			}
		}
		if code != 204 && !json.Valid([]byte(answer)) {
			t.Errorf("%s %s: not JSON: %s", method, path, answer)
		}
	}
	f("GET", "/api/checkpoints", "", 200, s.key.String(), `"to":42`)
	f("GET", "/api/checkpoints?tenant=b&limit=1", "", 200, `{"checkpoints":[]}`)
	f("GET", "/api/checkpoints?limit=x", "", 400, "bad-limit")
	f("GET", one, "", 200, `"text":"the text"`, `"pinned":false`, `"windows":[]`)
	f("PUT", one, `{"text":"longer text","pinned":true}`, 200, `"text":"longer text"`, `"tokens":11`, `"pinned":true`)
	f("PUT", one, `{"text":" "}`, 400, "empty-text")
	f("PUT", one, `{}`, 400, "no-change")
	f("PUT", one, `{"txt":"x"}`, 400, "bad-body")
	f("PUT", one, `{"text":1}`, 400, "bad-body")
	f("PUT", one, ``, 400, "bad-body")
	f("POST", one+"/pin", `{"pinned":false}`, 200, `"pinned":false`)
	f("POST", one+"/pin", "", 200, `"pinned":true`, `"text":"longer text"`)
	f("POST", one+"/pin", "x", 400, "bad-body")
	f("GET", "/api/checkpoints/xyz", "", 400, "bad-key")
	missing := "/api/checkpoints/" + chat.Seed("x", "y", "z").String()
	f("GET", missing, "", 404, "no-such-checkpoint")
	f("PUT", missing, `{"pinned":true}`, 404, "no-such-checkpoint")
	f("DELETE", missing, "", 404, "no-such-checkpoint")
	f("DELETE", one, "", 204)
	f("GET", one, "", 404)
	s.store.Close()
	f("GET", "/api/checkpoints", "", 503, `"code":"store"`)
}

func TestNotAvailable(t *testing.T) {
	s := serve(t, dashboard.Options{})
	if code, _ := s.ask(t, "PUT", "/api/checkpoints/"+s.key.String(), `{"text":"x"}`); code != 501 {
		t.Errorf("edit without a measure: %d", code)
	}
	if code, _ := s.ask(t, "POST", "/api/explain", `{}`); code != 501 {
		t.Errorf("explain: %d", code)
	}
}

func TestExplain(t *testing.T) {
	s := serve(t, dashboard.Options{MaxBody: 1000, Explain: func(_ context.Context, q dashboard.Question) (any, error) {
		if q.Body == "panic" {
			panic("secret")
		}
		if q.Body == "bad" {
			return nil, errors.New("decode chat: invalid-json")
		}
		return map[string]string{"path": q.Path, "body": q.Body, "mode": string(q.Header.Peek("X-Recap-Mode"))}, nil
	}})
	code, body := s.ask(t, "POST", "/api/explain?path=/api/chat", "hello", "X-Recap-Mode", "observe")
	if code != 200 || body != `{"body":"hello","mode":"observe","path":"/api/chat"}`+"\n" {
		t.Errorf("explain: %d %s", code, body)
	}
	if code, body := s.ask(t, "POST", "/api/explain", "bad"); code != 400 || !strings.Contains(body, "invalid-json") {
		t.Errorf("explain what is no chat: %d %s", code, body)
	}
	if code, body := s.ask(t, "POST", "/api/explain", "panic"); code != 500 || strings.Contains(body, "secret") {
		t.Errorf("a panic: %d %s", code, body)
	}
}

func TestTooLarge(t *testing.T) {
	s := serve(t, dashboard.Options{MaxBody: 1000})
	resp, err := http.Post(s.url+"/api/explain", "application/json", strings.NewReader(strings.Repeat("x", 2000)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); resp.StatusCode != 413 || !json.Valid(body) {
		t.Errorf("large body: %d %s", resp.StatusCode, body)
	}
}

func ExampleCheckListen() {
	fmt.Println(dashboard.CheckListen("127.0.0.1:8788", ""))
	fmt.Println(dashboard.CheckListen("0.0.0.0:8788", ""))
	// Output:
	// <nil>
	// check admin.listen "0.0.0.0:8788": others can reach it: set admin.token, or listen on 127.0.0.1
}
