package tokens_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"recap/tokens"
)

// wire.md A7, recorded answers of each server in its less usual shapes: what counts is the window that a request really
// has, never the model's maximum.
func TestWindowsAsServersTellThem(t *testing.T) {
	f := func(server, base, model string, want, reply int, answers map[string]string) {
		t.Helper()
		_, url := serve(t, answers)
		w := newWindows(t)
		got := probed(t, w, tokens.Ask{Upstream: "u", URL: url + base, Model: model}, "upstream")
		if got.Size != want || got.Reply != reply || got.Guessed {
			t.Errorf("%s: got %+v, want %d and reply %d", server, got, want, reply)
		}
	}
	f("Ollama, loaded with more than the Modelfile says", "", "m:7b", 8192, 0, map[string]string{
		"/api/ps":   `{"models":[{"name":"m:7b","model":"m:7b","size":1,"details":{"context_length":131072},"context_length":32768}]}`,
		"/api/show": `{"parameters":"num_ctx 8192\ntemperature 0.6","model_info":{"general.architecture":"x","x.context_length":131072}}`,
	})
	f("Ollama, a Modelfile over the trained maximum", "", "m", 4096, 0, map[string]string{
		"/api/ps":   `{"models":[]}`,
		"/api/show": `{"parameters":"num_ctx 65536","model_info":{"general.architecture":"x","x.context_length":4096}}`,
	})
	f("Ollama, a nonsense num_ctx", "", "m", 16384, 0, map[string]string{
		"/api/ps":   `{"models":[{"name":"m:latest","context_length":16384}]}`,
		"/api/show": `{"parameters":"num_ctx -5\nnum_ctx 99999999999999999999"}`,
	})
	f("llama.cpp, slots of a server that gives its props to nobody", "/v1", "m", 4096, 0, map[string]string{
		"/slots": `[{"id":0,"n_ctx":8192},{"id":1,"n_ctx":4096}]`,
	})
	f("llama.cpp, props without a number", "", "m", 2048, 0, map[string]string{
		"/props": `{"default_generation_settings":{"id":0},"total_slots":2}`, "/slots": `[{"id":0,"n_ctx":2048}]`,
		"/v1/models": `{"data":[{"id":"m","meta":{"n_ctx_train":131072}}]}`,
	})
	f("LM Studio, two instances", "/v1", "gemma-3", 8000, 0, map[string]string{
		"/api/v1/models": `{"models":[{"type":"llm","key":"google/gemma-3","max_context_length":131072,"loaded_instances":[
			{"id":"google/gemma-3","config":{"context_length":12000}},{"id":"google/gemma-3:2","config":{"context_length":8000}}]}]}`,
	})
	f("LM Studio, the older interface", "/v1", "gemma-3", 9000, 0, map[string]string{
		"/api/v0/models": `{"object":"list","data":[{"id":"google/gemma-3","state":"loaded","max_context_length":131072,"loaded_context_length":9000},{"id":"x","state":"not-loaded","max_context_length":4096}]}`,
	})
	f("OpenRouter", "/api/v1", "x/y", 100000, 8000, map[string]string{
		"/api/v1/models": `{"data":[{"id":"x/y","context_length":131072.0,"architecture":{"tokenizer":"Other"},"top_provider":{"context_length":100000,"max_completion_tokens":8000}},{"id":"a/b","context_length":4096,"top_provider":{"context_length":null,"max_completion_tokens":null}}]}`,
	})
	f("OpenRouter, no limit of the reply", "/api/v1", "a/b", 4096, 0, map[string]string{
		"/api/v1/models": `{"data":[{"id":"a/b","context_length":4096,"top_provider":{"context_length":null,"max_completion_tokens":null}}]}`,
	})
	f("Anthropic", "", "claude-next", 300000, 64000, map[string]string{
		"/v1/models": `{"data":[{"type":"model","id":"claude-next","max_input_tokens":300000,"max_tokens":64000}],"has_more":true,"last_id":"x"}`,
	})
	f("LiteLLM, behind the other path", "", "prod", 32000, 4096, map[string]string{
		"/model/info": `{"data":[{"model_name":"prod","model_info":{"max_input_tokens":"64000","max_output_tokens":4096}},{"model_name":"prod","model_info":{"max_input_tokens":32000}}]}`,
	})
	f("vLLM behind an alias, a string for a number", "/v1/", "m", 32768, 0, map[string]string{
		"/v1/models": `{"object":"list","data":[{"id":"other","max_model_len":null},{"id":"m","max_model_len":"32768"}]}`,
	})
}

// What cannot be a window is none: the next source speaks.
func TestHostileNumbers(t *testing.T) {
	for _, n := range []string{"-1", "0", "1", "127", "1e12", "100000001", "1e309", "NaN", `"-4096"`, `"many"`, "null", "[4096]", "{}", "true"} {
		s, url := serve(t, map[string]string{
			"/props": `{"default_generation_settings":{"n_ctx":` + n + `}}`, "/slots": `[{"n_ctx":` + n + `}]`,
			"/v1/models":     `{"data":[{"id":"gpt-4","max_model_len":` + n + `,"context_length":` + n + `,"max_input_tokens":` + n + `}]}`,
			"/api/v1/models": `{"models":[{"key":"gpt-4","max_context_length":` + n + `,"loaded_instances":[{"id":"gpt-4","config":{"context_length":` + n + `}}]}]}`,
			"/v1/model/info": `{"data":[{"model_name":"gpt-4","model_info":{"max_input_tokens":` + n + `}}]}`,
		})
		w := tokens.NewWindows(nil, nil)
		a := tokens.Ask{Upstream: "u", URL: url, Model: "gpt-4"}
		w.Lookup(a)
		for deadline := time.Now().Add(time.Minute); w.Kind("u") == "" && time.Now().Before(deadline); {
			if s.count("GET /model/info") > 0 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if got := w.Lookup(a); got.Size != 8192 || got.Source != "table" {
			t.Errorf("%s: got %+v, want the table's 8192", n, got)
		}
		w.Close()
	}
}

// Pages, refusals, redirects and silence are no answers; none of them lasts, and the next probe waits its turn.
func TestProbeOfWhatIsNoServer(t *testing.T) {
	f := func(name string, answer http.HandlerFunc) {
		t.Helper()
		server := httptest.NewServer(answer)
		defer server.Close()
		w := tokens.NewWindows(nil, &http.Client{
			Timeout:       200 * time.Millisecond,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		})
		defer w.Close()
		a := tokens.Ask{Upstream: "u", URL: server.URL, Model: "m", Wait: 30 * time.Second}
		if got := w.Lookup(a); got.Size != 0 || got.Source != "unknown" || w.Kind("u") != "" {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	f("a page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<!doctype html><h1>It works</h1>")
	})
	f("a refusal", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(401)
		io.WriteString(w, `{"models":[{"name":"m","context_length":4096}],"data":[{"id":"m","max_model_len":4096}]}`)
	})
	f("a redirect to itself", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) })
	f("silence", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(2 * time.Second):
		}
	})
	f("more than anybody reads", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"data":[{"id":"`+strings.Repeat("x", 9<<20)+`"}]}`)
	})
}

// The most that a model answers: the file's word, the upstream's, the table's.
func TestReplyLimits(t *testing.T) {
	_, url := serve(t, map[string]string{"/v1/models": `{"data":[{"id":"claude-next","max_input_tokens":300000,"max_tokens":64000},{"id":"gpt-4o","max_input_tokens":128000,"max_tokens":9000}]}`})
	w := newWindows(t, tokens.Model{Match: "claude-*", ReplyTokens: 1000})
	probed(t, w, tokens.Ask{Upstream: "u", URL: url, Model: "gpt-4o"}, "upstream")
	f := func(upstream, model string, want int) {
		t.Helper()
		if got := w.Lookup(tokens.Ask{Upstream: upstream, Model: model}).Reply; got != want {
			t.Errorf("%s at %s: got %d, want %d", model, upstream, got, want)
		}
	}
	f("u", "claude-next", 1000)
	f("u", "gpt-4o", 9000)
	f("v", "gpt-4o", 16384)
	f("v", "ghost", 0)
}
