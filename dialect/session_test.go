package dialect_test

import (
	"net/textproto"
	"strings"
	"testing"

	"recap/dialect"
)

// headers returns a lookup over "Name: value" lines; names compare without case.
func headers(lines ...string) func(string) string {
	m := textproto.MIMEHeader{}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		m.Add(name, value)
	}
	return m.Get
}

const one = `"messages":[{"role":"user","content":"x"}]`

// wire.md B2.
func TestSession(t *testing.T) {
	f := func(body, want string, lines ...string) {
		t.Helper()
		for _, d := range dialect.All() {
			if got := dialect.Session(headers(lines...), decode(t, d, body)); got != want {
				t.Errorf("%s %.200s %q: got %q, want %q", d.Name(), body, lines, got, want)
			}
		}
	}
	f(`{`+one+`}`, "")
	f(`{`+one+`}`, "a", "X-Recap-Session: a", "X-OpenWebUI-Chat-Id: b")
	f(`{`+one+`}`, "b", "X-OpenWebUI-Chat-Id: b", "Session-Id: c")
	f(`{`+one+`}`, "c", "X-Claude-Code-Session-Id: c", "X-Session-Id: d")
	f(`{`+one+`}`, "d", "session_id: d", "X-Session-Id: e")
	f(`{`+one+`}`, "e", "x-session-id: e", "X-Session-Affinity: f")
	f(`{`+one+`}`, "g", "X-Conversation-Id: g")
	f(`{`+one+`}`, "h", "x-litellm-session-id: h")
	f(`{"metadata":{"chat_id":"k"},`+one+`,"prompt_cache_key":"j","conversation_id":null,"tools":[{"session_id":"no"}],"session_id":"i"}`, "i")
	f(`{`+one+`,"tools":[{"session_id":"no"}],"metadata":{"chat_id":"k"},"prompt_cache_key":"j"}`, "j")
	f(`{`+one+`,"metadata":{"chat_id":"k","session_id":5}}`, "k")
	f(`{`+one+`,"metadata":"k"}`, "")
	// They name a person, not a chat.
	f(`{`+one+`,"user":"u","safety_identifier":"u","metadata":{"user_id":"u"}}`, "")
	// What cannot be a label: too long, not printable, a template nobody filled in. The next source counts.
	f(`{`+one+`}`, strings.Repeat("é", 256), "X-Recap-Session: "+strings.Repeat("é", 256))
	f(`{`+one+`}`, "b", "X-Recap-Session: "+strings.Repeat("x", 257), "X-Session-Id: b")
	f(`{`+one+`}`, "b", "X-Recap-Session: a\x01", "X-Session-Id: b")
	f(`{`+one+`}`, "b", "X-Recap-Session: a\xff", "X-Session-Id: b")
	f(`{`+one+`}`, "b", "X-OpenWebUI-Chat-Id: {{CHAT_ID}}", "X-Session-Id: b")
}

// wire.md B3.
func TestSideRequest(t *testing.T) {
	f := func(body string, want bool, lines ...string) {
		t.Helper()
		if got := dialect.SideRequest(headers(lines...), decode(t, dialect.ByName("openai"), body)); got != want {
			t.Errorf("%.200s %q: got %v, want %v", body, lines, got, want)
		}
	}
	user := func(text string) string { return `{"messages":[{"role":"user","content":"` + text + `"}]}` }
	f(user("hello"), false)
	f(user("hello"), true, "X-OpenWebUI-Task: title_generation")
	f(user("hello"), false, "X-OpenWebUI-Task: {{TASK}}")
	f(user("hello"), false, "X-OpenWebUI-Task: ")
	f(user("hello"), false, `x-codex-turn-metadata: {"request_kind":"turn"}`)
	f(user("hello"), true, `x-codex-turn-metadata: {"request_kind":"compact"}`)
	f(user("hello"), false, `x-codex-turn-metadata: {"turn_id":"x"}`)
	f(user("hello"), false, `x-codex-turn-metadata: nonsense`)
	f(`{"max_tokens":16,`+one+`}`, true)
	f(`{"max_tokens":16,"stream":true,`+one+`}`, false)
	f(`{"max_tokens":16,"tools":[{}],`+one+`}`, false)
	f(`{"max_tokens":4096,`+one+`}`, false)
	f(`{"max_tokens":16,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"},{"role":"assistant","content":"d"}]}`, false)
	long := strings.Repeat("x", 5000)
	f(user(`### Task:\nGenerate tags.`+long+`\n<chat_history>\nx</chat_history>`), true)
	f(user(`### Task:\nGenerate tags.\n\u003cchat_history\u003e`), true)
	f(user(`### Task:\nAnswer from the documents in <context>`), false)
	f(user(`\nGenerate a title for this conversation:\n`+long), true)
	f(user(`Provide a concise, 5-word-or-less title`), true)
	f(user(`Analyze this conversation and provide: x`), true)
	f(user(`Given the following... please reply with a title for the chat that is 3-4 words in length`), true)
	f(`{"messages":[{"role":"system","content":"You are a title generator. You output ONLY a thread title."},{"role":"user","content":"x"}]}`, true)
	f(`{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"u"}},{"type":"text","text":"Generate a title"}]}]}`, true)
	f(`{"tools":[{}],"messages":[{"role":"user","content":"Generate a title"}]}`, false)
	// The text is looked at through a window that may end anywhere, in an escape for instance.
	for pad := range 16 {
		f(user(strings.Repeat("y", 2030+pad)+`\\\"\u00e9\\\\`+long), false)
		f(user(`\n`+"Generate a title"+strings.Repeat("y", 2012+pad)+`\\\"\u00e9\\\\`+long), true)
	}
}
