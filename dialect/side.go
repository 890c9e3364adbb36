package dialect

import (
	"strings"

	"github.com/tidwall/gjson"

	"recap/chat"
)

const (
	// sideMessages is how many messages a side request has at most.
	sideMessages = 3
	// sideReply is the reply limit, in tokens, under which a plain answer is a title or a tag and no chat.
	sideReply = 64
	// sideHead is how much of a text is looked at, in bytes.
	sideHead = 2048
)

// sideOpenings are the first words of the side requests of known clients.
var sideOpenings = []string{
	"You are a title generator",
	"Generate a title",
	"Provide a concise, 5-word-or-less title",
	"Analyze this conversation and provide:",
}

// SideRequest reports whether a request is one that clients send beside the chat (titles, tags, follow-ups …):
// such requests are forwarded and never start a job.
func SideRequest(header func(name string) string, c *chat.Chat) bool {
	if SideTask(header) {
		return true
	}
	if len(c.Messages) > sideMessages || hasTools(c) {
		return false
	}
	if c.MaxReply > 0 && c.MaxReply <= sideReply && !c.Stream {
		return true
	}
	for i := range c.Messages {
		if sideText(&c.Messages[i]) {
			return true
		}
	}
	return false
}

// SideTask reports whether the headers alone say that a request is a side request.
func SideTask(header func(name string) string) bool {
	// An unfilled template of the header says nothing.
	if task := strings.TrimSpace(header("X-OpenWebUI-Task")); task != "" && !strings.HasPrefix(task, "{{") {
		return true
	}
	if turn := header("X-Codex-Turn-Metadata"); turn != "" && valid(turn) {
		kind := gjson.Get(turn, "request_kind").String()
		return kind != "" && kind != "turn"
	}
	return false
}

// hasTools reports whether a chat offers tools: of the extras only those are arrays.
func hasTools(c *chat.Chat) bool {
	for _, span := range c.Extras {
		if is(c.Body, span, '[') {
			return true
		}
	}
	return false
}

// sideText reports whether a message asks for what side requests ask for.
func sideText(m *chat.Message) bool {
	for _, part := range m.Parts {
		if part.Kind != chat.Text {
			continue
		}
		token := part.Span.Of(m.Raw)
		text := strings.TrimSpace(head(token))
		for _, opening := range sideOpenings {
			if strings.HasPrefix(text, opening) {
				return true
			}
		}
		if m.Role == chat.User && strings.Contains(text, "please reply with a title") {
			return true
		}
		// Answers from documents begin with "### Task:" too; those that look back on the chat hold it in tags.
		return strings.HasPrefix(text, "### Task:") &&
			(strings.Contains(token, "<chat_history>") || strings.Contains(token, `\u003cchat_history\u003e`))
	}
	return false
}

// head returns the beginning of a JSON string's text.
func head(token string) string {
	if len(token) <= sideHead {
		return chat.Unquote(token)
	}
	cut := sideHead
	if slash := strings.LastIndexByte(token[cut-8:cut], '\\'); slash >= 0 {
		// The cut may fall into an escape, even into one of a pair.
		cut += slash - 8
		for token[cut-1] == '\\' {
			cut--
		}
	}
	return chat.Unquote(token[:cut] + `"`)
}
