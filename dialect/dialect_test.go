package dialect_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"recap/chat"
	"recap/dialect"
)

// sample is a small chat of one format that the conformance suite runs on. Every dialect in All needs one.
type sample struct {
	path     string
	body     string // system, user, calling assistant, result, assistant, user
	empty    string // asks for no chat: no messages
	stream   string // a whole streamed answer that reports 7 and 5 tokens
	mediaTyp string
	answer   string // a plain answer that says "SUM" and reports 7 and 5 tokens
}

var samples = map[string]sample{
	"openai": {
		path: "/v1/chat/completions",
		body: `{"model":"m", "messages" : [ {"role":"system","content":"S"} , {"role":"user","content":"U1"},` +
			`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},` +
			`{"role":"tool","tool_call_id":"c1","content":"R1"},{"role":"assistant","content":"A1"},{"role":"user","content":"U2"} ] , "x":1.10 }`,
		empty:    `{"model":"m","messages":[]}`,
		mediaTyp: "text/event-stream",
		stream: "data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"S\"},\"finish_reason\":null}],\"usage\":null}\n\n" +
			"data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":null}\n\n" +
			"data: {\"model\":\"m\",\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":5}}\n\ndata: [DONE]\n\n",
		answer: `{"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"SUM"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":5}}`,
	},
	"ollama": {
		path: "/api/chat",
		body: `{"model":"m", "messages" : [ {"role":"system","content":"S"} , {"role":"user","content":"U1"},` +
			`{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]},` +
			`{"role":"tool","tool_name":"f","content":"R1"},{"role":"assistant","content":"A1"},{"role":"user","content":"U2"} ] , "x":1.10 }`,
		empty:    `{"model":"m","messages":[],"keep_alive":0}`,
		mediaTyp: "application/x-ndjson",
		stream: `{"model":"m","message":{"role":"assistant","content":"S"},"done":false}` + "\n" +
			`{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":7,"eval_count":5}` + "\n",
		answer: `{"model":"m","message":{"role":"assistant","content":"SUM"},"done":true,"done_reason":"stop","prompt_eval_count":7,"eval_count":5}`,
	},
}

// onAll runs a part of the conformance suite on every dialect.
func onAll(t *testing.T, part func(t *testing.T, d dialect.Dialect, s sample)) {
	t.Helper()
	for _, d := range dialect.All() {
		s, ok := samples[d.Name()]
		if !ok {
			t.Fatalf("no sample for dialect %q", d.Name())
		}
		t.Run(d.Name(), func(t *testing.T) { part(t, d, s) })
	}
}

func decode(t testing.TB, d dialect.Dialect, body string) *chat.Chat {
	t.Helper()
	c, err := d.Decode(body, nil)
	if err != nil {
		t.Fatalf("decode %.200s: %v", body, err)
	}
	return c
}

func TestNamesAndPaths(t *testing.T) {
	onAll(t, func(t *testing.T, d dialect.Dialect, s sample) {
		if dialect.ByName(d.Name()) != d || dialect.For("POST", s.path) != d || dialect.AskerByName(d.Name()) != d {
			t.Errorf("the table does not lead to %q", d.Name())
		}
	})
	f := func(method, path, want string) {
		t.Helper()
		got := ""
		if d := dialect.For(method, path); d != nil {
			got = d.Name()
		}
		if got != want {
			t.Errorf("%s %s: got %q, want %q", method, path, got, want)
		}
	}
	f("POST", "/chat/completions", "openai")
	f("POST", "/any/prefix/v1/chat/completions", "openai")
	f("POST", "/openai/deployments/gpt/chat/completions", "openai")
	f("POST", "/ollama/api/chat", "ollama")
	f("POST", "/api/chat/completions", "openai") // Open WebUI's own API
	f("GET", "/v1/chat/completions", "")
	f("POST", "/v1/chat/completions/chatcmpl-1", "")
	f("GET", "/v1/chat/completions/chatcmpl-1/messages", "")
	f("POST", "/v1/completions", "")
	f("POST", "/v1/responses", "")
	f("POST", "/api/generate", "")
	f("GET", "/api/chat", "")
	if dialect.ByName("x") != nil || dialect.AskerByName("x") != nil || dialect.AskerByName("utility") == nil {
		t.Error("names: unknown ones must be nil, utility must be there")
	}
}

func TestDecodeSees(t *testing.T) {
	onAll(t, func(t *testing.T, d dialect.Dialect, s sample) {
		c := decode(t, d, s.body)
		roles := ""
		for i := range c.Messages {
			m := &c.Messages[i]
			roles += m.Role.String()[:1]
			if got := c.Body[m.Start : m.Start+len(m.Raw)]; got != m.Raw {
				t.Errorf("message %d is %q at its place, %q raw", i, got, m.Raw)
			}
		}
		if roles != "suatau" || c.Model != "m" {
			t.Errorf("roles %s, model %q", roles, c.Model)
		}
		if list := c.List.Of(c.Body); list[0] != '[' || list[len(list)-1] != ']' {
			t.Errorf("list is %q", list)
		}
		if call := c.Messages[2].Calls; len(call) != 1 || call[0].Name != "f" {
			t.Errorf("calls: %+v", call)
		}
		if got := c.Messages[3].ResultText(0); got != "R1" || c.Messages[3].Results[0].Chars != 2 || len(c.Messages[3].Parts) != 0 {
			t.Errorf("result %q, %+v", got, c.Messages[3].Results[0])
		}
		o := chat.NewOutline(c)
		if !o.Whole(2) || o.Whole(1) || len(o.Turns) != 2 {
			t.Errorf("the result is not paired with its call: %+v", o)
		}
	})
}

func TestSameChatSameKeysInEveryFormat(t *testing.T) {
	var want []chat.Key
	onAll(t, func(t *testing.T, d dialect.Dialect, s sample) {
		keys := chat.Keys(chat.NewOutline(decode(t, d, s.body)), chat.Seed("t", "u", "r"))
		if want == nil {
			want = keys
		}
		if fmt.Sprint(keys) != fmt.Sprint(want) {
			t.Errorf("keys differ from those of the first format")
		}
	})
}

func TestDecodeRefusesNoMessages(t *testing.T) {
	onAll(t, func(t *testing.T, d dialect.Dialect, s sample) {
		for _, body := range []string{s.empty, `{"model":"m"}`, `{"model":"m","messages":null}`, `{}`} {
			wantOdd(t, d, body, "no-messages")
		}
	})
}

func wantOdd(t *testing.T, d dialect.Dialect, body, want string) {
	t.Helper()
	// Twice with a memory: what is odd stays odd.
	wantOddWith(t, d, chat.NewMemo[dialect.Print, *chat.Facts](100), body, want)
}

func wantOddWith(t *testing.T, d dialect.Dialect, facts *dialect.Facts, body, want string) {
	t.Helper()
	for range 2 {
		_, err := d.Decode(body, facts)
		var odd *dialect.Odd
		if !errors.As(err, &odd) || odd.Reason != want {
			t.Errorf("%s: decode %.120q: got %v, want %s", d.Name(), body, err, want)
		}
	}
}

func TestDecodeRemembers(t *testing.T) {
	onAll(t, func(t *testing.T, d dialect.Dialect, s sample) {
		facts := chat.NewMemo[dialect.Print, *chat.Facts](100)
		first, err1 := d.Decode(s.body, facts)
		second, err2 := d.Decode(strings.Clone(s.body), facts)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		for i := range first.Messages {
			if first.Messages[i].Facts != second.Messages[i].Facts {
				t.Errorf("message %d was read twice", i)
			}
		}
	})
}

// How long a message is, is guessed by how it begins: wrong guesses, past the end of the body too, change nothing.
func TestDecodeGuessesWrong(t *testing.T) {
	onAll(t, func(t *testing.T, d dialect.Dialect, s sample) {
		facts := chat.NewMemo[dialect.Print, *chat.Facts](100)
		head := strings.Repeat("x", 100)
		for _, text := range []string{head + strings.Repeat("y", 1000), head, head + `"},{"role":"user","content":"`, head + "z", head + strings.Repeat("y", 1000)} {
			body := `{"messages":[{"role":"user","content":"` + text + `"}]}`
			want := decode(t, d, body)
			for range 2 {
				got, err := d.Decode(body, facts)
				if err != nil || len(got.Messages) != len(want.Messages) || got.Messages[0].Raw != want.Messages[0].Raw || got.Messages[0].Digest != want.Messages[0].Digest {
					t.Errorf("%.200s: got %+v, %v", body, got, err)
				}
			}
		}
		// The guess fits a known message, and the body goes on wrongly behind it.
		wantOddWith(t, d, facts, `{"messages":[{"role":"user","content":"`+head+`"}}`, "invalid-json")
		wantOddWith(t, d, facts, `{"messages":[{"role":"user","content":"`+head+`"}`, "invalid-json")
	})
}

// One memory serves all formats, and what is known of a message in one says nothing in another: content as an
// array is fine for OpenAI and no chat for Ollama.
func TestDecodeRemembersPerFormat(t *testing.T) {
	facts := chat.NewMemo[dialect.Print, *chat.Facts](100)
	body := `{"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}`
	if _, err := dialect.ByName("openai").Decode(body, facts); err != nil {
		t.Fatal(err)
	}
	if _, err := dialect.ByName("ollama").Decode(body, facts); err == nil {
		t.Error("Ollama took an array as content, because OpenAI had")
	}
}

// A known top-level value must not be taken for a known message.
func TestDecodeDoesNotMixUpMemories(t *testing.T) {
	long := `{"role":"user","content":"` + strings.Repeat("x", 1000) + `"}`
	facts := chat.NewMemo[dialect.Print, *chat.Facts](100)
	onAll(t, func(t *testing.T, d dialect.Dialect, s sample) {
		c, err := d.Decode(`{"x":`+long+`,"messages":[`+long+`]}`, facts)
		if err != nil || c.Messages[0].Role != chat.User {
			t.Errorf("got %+v, %v", c, err)
		}
		wantOdd(t, d, `{"messages":[`+long+`],"x":`+long[:len(long)-1]+`,}}`, "invalid-json")
	})
}

func TestErrorBodies(t *testing.T) {
	onAll(t, func(t *testing.T, d dialect.Dialect, s sample) {
		body := d.Error(400, "context_length_exceeded", "too \"long\"\n\x01\xff")
		if !json.Valid(body) {
			t.Fatalf("not JSON: %s", body)
		}
		if tap := d.Tap("application/json"); true {
			tap.Write(body)
			if !tap.Report().Failed {
				t.Errorf("its own tap does not see an error in %s", body)
			}
		}
	})
	f := func(name string, status int, code, want string) {
		t.Helper()
		if got := string(dialect.ByName(name).Error(status, code, "msg")); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	f("openai", 400, "", `{"error":{"message":"msg","type":"invalid_request_error","param":null,"code":null}}`)
	f("openai", 400, "context_length_exceeded",
		`{"error":{"message":"msg","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`)
	f("openai", 502, "", `{"error":{"message":"msg","type":"api_error","param":null,"code":null}}`)
	f("openai", 429, "", `{"error":{"message":"msg","type":"rate_limit_error","param":null,"code":null}}`)
	f("ollama", 400, "context_length_exceeded", `{"error":"msg"}`)
}
