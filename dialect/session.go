package dialect

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"recap/chat"
)

// sessionHeaders are the headers by which clients name a conversation, ours first, then the more exact ones.
var sessionHeaders = []string{
	"X-Recap-Session", "X-OpenWebUI-Chat-Id", "X-Claude-Code-Session-Id", "Session-Id", "Session_id", "Thread-Id",
	"X-Session-Id", "X-Session-Affinity", "X-Opencode-Session", "X-Conversation-Id", "X-Chat-Id", "X-Thread-Id",
	"X-Litellm-Session-Id",
}

// sessionMembers are the members of a body that do the same, sessionMetadata those of its metadata. The members
// `user` and `safety_identifier` name a person and are no label for a chat.
var (
	sessionMembers  = names{"session_id", "conversation_id", "prompt_cache_key", "metadata"}
	sessionMetadata = names{"session_id", "conversation_id", "chat_id", "thread_id"}
)

// Session returns the label by which a client names its conversation, "" when it gives none: our own header, those
// of known clients, then members of the body. It is at most 256 printable characters, and a label only: side
// requests share it. header returns the first value of a request header, "" when absent.
func Session(header func(name string) string, c *chat.Chat) string {
	for _, name := range sessionHeaders {
		if name := sessionLabel(header(name)); name != "" {
			return name
		}
	}
	return bodySession(c)
}

// sessionLabel returns text if it can be a label, else "". A template that nobody filled in is none.
func sessionLabel(text string) string {
	if text == "" {
		return ""
	}
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{{") || !utf8.ValidString(text) || utf8.RuneCountInString(text) > 256 {
		return ""
	}
	for _, r := range text {
		if !unicode.IsPrint(r) {
			return ""
		}
	}
	return text
}

// labelMember returns the index in chat.Chat.Labels of a member at the top of a body, -1 for any other.
func labelMember(key string) int {
	for i, name := range sessionMembers {
		if key == name {
			return i
		}
	}
	return -1
}

// bodySession looks at the members that were found at the top of the body; the last is its metadata.
func bodySession(c *chat.Chat) string {
	for _, span := range c.Labels[:3] {
		if name := sessionLabel(label(c.Body, span)); name != "" {
			return strings.Clone(name) // a label outlives its request, the body should not
		}
	}
	return metadataSession(c.Body, c.Labels[3])
}

func metadataSession(body string, metadata chat.Span) string {
	if !is(body, metadata, '{') {
		return ""
	}
	var at [4]chat.Span
	if sessionMetadata.members(body, metadata, at[:]) != "" {
		return ""
	}
	for _, span := range at {
		if name := sessionLabel(label(body, span)); name != "" {
			return strings.Clone(name)
		}
	}
	return ""
}
