package middleware_test

import (
	"testing"

	"recap/config"
)

// What a chat is found to be must not depend on how near it is to a level: a body that reading in full does not understand
// is bypassed at a glance too.
func TestGlanceSaysWhatReadingSays(t *testing.T) {
	glances := newBench(t)
	reads := newBenchWith(t, func(c *config.Config) {
		c.Summarization.Trigger.Type, c.Summarization.Trigger.Value = "token_count", 900_000_000
	})
	for name, messages := range map[string]string{
		"content a number":  `{"role":"user","content":5}`,
		"content true":      `{"role":"user","content":true}`,
		"calls no array":    `{"role":"assistant","content":"x","tool_calls":"none"}`,
		"calls by the user": `{"role":"user","content":"x","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
		"call id a number":  `{"role":"tool","tool_call_id":5,"content":"x"}`,
	} {
		body := []byte(`{"model":"bench","messages":[{"role":"user","content":"hello"},` + messages + `]}`)
		a, b := benchRequest(body), benchRequest(body)
		glances.Handle(a)
		reads.Handle(b)
		at, in := string(a.Response.Header.Peek("X-Recap-Status")), string(b.Response.Header.Peek("X-Recap-Status"))
		if at != in {
			t.Errorf("%s: %q at a glance, %q when read", name, at, in)
		}
	}
}
