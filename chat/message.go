package chat

import (
	"strings"
	"sync/atomic"
)

// Role says who speaks. Wire names are mapped by the dialect: developer is System, function is Tool.
type Role uint8

// The roles.
const (
	System Role = iota + 1
	User
	Assistant
	Tool
)

// String returns the role's usual wire name.
func (r Role) String() string {
	switch r {
	case System:
		return "system"
	case User:
		return "user"
	case Assistant:
		return "assistant"
	case Tool:
		return "tool"
	}
	return "unknown"
}

// Span is a half-open byte range [Start, End). The zero Span means "not there".
type Span struct{ Start, End int }

// Of returns the bytes that s names in text.
func (s Span) Of(text string) string { return text[s.Start:s.End] }

// Len is the number of bytes in s.
func (s Span) Len() int { return s.End - s.Start }

// Kind says what a Part is.
type Kind uint8

// The kinds of parts. Reasoning is counted but never keyed: clients drop it at will.
const (
	Text Kind = iota + 1
	Image
	Audio
	File
	Reasoning
	Other
)

// Part is one piece of a message or of a tool result. For Text and Reasoning, Span is the JSON string token,
// quotes included; for the others it is the part's JSON value. Spans are relative to Message.Raw.
type Part struct {
	Kind Kind
	Span Span
}

// Call is one tool call of an assistant message.
type Call struct {
	ID   string // "" where the format has none
	Name string
	Args Span // JSON value: a string token (OpenAI) or an object (Ollama); zero when absent
}

// Result is one tool result. In most formats a tool message holds exactly one; formats whose results are parts
// of user messages hold several.
type Result struct {
	ID      string // of the call it answers; "" where the format pairs by position
	Name    string // the tool's, when the format says it
	Content Span   // the JSON value that a Trim replaces by a JSON string; zero when absent
	Parts   []Part // text and media inside Content
	Chars   int    // Unicode code points of its text
	Failed  bool   // the format's own error flag
}

// Facts are what the bytes of one message tell. They are a pure function of these bytes, immutable, hold no view
// into any body, and so may be remembered and shared between requests.
type Facts struct {
	Role    Role
	Name    string
	Content Span // the JSON value of the message's content; zero when absent
	Parts   []Part
	Calls   []Call
	Results []Result
	Carries bool   // a note can be put in front of or behind its content (string or array)
	Digest  Digest // of what Keys are made of, call ids left out; see NewDigest

	// Weight is a slot for whoever weighs messages: what it found out about these bytes. Everything else is immutable.
	Weight atomic.Value
}

// Message is one message of a chat: a view into the body and the facts about it.
type Message struct {
	Raw   string // its JSON value
	Start int    // offset of Raw in Chat.Body
	*Facts
}

// Opens reports whether m opens a turn: a user message that says something of its own.
func (m *Message) Opens() bool {
	return m.Role == User && (len(m.Parts) > 0 || len(m.Results) == 0)
}

// Text returns the message's own text parts, joined by newlines; results and reasoning are not part of it.
func (m *Message) Text() string { return JoinText(m.Raw, m.Parts) }

// ResultText returns the text of the i-th result.
func (m *Message) ResultText(i int) string { return JoinText(m.Raw, m.Results[i].Parts) }

// JoinText returns the text parts of parts, unescaped and joined by newlines.
func JoinText(raw string, parts []Part) string {
	var texts []string
	for _, p := range parts {
		if p.Kind == Text {
			texts = append(texts, Unquote(p.Span.Of(raw)))
		}
	}
	if len(texts) == 1 {
		return texts[0]
	}
	return strings.Join(texts, "\n")
}

// Chat is one chat request as a view: nothing in it was re-serialised.
type Chat struct {
	Body      string
	Model     string
	Stream    bool
	Messages  []Message
	List      Span    // the messages array in Body
	NumCtx    int     // window that the request itself asks for (Ollama's options.num_ctx); 0 = none
	MaxReply  int     // tokens the client lets the model answer; 0 = not given
	Extras    []Span  // tools, schemas, format: in Body, counted, never changed
	KeepAlive Span    // Ollama's keep_alive value in Body; zero = absent
	Labels    [4]Span // in Body, of the members by which clients name a conversation; zero = absent

	Count    int  // of messages; Messages has them, unless they were only glanced at
	Read     int  // bytes of Body whose messages were read before, where a glance took them over
	Borrowed bool // Messages are views into the memory of Body, else into memory that stays

	Before *Recall // of an earlier chat whose messages are a prefix of these; nil = none is known
	Known  int     // bytes of Body that are Before's too: up to its last message, and all behind the list if that is the same; 0 = moved
	Began  int     // messages of Before's chat
	After  *Recall // of these messages, for the chats that will begin with them; nil = not remembered
}
