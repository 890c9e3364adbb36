package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"recap/chat"
	"recap/dialect"
)

// message decodes one message of a format.
func message(t testing.TB, name, raw string) *chat.Message {
	t.Helper()
	return &decode(t, dialect.ByName(name), `{"messages":[`+raw+`]}`).Messages[0]
}

// describe writes facts in one line: role, name, what carries, content, parts, calls, results.
func describe(m *chat.Message) string {
	var b strings.Builder
	kinds := [...]string{"", "text", "image", "audio", "file", "reasoning", "other"}
	parts := func(parts []chat.Part) {
		for _, p := range parts {
			fmt.Fprintf(&b, " %s=%s", kinds[p.Kind], p.Span.Of(m.Raw))
		}
	}
	fmt.Fprintf(&b, "%s(%s)", m.Role, m.Name)
	if m.Carries {
		b.WriteString(" carries")
	}
	parts(m.Parts)
	for _, c := range m.Calls {
		fmt.Fprintf(&b, " call[%s %s %s]", c.ID, c.Name, c.Args.Of(m.Raw))
	}
	for _, r := range m.Results {
		fmt.Fprintf(&b, " result[%s %s %s %d", r.ID, r.Name, r.Content.Of(m.Raw), r.Chars)
		parts(r.Parts)
		b.WriteString("]")
	}
	return b.String()
}

func TestFactsOpenAI(t *testing.T) {
	f := func(raw, want string) {
		t.Helper()
		if got := describe(message(t, "openai", raw)); got != want {
			t.Errorf("%s\n got %s\nwant %s", raw, got, want)
		}
	}
	f(`{"role":"system","content":"x"}`, `system() carries text="x"`)
	f(`{"role":"developer","content":"x"}`, `system() carries text="x"`)
	f(`{ "content" : "x" , "role" : "user" , "name":"bob" }`, `user(bob) carries text="x"`)
	f(`{"role":"user","content":""}`, `user() carries text=""`)
	f(`{"role":"user"}`, `user()`)
	f(`{"role":"user","content":[]}`, `user() carries`)
	// A12: parts.
	f(`{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"u"}},`+
		`{"type":"input_audio","input_audio":{}},{"type":"file","file":{}},{"type":"input_video"}]}`,
		`user() carries text="a" image={"type":"image_url","image_url":{"url":"u"}} audio={"type":"input_audio","input_audio":{}} file={"type":"file","file":{}} other={"type":"input_video"}`)
	f(`{"role":"user","content":[{"type":"text","text":null},{}]}`, `user() carries other={"type":"text","text":null} other={}`)
	// A11: null, absent and empty content stay what they are.
	f(`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
		`assistant() call[c f "{}"]`)
	f(`{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f"}}]}`, `assistant() call[c f ]`)
	f(`{"role":"assistant","content":"","tool_calls":null}`, `assistant() text=""`)
	f(`{"role":"tool","content":null}`, `tool() result[  null 0]`)
	f(`{"role":"tool","tool_call_id":"c"}`, `tool() result[c   0]`)
	// A14: what a fixed struct would lose.
	f(`{"role":"assistant","refusal":"no","content":null,"x_foo":1}`, `assistant() text="no"`)
	f(`{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"refusal","refusal":"no"}]}`, `assistant() text="a" text="no"`)
	f(`{"role":"assistant","function_call":{"name":"f","arguments":"{}"}}`, `assistant() call[ f "{}"]`)
	f(`{"role":"function","name":"f","content":"x"}`, `tool(f) result[ f "x" 1 text="x"]`)
	f(`{"role":"assistant","audio":{"id":"a"}}`, `assistant() audio={"id":"a"}`)
	f(`{"role":"assistant","content":"x","reasoning_content":"r","reasoning":"r"}`, `assistant() text="x" reasoning="r"`)
	f(`{"role":"assistant","content":"x","reasoning_content":"","reasoning":"r"}`, `assistant() text="x" reasoning="r"`)
	f(`{"role":"assistant","tool_calls":[{"id":"c","type":"custom","custom":{"name":"f","input":"free"}}]}`, `assistant() call[c f "free"]`)
	// A25: characters, not bytes and not array elements. D8: an image in a result is an image.
	f(`{"role":"tool","tool_call_id":"c","content":"ż😀\n"}`, `tool() result[c  "ż😀\n" 3 text="ż😀\n"]`)
	f(`{"role":"tool","content":[{"type":"text","text":"ab"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}]}`,
		`tool() result[  [{"type":"text","text":"ab"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}] 2 text="ab" image={"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}]`)
}

func TestFactsOllama(t *testing.T) {
	f := func(raw, want string) {
		t.Helper()
		if got := describe(message(t, "ollama", raw)); got != want {
			t.Errorf("%s\n got %s\nwant %s", raw, got, want)
		}
	}
	f(`{"role":"user","content":"x","images":["AAAA","BBBB"]}`, `user() carries text="x" image="AAAA" image="BBBB"`)
	f(`{"role":"user","images":["AAAA"]}`, `user() image="AAAA"`)
	f(`{"role":"user","content":null,"images":null}`, `user()`)
	f(`{"role":"assistant","content":"x","thinking":"t"}`, `assistant() text="x" reasoning="t"`)
	// B4: arguments are an object, ids may be missing.
	f(`{"role":"assistant","content":"","tool_calls":[{"function":{"index":0,"name":"f","arguments":{"a":1}}},{"id":"c","function":{"name":"g"}}]}`,
		`assistant() text="" call[ f {"a":1}] call[c g ]`)
	f(`{"role":"tool","content":"x"}`, `tool() result[  "x" 1 text="x"]`)
	f(`{"role":"tool","tool_name":"f","tool_call_id":"c","content":"x","images":["AAAA"]}`, `tool(f) image="AAAA" result[c f "x" 1 text="x"]`)
	d := dialect.ByName("ollama")
	wantOdd(t, d, `{"messages":[{"role":"user","content":["x"]}]}`, "wrong-type")
	wantOdd(t, d, `{"messages":[{"role":"developer","content":"x"}]}`, "unknown-role")
	wantOdd(t, d, `{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}]}`, "wrong-type")
	wantOdd(t, d, `{"messages":[{"role":"user","content":"x","images":[{}]}]}`, "wrong-type")
}

// Facts live longer than bodies: nothing in them may be a view into one.
func TestFactsHoldNoViewIntoTheBody(t *testing.T) {
	raw := []byte(`{"role":"assistant","name":"bob","tool_calls":[{"id":"call","type":"function","function":{"name":"tool","arguments":"{}"}}]}`)
	c := decode(t, dialect.ByName("openai"), `{"messages":[`+string(raw)+`]}`)
	m := c.Messages[0]
	for _, s := range []string{m.Name, m.Calls[0].ID, m.Calls[0].Name} {
		if inside(c.Body, s) {
			t.Errorf("%q is a view into the body", s)
		}
	}
	m = decode(t, dialect.ByName("ollama"), `{"messages":[{"role":"tool","tool_name":"tool","tool_call_id":"call","content":"x"}]}`).Messages[0]
	if inside(m.Raw, m.Name) || inside(m.Raw, m.Results[0].ID) {
		t.Error("a result's name or id is a view into the body")
	}
}

func TestDigestIgnores(t *testing.T) {
	f := func(a, b string) {
		t.Helper()
		da, a, _ := strings.Cut(a, " ")
		db, b, _ := strings.Cut(b, " ")
		if message(t, da, a).Digest != message(t, db, b).Digest {
			t.Errorf("digests differ:\n%s\n%s", a, b)
		}
	}
	const o, l = "openai ", "ollama "
	f(o+`{"role":"user","content":"x"}`, o+`{ "content":"x" , "role" : "user" }`)
	f(o+`{"role":"user","content":"é"}`, o+`{"role":"user","content":"\u00e9"}`)
	f(o+`{"role":"user","content":"x"}`, o+`{"role":"user","content":" x\n"}`)
	f(o+`{"role":"user","content":"x"}`, o+`{"role":"user","content":[{"type":"text","text":"x"}]}`)
	f(o+`{"role":"user","content":"x"}`, o+`{"role":"user","content":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]}`)
	f(o+`{"role":"user","content":"x"}`, l+`{"role":"user","content":"x"}`)
	f(o+`{"role":"user","content":"x"}`, o+`{"role":"user","content":"x","name":"bob","x_foo":1}`)
	f(o+`{"role":"assistant","content":null}`, o+`{"role":"assistant","content":""}`)
	f(o+`{"role":"assistant","content":"x"}`, o+`{"role":"assistant","content":"x","reasoning_content":"r"}`)
	f(o+`{"role":"assistant","content":"x"}`, l+`{"role":"assistant","content":"x","thinking":"r"}`)
	f(o+`{"role":"tool","tool_call_id":"a","content":"x"}`, o+`{"role":"tool","tool_call_id":"b","content":[{"type":"text","text":"x"}]}`)
	f(o+`{"role":"tool","tool_call_id":"a","content":"x"}`, o+`{"role":"function","name":"f","content":"x"}`)
	f(o+`{"role":"tool","tool_call_id":"a","content":"x"}`, l+`{"role":"tool","tool_name":"f","content":"x"}`)
	call := func(id, args string) string {
		return o + `{"role":"assistant","tool_calls":[{"id":"` + id + `","type":"function","function":{"name":"f","arguments":` + args + `}}]}`
	}
	f(call("a", `"{\"x\":[1,2]}"`), call("b", `"{ \"x\" : [1,\n2] }"`))
	f(call("a", `"{\"x\":\"a b\"}"`), l+`{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":{ "x": "a b" }}}]}`)
	f(call("a", `"{}"`), o+`{"role":"assistant","function_call":{"name":"f","arguments":"{}"}}`)
	f(call("a", `"free text"`), o+`{"role":"assistant","tool_calls":[{"id":"a","type":"custom","custom":{"name":"f","input":"free text"}}]}`)
	const img = `{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}`
	f(o+`{"role":"user","content":[`+img+`]}`, o+`{"role":"user","content":[{"image_url" : {"detail":"auto","url":"data:image/png;base64,AAAA"},"prompt_cache_breakpoint":{"mode":"explicit"},"type":"image_url"}]}`)
	f(o+`{"role":"user","content":[{"type":"text","text":"x"},`+img+`]}`, l+`{"role":"user","content":"x","images":["AAAA"]}`)
	f(o+`{"role":"user","content":[{"type":"file","file":{"file_id":"a b"}}]}`, o+`{"role":"user","content":[{"type":"file", "cache_control":{}, "file":{ "file_id" : "a b" }}]}`)
}

func TestDigestTellsApart(t *testing.T) {
	seen := map[chat.Digest]string{}
	f := func(name, raw string) {
		t.Helper()
		d := message(t, name, raw).Digest
		if other, ok := seen[d]; ok {
			t.Errorf("same digest:\n%s\n%s", other, raw)
		}
		seen[d] = raw
	}
	f("openai", `{"role":"user","content":"x"}`)
	f("openai", `{"role":"user","content":"y"}`)
	f("openai", `{"role":"assistant","content":"x"}`)
	f("openai", `{"role":"tool","content":"x"}`)
	f("openai", `{"role":"user","content":[{"type":"text","text":"x"},{"type":"text","text":"x"}]}`)
	call := `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"%s","arguments":%s}}]}`
	f("openai", fmt.Sprintf(call, "f", `"{}"`))
	f("openai", fmt.Sprintf(call, "g", `"{}"`))
	f("openai", fmt.Sprintf(call, "f", `"{\"a\":\"b c\"}"`))
	f("openai", fmt.Sprintf(call, "f", `"{\"a\":\"bc\"}"`))
	f("openai", fmt.Sprintf(call, "f", `"b c"`))
	image := `{"role":"user","content":[{"type":"image_url","image_url":%s}]}`
	f("openai", fmt.Sprintf(image, `{"url":"data:image/png;base64,AAAA"}`))
	f("openai", fmt.Sprintf(image, `{"url":"data:image/png;base64,AAAB"}`))
	f("openai", fmt.Sprintf(image, `{"url":"data:image/png;base64,AAAA","detail":"high"}`))
	f("openai", fmt.Sprintf(image, `{"url":"data:image/png;base64,AAAA","x":1}`))
	f("openai", fmt.Sprintf(image, `{"url":"https://host/AAAA"}`))
	f("openai", `{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"},"y":1}]}`)
	f("openai", `{"role":"user","content":[{"type":"file","file":{"file_id":"ab"}}]}`)
	f("openai", `{"role":"user","content":[{"type":"file","file":{"file_id":"a b"}}]}`)
	f("ollama", `{"role":"user","content":"x","images":["AAAB"]}`)
}
