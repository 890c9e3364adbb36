package dialect_test

import (
	"errors"
	"testing"

	"recap/dialect"
)

// A glance finds odd what decoding finds odd by names, roles and shape, and sees whether all content is plain text.
func TestGlance(t *testing.T) {
	f := func(name, body, reason string, plain bool) {
		t.Helper()
		c, p, err := dialect.ByName(name).(dialect.Glancer).Glance(body)
		got := ""
		var odd *dialect.Odd
		if errors.As(err, &odd) {
			got = odd.Reason
		}
		if got != reason || reason == "" && (c == nil || p != plain) {
			t.Errorf("%s %s: reason %q, plain %v; want %q, %v", name, body, got, p, reason, plain)
		}
		if _, err := dialect.ByName(name).Decode(body, nil); (err == nil) != (reason == "") {
			t.Errorf("%s %s: decode says %v", name, body, err)
		}
	}
	const user = `{"role":"user","content":"a"}`
	for _, name := range []string{"openai", "ollama"} {
		f(name, `{"model":"m","messages":[`+user+`]}`, "", true)
		f(name, ` { "messages" : [ `+user+` , `+user+` ] , "x":1 } `, "", true)
		f(name, `{"messages":[`+user+`,]}`, "invalid-json", false)
		f(name, `{"messages":[`+user+`]`, "invalid-json", false)
		f(name, `{"messages":[{"role":"user","content":"a}]}`, "invalid-json", false)
		f(name, `{"messages":[{"role":"user","content":"\x"}]}`, "invalid-json", false)
		f(name, `{"messages":[]}`, "no-messages", false)
		f(name, `{}`, "no-messages", false)
		f(name, `[]`, "wrong-type", false)
		f(name, `{"messages":"a"}`, "wrong-type", false)
		f(name, `{"messages":["{"]}`, "wrong-type", false)
		f(name, `{"messages":[`+user+`],"messages":[`+user+`]}`, "duplicate-key", false)
		f(name, `{"Messages":[`+user+`],"messages":[`+user+`]}`, "odd-key", false)
		f(name, `{"messages":[{"role":"user","ROLE":"user","content":"a"}]}`, "odd-key", false)
		f(name, `{"messages":[{"role":"user","content":"a","content":"b"}]}`, "duplicate-key", false)
		f(name, `{"messages":[{"role":"narrator","content":"a"}]}`, "unknown-role", false)
		f(name, `{"messages":[{"content":"a"}]}`, "wrong-type", false)
		f(name, `{"messages":[{"role":1,"content":"a"}]}`, "wrong-type", false)
	}
	f("openai", `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}}]}]}`, "", false)
	f("openai", `{"messages":[`+user+`,{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}]}`, "", true)
	f("ollama", `{"messages":[{"role":"user","content":"a","images":["aGk="]}]}`, "", false)
	f("openai", `{"previous_response_id":"r","messages":[`+user+`]}`, "server-history", false)
}
