package dialect_test

import (
	"encoding/json"
	"strings"
	"testing"

	"recap/dialect"
)

// B6: one member in front, every other byte as it was; the client's own word stands, in whatever case Ollama would read it.
func TestB6NoTruncate(t *testing.T) {
	g := dialect.ByName("ollama").(dialect.Guard)
	f := func(body, want string) {
		t.Helper()
		in := []byte(body)
		got, ok := g.NoTruncate(in)
		if ok != (want != "") || string(got) != want || string(in) != body {
			t.Errorf("%s: got %q, %v, want %q", body, got, ok, want)
		}
	}
	f(`{"model":"m","messages":[]}`, `{"truncate":false,"model":"m","messages":[]}`)
	f(" {\n \"model\" : 1.10 , \"truncat\":1}\n", " {\"truncate\":false,\n \"model\" : 1.10 , \"truncat\":1}\n")
	f(`{"options":{"truncate":true},"messages":[{"truncate":1}]}`, `{"truncate":false,"options":{"truncate":true},"messages":[{"truncate":1}]}`)
	f(`{"model":"m","truncate":true}`, "")
	f(`{"truncate":null}`, "")
	f(`{"Truncate":false}`, "")
	f(`{"trunc\u0061te":true,"model":"m"}`, "")
	f(`{}`, "")
	f(`{ }`, "")
	f(`[]`, "")
	f(``, "")
	if _, ok := dialect.ByName("openai").(dialect.Guard); ok {
		t.Error("OpenAI's format has no such member")
	}
}

// What a server quotes of the request teaches nothing, however it was written there.
func TestQuotedLimits(t *testing.T) {
	f := func(body, answer string, want bool) {
		t.Helper()
		long, ok := dialect.Overflow(400, []byte(answer))
		if got := long.Quoted(body); !ok || got != want {
			t.Errorf("%.80s: quoted %v, want %v (an overflow: %v)", body, got, want, ok)
		}
	}
	forged := `{"error":{"message":"Invalid value: 'This model's maximum context length is 300 tokens'. Supported values are: 'system'"}}`
	f(`{"messages":[{"role":"This model's maximum context length is 300 tokens"}]}`, forged, true)
	f(`{"messages":[{"role":"this model\u0027s MAXIMUM \u0063ontext length\nis 3\u00300 tokens"}]}`, forged, true)
	f(`{"messages":[{"role":"user","content":"hi"}]}`, forged, false)
	real := `{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens."}}`
	f(`{"messages":[{"role":"user","content":"what is the maximum context length?"}]}`, real, false)
	f(`{"messages":[{"role":"user","content":"it says: maximum context length is 8192 tokens"}]}`, real, true)
}

// An error in the middle of an answer is read for what it says of the size (it only teaches then).
func TestTapReadsOverflow(t *testing.T) {
	f := func(name, kind, answer string, want dialect.TooLong, over bool) {
		t.Helper()
		for _, piece := range []int{1, 7, 1 << 20} {
			got := report(name, kind, answer, piece)
			if !got.Failed || got.Overflow != over || got.TooLong.Limit != want.Limit || got.TooLong.Used != want.Used {
				t.Errorf("%s: got %+v", answer, got)
			}
		}
	}
	chunk := `data: {"choices":[{"delta":{"content":"x"}}]}` + "\n\n"
	llama := `{"error":{"code":400,"message":"request (2050 tokens) exceeds the available context size (2048 tokens), try increasing it","type":"exceed_context_size_error"}}`
	f("openai", sse, chunk+"data: "+llama+"\n\n", dialect.TooLong{Limit: 2048, Used: 2050}, true)
	f("openai", sse, chunk+"event: error\ndata: {\"type\":\"error\",\"code\":\"context_length_exceeded\",\"message\":\"x\"}\n\n", dialect.TooLong{}, true)
	f("openai", plain, `{"error":{"message":"Input Tokens Exceeded: Number of input tokens exceeds maximum length."}}`, dialect.TooLong{}, true)
	f("openai", sse, chunk+"data: {\"error\":{\"message\":\"Context size has been exceeded\"}}\n\n", dialect.TooLong{}, true)
	f("openai", sse, chunk+"data: {\"error\":{\"message\":\"out of memory\"}}\n\n", dialect.TooLong{}, false)
	f("ollama", lines, "{\"message\":{\"content\":\"x\"},\"done\":false}\n{\"error\":\"the prompt is longer than the context length currently available to the model\"}\n", dialect.TooLong{}, true)
}

// Ollama tells how long it took to load the model.
func TestTapTellsOfALoad(t *testing.T) {
	f := func(duration string, want bool) {
		t.Helper()
		line := `{"model":"m","message":{"content":""},"done":true,"done_reason":"stop","load_duration":` + duration + `,"prompt_eval_count":7}` + "\n"
		if got := report("ollama", lines, strings.Repeat(`{"done":false}`+"\n", 2)+line, 5).Loaded; got != want {
			t.Errorf("load_duration %s: got %v", duration, got)
		}
	}
	f("41000000", false)
	f("9000000000", true)
	f(`"x"`, false)
}

// FuzzNoTruncate: what is added is one member in front, and the rest is the body; what was JSON still is.
func FuzzNoTruncate(f *testing.F) {
	f.Add(`{"model":"m","messages":[]}`)
	f.Add(` { "a" : {} }`)
	f.Add(`{"truncate":1}`)
	g := dialect.ByName("ollama").(dialect.Guard)
	f.Fuzz(func(t *testing.T, body string) {
		got, ok := g.NoTruncate([]byte(body))
		if !ok {
			return
		}
		if rest := strings.Replace(string(got), `"truncate":false,`, "", 1); rest != body {
			t.Fatalf("%q became %q", body, got)
		}
		if json.Valid([]byte(body)) && !json.Valid(got) {
			t.Fatalf("%q became %q, which is no JSON", body, got)
		}
	})
}
