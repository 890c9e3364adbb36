package dialect_test

import (
	"strings"
	"testing"

	"recap/chat"
	"recap/dialect"
)

const user = `{"role":"user","content":"x"}`

func oddToAll(t *testing.T, body, want string) {
	t.Helper()
	for _, d := range dialect.All() {
		wantOdd(t, d, body, want)
	}
}

func TestInvalidJSON(t *testing.T) {
	f := func(body, want string) { t.Helper(); oddToAll(t, body, want) }
	f(``, "invalid-json")
	f(`{`, "invalid-json")
	f(`{"messages":[`+user+`]`, "invalid-json")
	f(`{"messages":[`+user+`]}}`, "invalid-json")
	f(`{"messages":[`+user+`]} x`, "invalid-json")
	f(`{"messages":[`+user+`]}`+"\x00", "invalid-json")
	f(`{"messages":[`+user+`,]}`, "invalid-json")
	f(`{"messages":[`+user+` `+user+`]}`, "invalid-json")
	f(`{"messages":[,`+user+`]}`, "invalid-json")
	f(`{"messages":[`+user+`],}`, "invalid-json")
	f(`{"messages":[`+user+`]"a":1}`, "invalid-json")
	f(`{"messages":[`+user+`],"a" 1}`, "invalid-json")
	f(`{"messages":[`+user+`],"a":}`, "invalid-json")
	f(`{"messages":[`+user+`],"a":tru}`, "invalid-json")
	f(`{"messages":[`+user+`],"a":01}`, "invalid-json")
	f(`{"messages":[`+user+`],a:1}`, "invalid-json")
	f(`{"messages":[`+user+`],"a\x":1}`, "invalid-json")
	f("{\"messages\":["+user+"],\"a\nb\":1}", "invalid-json")
	f(`{"messages":[{"role":"user","content":"`+"\n"+`"}]}`, "invalid-json")
	f(`{"messages":[{"role":"user","content":"\q"}]}`, "invalid-json")
	f(`{"messages":[{"role":"user","content":[}]}]}`, "invalid-json")
	f("\ufeff"+`{"messages":[`+user+`]}`, "invalid-json")
}

func TestOddBodies(t *testing.T) {
	f := func(body, want string) { t.Helper(); oddToAll(t, body, want) }
	f(`[]`, "wrong-type")
	f(`"x"`, "wrong-type")
	f(`{"messages":{}}`, "wrong-type")
	f(`{"messages":"x"}`, "wrong-type")
	f(`{"messages":[1]}`, "wrong-type")
	f(`{"messages":[null]}`, "wrong-type")
	f(`{"messages":[[]]}`, "wrong-type")
	f(`{"messages":[{}]}`, "wrong-type")
	f(`{"messages":[{"role":1}]}`, "wrong-type")
	f(`{"messages":[{"role":null}]}`, "wrong-type")
	f(`{"messages":[{"role":"user","content":1}]}`, "wrong-type")
	f(`{"messages":[{"role":"user","content":{}}]}`, "wrong-type")
	f(`{"messages":[{"role":"user","content":"x","tool_calls":[{"function":{"name":"f"}}]}]}`, "wrong-type")
	f(`{"messages":[{"role":"assistant","tool_calls":{}}]}`, "wrong-type")
	f(`{"messages":[{"role":"assistant","tool_calls":[1]}]}`, "wrong-type")
	f(`{"messages":[{"role":"assistant","tool_calls":[{"id":1,"function":{"name":"f"}}]}]}`, "wrong-type")
	f(`{"messages":[{"role":"tool","tool_call_id":7,"content":"x"}]}`, "wrong-type")
	f(`{"model":7,"messages":[`+user+`]}`, "wrong-type")
	f(`{"stream":"yes","messages":[`+user+`]}`, "wrong-type")
	f(`{"messages":[{"role":"pirate","content":"x"}]}`, "unknown-role")
	f(`{"messages":[{"role":"User","content":"x"}]}`, "unknown-role")
	f(`{"messages":[`+user+`],"messages":[`+user+`]}`, "duplicate-key")
	f(`{"messages":[`+user+`],"m\u0065ssages":[`+user+`]}`, "duplicate-key")
	f(`{"model":"a","model":"b","messages":[`+user+`]}`, "duplicate-key")
	f(`{"messages":[{"role":"user","content":"x","content":"y"}]}`, "duplicate-key")
	f(`{"messages":[{"role":"user","content":"x","a":1,"a":2}]}`, "duplicate-key")
	f(`{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","name":"g"}}]}]}`, "duplicate-key")
	f(`{"Messages":[`+user+`]}`, "odd-key")
	f(`{"meſſages":[`+user+`],"messages":[`+user+`]}`, "odd-key") // what encoding/json takes for an s
	f(`{"messages":[{"ROLE":"user","content":"x"}]}`, "odd-key")
	f(`{"messages":[{"role":"user","content":"x"},{"role":"user","content":"x","Content":"y"}]}`, "odd-key")
	f(`{"messages":[`+user+`],"deep":`+strings.Repeat("[", 2000)+strings.Repeat("]", 2000)+`}`, "too-deep")
	f(`{"messages":[{"role":"user","content":"x","deep":`+strings.Repeat("[", 2000)+strings.Repeat("]", 2000)+`}]}`, "too-deep")
}

// Brackets without end must not end the process: gjson would recurse on each of them.
func TestDeepNestingIsRefused(t *testing.T) {
	deep := strings.Repeat("[", 30_000_000)
	for _, d := range dialect.All() {
		wantOdd(t, d, `{"messages":`+deep, "too-deep")
		wantOdd(t, d, `{"x":`+deep, "too-deep")
	}
	// In an argument string they are text like any other.
	args := `{"messages":[{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"` + deep + `"}}]}]}`
	if _, err := dialect.ByName("openai").Decode(args, nil); err != nil {
		t.Error(err)
	}
}

func TestServerHistory(t *testing.T) {
	d := dialect.ByName("openai")
	wantOdd(t, d, `{"messages":[{"role":"user","content":"x"}],"previous_response_id":"r"}`, "server-history")
	wantOdd(t, d, `{"messages":[{"role":"user","content":"x"}],"conversation":{"id":"r"}}`, "server-history")
	decode(t, d, `{"messages":[{"role":"user","content":"x"}],"previous_response_id":null}`)
}

func TestTopLevel(t *testing.T) {
	f := func(name, members string, want chat.Chat) {
		t.Helper()
		c := decode(t, dialect.ByName(name), `{"messages":[{"role":"user","content":"x"}]`+members+`}`)
		if c.Model != want.Model || c.Stream != want.Stream || c.NumCtx != want.NumCtx || c.MaxReply != want.MaxReply {
			t.Errorf("%s %s: got %+v", name, members, c)
		}
	}
	f("openai", ``, chat.Chat{})
	f("openai", `,"model":"gpt\u002d5","stream":true`, chat.Chat{Model: "gpt-5", Stream: true})
	f("openai", `,"stream":null,"model":null,"max_tokens":null`, chat.Chat{})
	f("openai", `,"max_tokens":5`, chat.Chat{MaxReply: 5})
	f("openai", `,"max_tokens":5,"max_completion_tokens":7`, chat.Chat{MaxReply: 7})
	f("openai", `,"max_tokens":-1`, chat.Chat{})
	f("openai", `,"options":{"num_ctx":5}`, chat.Chat{})
	// B7: Ollama streams unless told otherwise.
	f("ollama", ``, chat.Chat{Stream: true})
	f("ollama", `,"stream":null,"options":null`, chat.Chat{Stream: true})
	f("ollama", `,"stream":false,"options":{"num_ctx":8192,"num_predict":5}`, chat.Chat{NumCtx: 8192, MaxReply: 5})
	f("ollama", `,"options":{"num_ctx":8.192e3,"num_predict":-1}`, chat.Chat{Stream: true, NumCtx: 8192})
	f("ollama", `,"options":{"num_ctx":1e99}`, chat.Chat{Stream: true, NumCtx: 1 << 40})
	wantOdd(t, dialect.ByName("ollama"), `{"messages":[{"role":"user","content":"x"}],"options":[]}`, "wrong-type")
	wantOdd(t, dialect.ByName("ollama"), `{"messages":[{"role":"user","content":"x"}],"options":{"num_ctx":"8k"}}`, "wrong-type")
	wantOdd(t, dialect.ByName("ollama"), `{"messages":[{"role":"user","content":"x"}],"options":{"NUM_CTX":8}}`, "odd-key")
}

func TestExtrasAndKeepAlive(t *testing.T) {
	f := func(name, members, keepAlive string, extras ...string) {
		t.Helper()
		c := decode(t, dialect.ByName(name), `{"messages":[{"role":"user","content":"x"}]`+members+`}`)
		var got []string
		for _, span := range c.Extras {
			got = append(got, span.Of(c.Body))
		}
		if strings.Join(got, "|") != strings.Join(extras, "|") {
			t.Errorf("%s %s: extras %q, want %q", name, members, got, extras)
		}
		if got := c.KeepAlive.Of(c.Body); got != keepAlive {
			t.Errorf("%s %s: keep_alive %q, want %q", name, members, got, keepAlive)
		}
	}
	f("openai", `,"tools":[1], "functions" : [2],"response_format":{"type":"text"},"keep_alive":5`, "", `[1]`, `[2]`, `{"type":"text"}`)
	f("openai", `,"tools":null`, "")
	f("ollama", `,"tools":[1],"format":"json","keep_alive":"5m"`, `"5m"`, `[1]`, `"json"`)
	f("ollama", `,"keep_alive": -1 `, `-1`)
}
