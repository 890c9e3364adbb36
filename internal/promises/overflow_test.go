package promises_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"recap/config"
	"recap/internal/fakellm"
)

// fitting answers one path: with long while a body has more bytes than fit, else properly. It counts the requests.
type fitting struct {
	mu    sync.Mutex
	fit   int
	sizes []int
	long  func(w http.ResponseWriter)
	seen  func(func(*fakellm.Recorded) bool) []fakellm.Recorded
}

func (f *fitting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	size := int(r.ContentLength) // the body has been read and recorded
	same := f.seen(func(q *fakellm.Recorded) bool { return len(q.Body) == size })
	if len(same) > 0 && same[len(same)-1].Summary {
		_, _ = io.WriteString(w, `{"choices":[{"index":0,"message":{"role":"assistant","content":"A summary."},"finish_reason":"stop"}]}`)
		return
	}
	f.mu.Lock()
	f.sizes = append(f.sizes, size)
	f.mu.Unlock()
	if size > f.fit {
		f.long(w)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, fine)
}

func (f *fitting) asked() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.sizes)
}

const fine = `{"choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`

func refusal(status int, body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func events(pause time.Duration, pieces ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(200)
		for i, piece := range pieces { // the first goes out with the headers: a test must not depend on the wait for it
			if i > 0 {
				w.(http.Flusher).Flush()
				time.Sleep(pause)
			}
			_, _ = io.WriteString(w, piece)
		}
	}
}

// newFitting is a Recap with a window set too large by hand, in front of an upstream that refuses in its own way.
func newFitting(t *testing.T, long func(http.ResponseWriter), fit int) (*rig, *fitting) {
	t.Helper()
	up := &fitting{fit: fit, long: long}
	hide := []string{"/props", "/slots", "/api/ps"}
	r := newRig(t, 100_000, fakellm.Options{Hide: hide, Handle: map[string]http.HandlerFunc{paths["openai"]: up.ServeHTTP}}, nil)
	up.seen = r.up.Find
	return r, up
}

// wire.md A6: whoever the upstream is and however it says it, also in a 200 or a stream, a chat that is too long is planned
// again for what was said, sent again once, and answered; the next one knows.
func TestOverflowOfEveryServer(t *testing.T) {
	t.Parallel()
	f := func(server string, learned int, long func(http.ResponseWriter)) {
		t.Run(server, func(t *testing.T) {
			r, up := newFitting(t, long, 16_000)
			body := plain("", 50, 500, lastUser)
			a := r.chat("openai", body)
			if a.code != 200 || string(a.body) != fine || up.asked() != 2 || !has(a.status(), "provisional") || !strings.Contains(a.status(), ";retried") {
				t.Fatalf("%d %.200s, status %q, after %d requests", a.code, a.body, a.status(), up.asked())
			}
			r.settle()
			a = r.chat("openai", body)
			if a.code != 200 || up.asked() != 3 || strings.Contains(a.status(), "retried") {
				t.Errorf("the second time: %d, status %q, %d requests", a.code, a.status(), up.asked())
			}
			said := a.header.Get("X-Recap-Tokens")
			if !strings.Contains(said, "source=learned") || learned > 0 && !strings.Contains(said, fmt.Sprint("window=", learned, ",")) {
				t.Errorf("X-Recap-Tokens is %q, want %d", said, learned)
			}
			if log := r.log.String(); strings.Count(log, "refused a chat as too long") != 1 || strings.Contains(log, "why so") {
				t.Errorf("the log has no single warning: %s", log)
			}
		})
	}
	f("OpenAI", 4096, refusal(400, `{"error":{"message":"This model's maximum context length is 4096 tokens. However, your messages resulted in 7000 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`))
	f("Azure, TPM", 4096, refusal(429, `{"error":{"message":"Request too large for gpt-4o on tokens per min (TPM): Limit 4096, Requested 7000.","type":"tokens","code":"rate_limit_exceeded"}}`))
	f("vLLM", 4096, refusal(400, `{"error":{"message":"This model's maximum context length is 4096 tokens. However, you requested 512 output tokens and your prompt contains at least 3585 input tokens, for a total of at least 4097 tokens. (parameter=input_tokens, value=3585)","type":"BadRequestError","param":"input_tokens","code":400}}`))
	f("LM Studio", 4096, refusal(400, `{"error":"Trying to keep the first 7000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough."}`))
	f("LM Studio, 200", 0, events(time.Millisecond, "event: error\ndata: {\"error\":{\"message\":\"Context size has been exceeded\"}}\n\n"))
	f("OpenRouter", 4096, refusal(400, `{"error":{"code":400,"message":"This endpoint's maximum context length is 4096 tokens. However, you requested about 7000 tokens (6000 of text input, 1000 in the output). Please reduce the length of either one.","metadata":{"provider_name":null}}}`))
	f("Bedrock, no number", 0, refusal(400, `{"message":"Input is too long for requested model."}`))
	f("Bedrock, 200", 0, refusal(200, `{"error":{"message":"Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again."}}`))
	f("Anthropic", 4096, refusal(400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 7000 tokens > 4096 maximum"}}`))
	f("xAI", 4096, refusal(400, `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 4096 but the request contains 7000 tokens."}`))
	f("Mistral", 4096, refusal(400, `{"object":"error","message":"Prompt contains 7000 tokens and 0 draft tokens, too large for model with 4096 maximum context length","type":"invalid_request_invalid_args","code":"3051"}`))
	f("Gemini", 4096, refusal(400, `[{"error":{"code":400,"message":"The input token count exceeds the maximum number of tokens allowed (4096).","status":"INVALID_ARGUMENT"}}]`))
	f("llama.cpp, stream", 4096, events(time.Millisecond, "data: {\"error\":{\"code\":400,\"message\":\"request (7000 tokens) exceeds the available context size (4096 tokens), try increasing it\",\"type\":\"exceed_context_size_error\"}}\n\n"))
	f("Groq", 4096, refusal(413, `{"error":{"message":"Request too large for model x on tokens per minute (TPM): Limit 4096, Requested 7000, please reduce your message size and try again.","type":"tokens","code":"rate_limit_exceeded"}}`))
}

// What is no overflow is never sent twice, teaches nothing, and comes back byte for byte.
func TestNearMissesAreNotRetried(t *testing.T) {
	f := func(name string, status int, body string) {
		t.Helper()
		r, up := newFitting(t, refusal(status, body), 16_000)
		for n := 1; n <= 2; n++ {
			a := r.chat("openai", plain("", 50, 500, lastUser))
			if a.code != status || string(a.body) != body || up.asked() != n || !strings.Contains(a.header.Get("X-Recap-Tokens"), "source=config") {
				t.Errorf("%s: %d %.100s, %q, %d requests", name, a.code, a.body, a.header.Get("X-Recap-Tokens"), up.asked())
			}
		}
	}
	f("throttled", 429, `{"error":{"message":"Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s.","type":"tokens","code":"rate_limit_exceeded"}}`)
	f("quota", 429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`)
	f("the reply's limit", 400, `{"error":{"message":"max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.","type":"invalid_request_error","param":"max_tokens","code":"invalid_value"}}`)
	f("content filter", 400, `{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`)
	f("bad key", 401, `{"error":{"message":"This model's maximum context length is 4096 tokens"}}`)
	f("another error in a 200", 200, `{"error":{"message":"the runner has stopped"}}`)
	f("loading", 503, `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`)
}

// An answer whose text talks of limits is an answer.
func TestTalkOfLimitsIsNoOverflow(t *testing.T) {
	talk := `{"choices":[{"index":0,"message":{"role":"assistant","content":"{\"error\":{\"message\":\"This model's maximum context length is 4096 tokens\"}}"},"finish_reason":"stop"}]}`
	r, up := newFitting(t, refusal(200, talk), 10)
	a := r.chat("openai", plain("", 50, 500, lastUser))
	if string(a.body) != talk || up.asked() != 1 || has(a.status(), "over-window") {
		t.Errorf("%d %.100s, status %q, %d requests", a.code, a.body, a.status(), up.asked())
	}
}

// An overflow that shows up behind the first words only teaches: the client gets what was sent, and the next turn fits.
func TestLateOverflowTeaches(t *testing.T) {
	text := []string{
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"so\"}}]}\n\n",
		"data: {\"error\":{\"code\":400,\"message\":\"request (7000 tokens) exceeds the available context size (4096 tokens), try increasing it\"}}\n\n",
	}
	heard := make(chan struct{})
	r, up := newFitting(t, func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, text[0])
		w.(http.Flusher).Flush()
		<-heard // before that the whole could still be asked for again
		_, _ = io.WriteString(w, text[1])
	}, 16_000)
	body := plain("", 50, 500, lastUser)
	resp, err := client.Post(r.url+paths["openai"], "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	first := make([]byte, len(text[0]))
	_, err = io.ReadFull(resp.Body, first)
	close(heard)
	rest, _ := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 || string(first)+string(rest) != strings.Join(text, "") || up.asked() != 1 {
		t.Fatalf("%d %q, %v after %d requests", resp.StatusCode, string(first)+string(rest), err, up.asked())
	}
	r.settle()
	a := r.chat("openai", body)
	if a.code != 200 || string(a.body) != fine || !strings.Contains(a.header.Get("X-Recap-Tokens"), "window=4096, source=learned") {
		t.Errorf("the next turn: %d %.100s, %q", a.code, a.body, a.header.Get("X-Recap-Tokens"))
	}
	for _, want := range []string{`recap_overflows_total{upstream="local",outcome="late"} 1`, `recap_window_source_total{upstream="local",source="learned"} 1`} {
		if !strings.Contains(r.figures(), want) {
			t.Errorf("no %s in the metrics", want)
		}
	}
}

// Still too long after the second try: that error goes to the client unchanged, and there is no third.
func TestOverflowIsTriedTwiceAtMost(t *testing.T) {
	body := `{"error":{"code":400,"message":"request (7000 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":7000,"n_ctx":4096}}`
	r, up := newFitting(t, refusal(400, body), 10)
	a := r.chat("openai", plain("", 50, 500, lastUser))
	if a.code != 400 || string(a.body) != body || up.asked() != 2 {
		t.Errorf("%d %.200s after %d requests", a.code, a.body, up.asked())
	}
	if !strings.Contains(r.figures(), `recap_overflows_total{upstream="local",outcome="refused"} 1`) {
		t.Error("the metrics do not have it")
	}
}

// A compressed chat that went out as it came, since it seemed to fit, is sent again shorter and plain.
func TestOverflowOfACompressedChat(t *testing.T) {
	r := newRig(t, 100_000, fakellm.Options{Window: 4096, Overflow: "openai"}, nil)
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = w.Write(plain("", 50, 500, lastUser))
	_ = w.Close()
	a := r.do("POST", paths["openai"], zipped.String(), "Content-Encoding", "gzip")
	all := r.up.Chats()
	if a.code != 200 || len(all) != 2 || all[0].Header.Get("Content-Encoding") != "gzip" || all[1].Header.Get("Content-Encoding") != "" {
		t.Fatalf("%d %.200s, status %q, %d requests", a.code, a.body, a.status(), len(all))
	}
	if err := fakellm.CheckKept("openai", plain("", 50, 500, lastUser), all[1].Body); err != nil {
		t.Error(err)
	}
}

// A server that quotes the request cannot be made to teach others a window that its client has made up.
func TestQuotedLimitIsNotLearned(t *testing.T) {
	r, _ := newFitting(t, refusal(400, `{"error":{"message":"Invalid value: 'maximum context length is 300 tokens'","type":"invalid_request_error"}}`), 16_000)
	r.chat("openai", plain("", 50, 500, `{"role":"user","content":"maximum context length is 300 tokens"}`))
	a := r.chat("openai", []byte(`{"model":"fake-model","messages":[{"role":"user","content":"hi"}]}`))
	if got := a.header.Get("X-Recap-Tokens"); !strings.Contains(got, "window=100000, source=config") {
		t.Errorf("X-Recap-Tokens is %q", got)
	}
}

// A window that was set too large by hand, or is not known at all, is corrected by one overflow, and stays so over a restart.
func TestLearnedWindowSurvivesARestart(t *testing.T) {
	for _, window := range []int{100_000, 0} {
		file := t.TempDir() + "/recap.db"
		keep := func(c *config.Config) { c.Store.Kind, c.Store.Path = "sqlite", file }
		r := newRig(t, window, fakellm.Options{Window: 4096, Overflow: "openai", Hide: []string{"/props", "/slots", "/api/ps", "/models"}}, keep)
		body := plain("", 50, 500, lastUser)
		if a := r.chat("openai", body); a.code != 200 || !has(a.status(), "provisional") {
			t.Fatalf("window %d: %d %.200s, status %q", window, a.code, a.body, a.status())
		}
		r.settle()
		r.close()
		r.start(window, keep)
		before := len(r.up.Chats())
		a := r.chat("openai", body)
		if got := a.header.Get("X-Recap-Tokens"); a.code != 200 || len(r.up.Chats()) != before+1 || !strings.Contains(got, "window=4096, source=learned") {
			t.Errorf("window %d, after a restart: %d, %q, %d requests", window, a.code, got, len(r.up.Chats())-before)
		}
	}
}

// wire.md A6, LM Studio's GGUF path: 200, usage, and nothing said to a prompt over the window. It teaches where the prompt,
// as the upstream counted it, is over the window that it tells of itself; a model that has nothing to say teaches nothing.
func TestUnansweredPromptTeaches(t *testing.T) {
	t.Parallel()
	f := func(prompt, completion int, learned bool) {
		t.Helper()
		empty := events(0, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\n"+
			fmt.Sprintf(`data: {"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`, prompt, completion)+"\n\ndata: [DONE]\n\n")
		up := &fitting{fit: 16_000, long: empty}
		tells := func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"data":[{"id":"fake-model","state":"loaded","max_context_length":131072,"loaded_context_length":4096}]}`)
		}
		hide := []string{"/props", "/slots", "/api/ps", "/api/show", "/api/tags", "/api/v1/models"}
		r := newRig(t, 100_000, fakellm.Options{Hide: hide, Handle: map[string]http.HandlerFunc{
			paths["openai"]: up.ServeHTTP, "/api/v0/models": tells,
		}}, nil)
		up.seen = r.up.Find
		r.until("the window is told", func() bool {
			r.chat("openai", []byte(`{"model":"fake-model","messages":[{"role":"user","content":"hi"}]}`))
			return strings.Contains(r.log.String(), "is larger than the window that the upstream tells")
		})
		body := plain("", 50, 500, lastUser)
		if a := r.chat("openai", body); a.code != 200 || strings.Contains(string(a.body), "content") {
			t.Fatalf("%d %q", a.code, a.body)
		}
		r.settle()
		a := r.chat("openai", body)
		if got := a.header.Get("X-Recap-Tokens"); strings.Contains(got, "window=4096, source=learned") != learned || learned && string(a.body) != fine {
			t.Errorf("%d tokens, %d of an answer: the next turn has %q, %.100s", prompt, completion, got, a.body)
		}
		if strings.Contains(r.figures(), `recap_overflows_total{upstream="local",outcome="late"}`) != learned {
			t.Errorf("%d tokens, %d of an answer: counted as late: %v", prompt, completion, !learned)
		}
	}
	f(7000, 0, true)
	f(7000, 3, false)
	f(3000, 0, false)
}

// figures are the metrics as text.
func (r *rig) figures() string {
	r.t.Helper()
	a, err := do("GET", "http://"+r.app.AdminAddr()+"/metrics", "")
	if err != nil {
		r.t.Fatal(err)
	}
	return string(a.body)
}
