package dialect_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"recap/chat"
	"recap/dialect"
)

// A summary call that follows the chat's own request keeps the bytes of its messages and tools, and changes only what is
// about the answer; of Ollama's options nothing that loads a model anew (B3).
func TestAskLive(t *testing.T) {
	f := func(name, body string, messages int, want string, edit ...func(*dialect.Question)) {
		t.Helper()
		q := dialect.Question{Model: "m", Prompt: "SUM UP", MaxTokens: 9, NumCtx: 5, KeepAlive: "1", NoThink: true, Live: &dialect.Live{Body: body, Messages: messages}}
		for _, e := range edit {
			e(&q)
		}
		r, err := dialect.AskerByName(name).Ask(q)
		if err != nil || string(r.Body) != want || !json.Valid(r.Body) {
			t.Errorf("%s: got  %s, %v\nwant %s", name, r.Body, err, want)
		}
	}
	const ask, wait = `{"role":"user","content":"SUM UP"}`, `{"role":"assistant","content":"[The conversation paused here.]"}`
	const two = `{"role":"user","content":"a"}, { "role":"assistant", "content":"b" }`
	f("openai", `{"model":"m","messages":[`+two+`,{"role":"user","content":"c"}],"stream":true}`, 2,
		`{"model":"m","messages":[`+two+`,`+ask+`],"stream":false,"max_tokens":9}`)
	f("openai", `{"messages":[`+two+`,{"role":"user","content":"c"}],"model":"m"}`, 3,
		`{"messages":[`+two+`,{"role":"user","content":"c"},`+wait+`,`+ask+`],"model":"m","stream":false,"max_tokens":9}`)
	tools := `"tools":[{"type":"function","function":{"name":"f"}}]`
	round := `{"role":"user","content":"a"},{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"r"}`
	f("openai", `{"model":"m",`+tools+`,"tool_choice":"required","n":2,"stop":["."],"response_format":{"type":"json_object"},"max_completion_tokens":77,"x_foo":{"a":[1]},"messages":[`+round+`],"temperature":1,"stream":true,"stream_options":{"include_usage":true}}`, 3,
		`{"model":"m",`+tools+`,"x_foo":{"a":[1]},"messages":[`+round+`,`+wait+`,`+ask+`],"stream":false,"tool_choice":"none","max_completion_tokens":9,"temperature":0.2}`,
		func(q *dialect.Question) { q.Parameters = map[string]any{"temperature": 0.2} })
	f("openai", `{"model":"m","functions":[{"name":"f"}],"function_call":"auto","messages":[`+two+`]}`, 2,
		`{"model":"m","functions":[{"name":"f"}],"messages":[`+two+`,`+ask+`],"stream":false,"function_call":"none","max_completion_tokens":9}`,
		func(q *dialect.Question) { q.TokensField = "max_completion_tokens" })
	f("ollama", `{"model":"m","messages":[`+two+`],"options":{"num_ctx":4096,"num_predict":5,"stop":["x"],"temperature":0.7},"think":"low","keep_alive":"5m","format":"json","stream":true}`, 2,
		`{"model":"m","messages":[`+two+`,`+ask+`],"think":"low","keep_alive":"5m","stream":false,"truncate":false,"options":{"num_ctx":4096,"temperature":0.7,"num_predict":9}}`)
	f("ollama", `{"model":"m","messages":[`+two+`],"keep_alive":0}`, 2,
		`{"model":"m","messages":[`+two+`,`+ask+`],"stream":false,"truncate":false,"options":{"num_predict":9}}`)
	f("ollama", `{"model":"m","messages":[`+two+`],"options":{"num_ctx":4096}}`, 2,
		`{"model":"m","messages":[`+two+`,`+ask+`],"stream":false,"truncate":false,"think":false,"options":{"num_ctx":4096,"num_predict":3,"top_p":0.5}}`,
		func(q *dialect.Question) {
			q.Parameters = map[string]any{"num_predict": 3, "top_p": 0.5, "think": false}
		})
}

func TestAskLiveRefuses(t *testing.T) {
	f := func(body string, messages int) {
		t.Helper()
		for _, name := range []string{"openai", "ollama"} {
			if r, err := dialect.AskerByName(name).Ask(dialect.Question{Prompt: "p", Live: &dialect.Live{Body: body, Messages: messages}}); err == nil {
				t.Errorf("%s took %q: %s", name, body, r.Body)
			}
		}
	}
	f(``, 1)
	f(`{`, 1)
	f(`{"messages":[]}`, 1)
	f(`{"messages":[{"role":"user","content":"a"}]}`, 2)
	f(`{"messages":[{"role":"user","content":"a"}]}`, 0)
	f(`{"model":"m"}`, 1)
}

// NewLive counts what a plan leaves of the messages in front of a cut.
func TestNewLive(t *testing.T) {
	c := &chat.Chat{Messages: make([]chat.Message, 10)}
	f := func(p chat.Plan, to, want int) {
		t.Helper()
		got := 0
		if l := dialect.NewLive("body", c, &p, to); l != nil {
			got = l.Messages
		}
		if got != want {
			t.Errorf("%+v to %d: %d messages, want %d", p, to, got, want)
		}
	}
	f(chat.Plan{}, 4, 4)
	f(chat.Plan{}, 0, 0)
	f(chat.Plan{}, 12, 10)
	f(chat.Plan{Drop: []int{1, 2, 7}, Note: &chat.Note{Message: 3}}, 5, 3)
	f(chat.Plan{Drop: []int{1, 2}, Note: &chat.Note{Message: 5}}, 5, 0)
	f(chat.Plan{Drop: []int{0, 1}}, 2, 0)
}

func FuzzAskLive(f *testing.F) {
	f.Add(`{"model":"m","messages":[{"role":"user","content":"a"}],"tools":[1],"stream":true}`, 1, "p")
	f.Fuzz(func(t *testing.T, body string, messages int, prompt string) {
		for _, d := range dialect.All() {
			c, err := d.Decode(body, nil)
			if err != nil || messages < 1 || messages > len(c.Messages) {
				continue
			}
			r, err := d.Ask(dialect.Question{Prompt: prompt, MaxTokens: 7, Live: &dialect.Live{Body: body, Messages: messages}})
			if err != nil {
				t.Fatalf("%s: %q: %v", d.Name(), body, err)
			}
			after, err := d.Decode(string(r.Body), nil)
			if err != nil {
				t.Fatalf("%s: %q became %q: %v", d.Name(), body, r.Body, err)
			}
			for i := range messages {
				if after.Messages[i].Raw != c.Messages[i].Raw {
					t.Fatalf("%s: message %d changed: %q", d.Name(), i, r.Body)
				}
			}
			last := after.Messages[len(after.Messages)-1]
			same := last.Text() == prompt || !utf8.ValidString(prompt) // JSON can only say what is Unicode
			if last.Role != chat.User || after.Stream || !same {
				t.Fatalf("%s: %q", d.Name(), r.Body)
			}
		}
	})
}
