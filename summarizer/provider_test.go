package summarizer_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"recap/internal/fakellm"
	"recap/summarizer"
)

// with gives the queue one provider.
func with(p *summarizer.Provider) func(*summarizer.Deps) {
	return func(d *summarizer.Deps) {
		d.Provider = func(name string) (summarizer.Provider, bool) { return *p, name == p.Name }
	}
}

// N7, N13: the utility model is asked with user, temperature and maxTokens, and nothing else.
func TestN13Utility(t *testing.T) {
	p := &summarizer.Provider{Name: "utility", Dialect: "utility"}
	r := newRig(t, says("A short tale."), with(p))
	p.URL = r.llm.URL()
	cp := r.run(r.job(talk(4), 6, func(j *summarizer.Job) {
		j.Options.Provider, j.Options.Style, j.Options.MaxSummaryTokens = "utility", "narrative", 500
	}))
	if cp.Text != "A short tale." {
		t.Errorf("text %q", cp.Text)
	}
	call := r.llm.Find(func(rec *fakellm.Recorded) bool { return rec.Path == "/utility/complete" })[0]
	var body map[string]any
	if err := json.Unmarshal(call.Body, &body); err != nil {
		t.Fatal(err)
	}
	if len(body) != 3 || body["temperature"] != 0.2 || body["maxTokens"] == nil || !strings.Contains(body["user"].(string), "three to five sentences") {
		t.Errorf("body %v", body)
	}
	if strings.Contains(body["user"].(string), "<|") {
		t.Error("template tags in the prompt")
	}
}

// L2, L3, L4, E15: a provider is known by its name and asked with its own key, model and parameters.
func TestL2ProviderByName(t *testing.T) {
	p := &summarizer.Provider{Name: "openAI", Dialect: "openai", APIKey: "sk-other"}
	r := newRig(t, says(goodSummary), with(p))
	p.URL = r.llm.URL() + "/v1"
	r.run(r.job(talk(4), 6, func(j *summarizer.Job) {
		j.Options.Provider, j.Options.Model = "openAI", "mini"
		j.Options.Parameters = map[string]any{"temperature": 0.7}
		j.Target.Header = http.Header{"Authorization": {"Bearer chat-key"}}
	}))
	call := r.llm.Summaries()[0]
	if call.Path != "/v1/chat/completions" || call.Header.Get("Authorization") != "Bearer sk-other" || call.Model != "mini" {
		t.Errorf("path %s, header %v, model %s", call.Path, call.Header, call.Model)
	}
	if !strings.Contains(string(call.Body), `"temperature":0.7`) {
		t.Errorf("body %s", call.Body)
	}
	if got := r.refused(r.job(talk(5), 8, func(j *summarizer.Job) { j.Options.Provider = "http://evil.example" })); got != "provider" {
		t.Errorf("an unknown provider: %q", got)
	}
}

// The member that limits the answer is learned from a 400, once per server and model.
func TestTokensFieldIsLearned(t *testing.T) {
	o := says(goodSummary)
	o.TokensField = "max_completion_tokens"
	r := newRig(t, o)
	r.run(r.job(talk(4), 4))
	if n := len(r.llm.Requests()); n != 2 {
		t.Errorf("%d requests for the first job, want 2", n)
	}
	r.run(r.job(talk(4), 6))
	if n := len(r.llm.Requests()); n != 3 {
		t.Errorf("%d requests after the second job, want 3", n)
	}
}

// Base URLs with and without a path name the same endpoint; a full URL stays as it is, query included.
func TestProviderURLs(t *testing.T) {
	f := func(dialect, path, want string) {
		t.Helper()
		p := &summarizer.Provider{Name: "p", Dialect: dialect}
		got := ""
		o := says(goodSummary)
		o.Handle = map[string]http.HandlerFunc{}
		r := newRig(t, o, with(p))
		p.URL = r.llm.URL() + path
		r.submit(r.job(talk(4), 6, func(j *summarizer.Job) { j.Options.Provider = "p" }))
		if all := r.llm.Requests(); len(all) > 0 {
			got = all[0].Target
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	f("openai", "", "/v1/chat/completions")
	f("openai", "/", "/v1/chat/completions")
	f("openai", "/v1", "/v1/chat/completions")
	f("openai", "/v1/", "/v1/chat/completions")
	f("openai", "/api/v1", "/api/v1/chat/completions")
	f("openai", "/v1/chat/completions", "/v1/chat/completions")
	f("openai", "/openai/deployments/d/chat/completions?api-version=1", "/openai/deployments/d/chat/completions?api-version=1")
	f("ollama", "", "/api/chat")
	f("ollama", "/api", "/api/chat")
	f("utility", "/inference", "/inference/utility/complete")
}

// No redirect is followed: it could carry the chat's credentials to another host.
func TestNoRedirects(t *testing.T) {
	o := fakellm.Options{Handle: map[string]http.HandlerFunc{
		"/v1/chat/completions": func(w http.ResponseWriter, req *http.Request) {
			http.Redirect(w, req, "/elsewhere", http.StatusTemporaryRedirect)
		},
	}}
	r := newRig(t, o)
	if got := r.refused(r.job(talk(4), 6)); got != "http-307" {
		t.Errorf("reason %q", got)
	}
	if n := len(r.llm.Requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// N12: rows are mirrored to the memory service: posted when new, patched when updated, for integer sessions only.
func TestN12Mirror(t *testing.T) {
	llm := fakellm.New(fakellm.Options{})
	defer llm.Close()
	r := newRig(t, says(goodSummary), func(d *summarizer.Deps) { d.Mirror = llm.URL() + "/" })
	b := talk(10)
	f := func(n int, session string, rowTokens int) {
		t.Helper()
		r.run(r.job(b, n, func(j *summarizer.Job) { j.Session, j.Options.RowTokens = session, rowTokens }))
	}
	f(4, "42", 0)
	f(8, "42", 0)
	f(12, "42", 10)
	f(16, "42", 10)
	f(18, "my chat", 0)
	// The next job of the line starts only when the mirror has been told of the one before.
	f(20, "my chat", 0)
	var got []string
	for _, rec := range llm.Requests() {
		got = append(got, rec.Method+" "+rec.Path+" "+string(rec.Body))
	}
	row := func(session, episodes string) string {
		return session + `"content":` + quote(goodSummary) + `,"tokenCount":12,"episodeRange":"` + episodes + `"}`
	}
	want := []string{
		"POST /summaries " + row(`{"sessionId":42,`, "1-2"),
		"PATCH /summaries/1 " + row(`{`, "3-4"),
		"POST /summaries " + row(`{"sessionId":42,`, "5-6"),
		"POST /summaries " + row(`{"sessionId":42,`, "7-8"),
	}
	norm := func(s string) string {
		at, end := strings.Index(s, `"tokenCount":`), strings.Index(s, `,"episodeRange"`)
		return s[:at] + s[end:]
	}
	if len(got) != len(want) {
		t.Fatalf("got %d calls:\n%s", len(got), strings.Join(got, "\n"))
	}
	for i := range want {
		if norm(got[i]) != norm(want[i]) {
			t.Errorf("call %d: got %s\nwant %s", i, got[i], want[i])
		}
	}
	if n := r.queue.Stats().MirrorFailed; n != 0 {
		t.Errorf("%d failures", n)
	}
}

// N12: a memory service that is down is counted and disturbs nothing.
func TestN12MirrorFailureIsCounted(t *testing.T) {
	r := newRig(t, says(goodSummary), func(d *summarizer.Deps) { d.Mirror = "http://127.0.0.1:1" })
	seven := func(j *summarizer.Job) { j.Session = "7" }
	r.run(r.job(talk(4), 4, seven))
	r.run(r.job(talk(4), 6, seven)) // begins when the first is done with the mirror
	if n := r.queue.Stats().MirrorFailed; n < 1 {
		t.Errorf("%d failures counted", n)
	}
}
