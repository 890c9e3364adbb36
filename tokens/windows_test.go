package tokens_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"recap/tokens"
)

// server answers fixed JSON by path and remembers what it was asked.
type server struct {
	mu      sync.Mutex
	answers map[string]string
	asked   []string
	keys    []string
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.Method+" "+r.URL.RequestURI())
	s.keys = append(s.keys, r.Header.Get("Authorization"))
	answer, ok := s.answers[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	io.WriteString(w, answer)
}

func (s *server) set(path, answer string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[path] = answer
}

func (s *server) count(call string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, asked := range s.asked {
		if asked == call {
			n++
		}
	}
	return n
}

func serve(t *testing.T, answers map[string]string) (*server, string) {
	t.Helper()
	s := &server{answers: answers}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return s, h.URL
}

func newWindows(t *testing.T, models ...tokens.Model) *tokens.Windows {
	t.Helper()
	w := tokens.NewWindows(models, nil)
	t.Cleanup(w.Close)
	return w
}

// probed looks up until a is answered with the wanted source.
func probed(t *testing.T, w *tokens.Windows, a tokens.Ask, source string) tokens.Window {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		got := w.Lookup(a)
		if got.Source == source {
			return got
		}
		if time.Now().After(deadline) {
			t.Fatalf("got %+v, want source %s", got, source)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestWindowsOfEachKind(t *testing.T) {
	f := func(kind, base, model string, want int, answers map[string]string) {
		t.Helper()
		_, url := serve(t, answers)
		w := newWindows(t)
		a := tokens.Ask{Upstream: "u", URL: url + base, Model: model}
		got := probed(t, w, a, "upstream")
		if got.Size != want || got.Guessed {
			t.Errorf("%s: got %+v, want %d", kind, got, want)
		}
		if w.Kind("u") != kind {
			t.Errorf("got kind %q, want %q", w.Kind("u"), kind)
		}
	}
	f("ollama", "", "llama3", 8192, map[string]string{
		"/api/ps": `{"models":[{"name":"other:7b","model":"other:7b","context_length":2048},{"name":"llama3:latest","model":"llama3:latest","context_length":8192}]}`,
	})
	f("ollama", "/v1/", "qwen3:14b", 16384, map[string]string{
		"/api/ps":   `{"models":[]}`,
		"/api/show": `{"parameters":"stop \"<|x|>\"\nnum_ctx                        16384\n","model_info":{"general.architecture":"qwen3","qwen3.context_length":40960}}`,
	})
	f("llamacpp", "", "any", 2048, map[string]string{
		"/props": `{"default_generation_settings":{"n_ctx":2048},"total_slots":1}`,
	})
	f("vllm", "/v1", "big", 32768, map[string]string{
		"/v1/models": `{"object":"list","data":[{"id":"small","max_model_len":4096},{"id":"big","max_model_len":32768}]}`,
	})
	f("vllm", "", "alias", 4096, map[string]string{
		"/v1/models": `{"object":"list","data":[{"id":"small","max_model_len":4096}]}`,
	})
	f("lmstudio", "/v1", "google/gemma-3", 12000, map[string]string{
		"/api/v1/models": `{"models":[{"key":"google/gemma-3","max_context_length":131072,"loaded_instances":[{"id":"google/gemma-3","config":{"context_length":12000}}]}]}`,
	})
	f("lmstudio", "/v1", "gemma", 9000, map[string]string{
		"/api/v0/models": `{"data":[{"id":"gemma","state":"loaded","max_context_length":131072,"loaded_context_length":9000}]}`,
	})
	f("openrouter", "/api/v1", "x/y", 100000, map[string]string{
		"/api/v1/models": `{"data":[{"id":"a/b","context_length":5},{"id":"x/y","context_length":131072,"top_provider":{"context_length":100000}}]}`,
	})
	f("anthropic", "", "claude-next", 300000, map[string]string{
		"/v1/models": `{"data":[{"id":"claude-next","max_input_tokens":300000,"max_tokens":64000},{"id":"x","max_input_tokens":1}],"has_more":false}`,
	})
	f("litellm", "", "prod", 65536, map[string]string{
		"/v1/models":     `{"data":[{"id":"prod"}]}`,
		"/v1/model/info": `{"data":[{"model_name":"prod","model_info":{"max_input_tokens":65536,"max_tokens":null}}]}`,
	})
}

func TestWindowsFollowPages(t *testing.T) {
	s, url := serve(t, map[string]string{
		"/api/v1/models":  `{"data":[{"id":"a","context_length":1000},{"id":"b","context_length":1000}],"links":{"next":"/api/v1/models2"}}`,
		"/api/v1/models2": `{"data":[{"id":"c","context_length":3000},{"id":"d","context_length":4000}],"links":{"next":"http://elsewhere.invalid/x"}}`,
	})
	w := newWindows(t)
	if got := probed(t, w, tokens.Ask{Upstream: "u", URL: url + "/api/v1", Model: "d"}, "upstream"); got.Size != 4000 {
		t.Errorf("got %+v, want 4000", got)
	}
	if s.count("GET /api/v1/models2") == 0 {
		t.Error("the second page was not read")
	}
}

// B1: never the trained maximum. The number in use, else 4096; a request's own option wins on the native path alone.
func TestB1OllamaWindow(t *testing.T) {
	show := `{"parameters":"","model_info":{"general.architecture":"llama","llama.context_length":131072}}`
	s, url := serve(t, map[string]string{"/api/ps": `{"models":[]}`, "/api/show": show})
	w := newWindows(t)
	a := tokens.Ask{Upstream: "u", URL: url, Model: "llama3.1:8b"}
	w.Warm(tokens.Ask{Upstream: "u", URL: url})
	for deadline := time.Now().Add(time.Minute); w.Kind("u") != "ollama" && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if got := w.Lookup(a); got != (tokens.Window{Size: 4096, Source: "default", Guessed: true}) {
		t.Errorf("not loaded: %+v, want 4096 by default", got)
	}
	f := func(native bool, numCtx int, source string, size int) {
		t.Helper()
		b := a
		b.Native, b.NumCtx = native, numCtx
		if got := w.Lookup(b); got.Size != size || got.Source != source {
			t.Errorf("native %v, num_ctx %d: %+v, want %d by %s", native, numCtx, got, size, source)
		}
	}
	f(true, 16384, "request", 16384)
	f(false, 16384, "default", 4096)
	f(true, 0, "default", 4096) // B3: num_ctx 0 falls back to the default
	f(true, -1, "default", 4096)

	// After the first answer the model is loaded and tells what it really has.
	s.set("/api/ps", `{"models":[{"name":"llama3.1:8b","model":"llama3.1:8b","context_length":32768}]}`)
	deadline := time.Now().Add(time.Minute)
	for w.Lookup(a).Source != "upstream" && time.Now().Before(deadline) {
		w.Refresh(a, "", false)
		time.Sleep(time.Millisecond)
	}
	if got := w.Lookup(a); got.Size != 32768 || got.Guessed {
		t.Errorf("loaded: %+v, want 32768", got)
	}
	f(true, 1<<20, "request", 131072) // clamped to what the model was trained for
}

// B3: each request is measured by its own num_ctx; nothing here is remembered from one to the next.
func TestB3NumCtxIsOfTheRequest(t *testing.T) {
	w := newWindows(t)
	a := tokens.Ask{Upstream: "u", Model: "m", Native: true, NumCtx: 16384}
	if got := w.Lookup(a); got.Size != 16384 || got.Source != "request" {
		t.Errorf("got %+v", got)
	}
	a.NumCtx = 0
	if got := w.Lookup(a); got.Size != 4096 || got.Source != "default" {
		t.Errorf("without it: %+v", got)
	}
}

func TestWindowOrder(t *testing.T) {
	_, url := serve(t, map[string]string{"/props": `{"default_generation_settings":{"n_ctx":2048}}`})
	w := newWindows(t, tokens.Model{Match: "mine*", ContextWindow: 6000}, tokens.Model{Match: "priced", Price: tokens.Price{Input: 1}},
		tokens.Model{Match: "pric*", ContextWindow: 7000})
	probed(t, w, tokens.Ask{Upstream: "u", URL: url, Model: "gpt-4o"}, "upstream")
	f := func(a tokens.Ask, size int, source string, guessed bool) {
		t.Helper()
		got := w.Lookup(a)
		got.Reply = 0 // see TestReplyLimits
		if got != (tokens.Window{Size: size, Source: source, Guessed: guessed}) {
			t.Errorf("%+v: got %+v, want %d by %s", a, got, size, source)
		}
	}
	all := tokens.Ask{Upstream: "u", Model: "mine:1b", Native: true, NumCtx: 5000, Override: 4000}
	f(all, 4000, "header", false)
	all.Override = 0
	f(all, 5000, "request", false)
	all.Native = false
	f(all, 6000, "config", false)
	f(tokens.Ask{Upstream: "u", Model: "priced"}, 7000, "config", false)
	f(tokens.Ask{Upstream: "u", Model: "gpt-4o"}, 2048, "upstream", false)
	f(tokens.Ask{Upstream: "v", Model: "gpt-4o"}, 128000, "table", true)
	f(tokens.Ask{Upstream: "v", Model: "openai/gpt-4o-2024-11-20"}, 128000, "table", true)
	f(tokens.Ask{Upstream: "v", Model: "ghost"}, 0, "unknown", false)
	f(tokens.Ask{Upstream: "o", URL: "http://127.0.0.1:11434", Model: "gpt-4o"}, 4096, "default", true)
	f(tokens.Ask{Upstream: "v", Model: strings.Repeat("x", 300)}, 0, "unknown", false)
}

func TestLearnedLimitCapsAll(t *testing.T) {
	w := newWindows(t, tokens.Model{Match: "m", ContextWindow: 8000})
	f := func(a tokens.Ask, size int, source string) {
		t.Helper()
		if got := w.Lookup(a); got.Size != size || got.Source != source {
			t.Errorf("%+v: got %+v, want %d by %s", a, got, size, source)
		}
	}
	w.Learn("u", "m", 20) // a misread number
	f(tokens.Ask{Upstream: "u", Model: "m"}, 8000, "config")
	w.Learn("u", "m", 3000)
	w.Learn("u", "ghost", 3000)
	f(tokens.Ask{Upstream: "u", Model: "m"}, 3000, "learned")
	f(tokens.Ask{Upstream: "u", Model: "m", Override: 9000}, 3000, "learned")
	f(tokens.Ask{Upstream: "u", Model: "m", Override: 2000}, 2000, "header")
	f(tokens.Ask{Upstream: "u", Model: "ghost"}, 3000, "learned")
	f(tokens.Ask{Upstream: "other", Model: "m"}, 8000, "config")
	w.Learn("u", "m", 5000) // restarted with more
	f(tokens.Ask{Upstream: "u", Model: "m"}, 5000, "learned")
}

// Credentials go where the probe goes and nowhere else; a redirect is not followed.
func TestProbeKeepsCredentialsAtHome(t *testing.T) {
	stranger, away := serve(t, map[string]string{"/v1/models": `{"data":[{"id":"m","max_model_len":1}]}`})
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/models", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, away+"/v1/models", http.StatusFound) })
	var mu sync.Mutex
	var key string
	mux.HandleFunc("/v1/model/info", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		key = r.Header.Get("Authorization")
		mu.Unlock()
		io.WriteString(w, `{"data":[{"model_name":"m","model_info":{"max_input_tokens":777}}]}`)
	})
	home := httptest.NewServer(mux)
	defer home.Close()
	w := newWindows(t)
	a := tokens.Ask{Upstream: "u", URL: home.URL, Model: "m", Header: func() http.Header { return http.Header{"Authorization": {"Bearer secret"}} }}
	if got := probed(t, w, a, "upstream"); got.Size != 777 {
		t.Errorf("got %+v", got)
	}
	mu.Lock()
	defer mu.Unlock()
	if key != "Bearer secret" || len(stranger.asked) != 0 {
		t.Errorf("key %q at home, %d calls away", key, len(stranger.asked))
	}
}

// Bad answers of any sort leave the number unknown and nothing behind.
func TestProbeSurvivesNonsense(t *testing.T) {
	for _, answer := range []string{
		"", "null", "[]", "{", `{"models":7}`, `{"data":[{"id":3}]}`, `{"data":[{"id":"m","max_model_len":"many"}]}`,
		`{"default_generation_settings":null}`, strings.Repeat("[", 100000),
	} {
		s, url := serve(t, map[string]string{
			"/api/ps": answer, "/props": answer, "/v1/models": answer,
			"/api/v1/models": answer, "/api/v0/models": answer, "/v1/model/info": answer,
		})
		w := tokens.NewWindows(nil, nil)
		w.Lookup(tokens.Ask{Upstream: "u", URL: url, Model: "m"})
		deadline := time.Now().Add(time.Minute)
		for s.count("GET /v1/model/info") == 0 && w.Kind("u") == "" && time.Now().Before(deadline) {
			time.Sleep(time.Millisecond)
		}
		if got := w.Lookup(tokens.Ask{Upstream: "u", URL: url, Model: "m"}); got.Size != 0 {
			t.Errorf("%.40q: got %+v", answer, got)
		}
		w.Close()
	}
}

// Close does not wait for a server that never answers.
func TestCloseEndsProbes(t *testing.T) {
	release := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer silent.Close()
	defer close(release)
	w := tokens.NewWindows(nil, nil)
	for i := range 200 {
		w.Lookup(tokens.Ask{Upstream: "u", URL: silent.URL, Model: strings.Repeat("x", i)})
	}
	done := make(chan struct{})
	go func() { w.Close(); close(done) }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("Close hangs")
	}
}

// What was told and taught outlives a restart; what is no saved state is refused.
func TestWindowsExportImport(t *testing.T) {
	w := tokens.NewWindows(nil, nil)
	defer w.Close()
	w.Learn("up", "model", 5000)
	again := tokens.NewWindows(nil, nil)
	defer again.Close()
	if err := again.Import(w.Export()); err != nil {
		t.Fatal(err)
	}
	if got, want := string(again.Export()), string(w.Export()); got != want || got == "[]" {
		t.Errorf("exported %s, want %s", got, want)
	}
	if again.Import([]byte("{")) == nil {
		t.Error("broken data was taken")
	}
}
