package fakellm

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The dialect names that Recorded.Dialect, Check and Body know.
const (
	OpenAI  = "openai"
	Ollama  = "ollama"
	Utility = "utility"
	Other   = "other"
)

// message is one message as the judge reads it.
type message struct {
	raw     []byte
	fields  []member
	role    string
	content member // zero value: absent
	calls   []call
	id      string // tool_call_id
	name    string // tool_name, or name
}

// call is one tool call of an assistant message.
type call struct {
	id, name string
	args     []byte // nil: absent
	legacy   bool   // function_call, answered by role function
}

func (m *message) system() bool { return m.role == "system" || m.role == "developer" }
func (m *message) result() bool { return m.role == "tool" || m.role == "function" }
func (m *message) text() string { return contentText(m.content.value) }

// body is a chat request as the judge reads it.
type body struct {
	raw      []byte
	dialect  string
	fields   []member
	list     member // messages
	messages []message
}

// parseBody reads a chat request; it does not judge what the messages say.
func parseBody(dialect string, raw []byte) (*body, error) {
	if !json.Valid(raw) {
		return nil, fmt.Errorf("read chat: invalid JSON (%d bytes)", len(raw))
	}
	fields, err := members(raw)
	if err != nil {
		return nil, fmt.Errorf("read chat: %w", err)
	}
	b := &body{raw: raw, dialect: dialect, fields: fields}
	list, ok := lookup(fields, "messages")
	if !ok {
		return b, nil
	}
	b.list = list
	items, ok := elements(list.value)
	if !ok && !isNull(list.value) {
		return nil, fmt.Errorf("read chat: messages is not an array")
	}
	b.messages = make([]message, len(items))
	for i, item := range items {
		if err := b.messages[i].read(item); err != nil {
			return nil, fmt.Errorf("read chat: message %d: %w", i, err)
		}
	}
	return b, nil
}

func (m *message) read(raw []byte) (err error) {
	m.raw = raw
	if m.fields, err = members(raw); err != nil {
		return err
	}
	for _, f := range m.fields {
		switch f.key {
		case "role":
			m.role = unquote(f.value)
		case "content":
			m.content = f
		case "tool_call_id":
			m.id = unquote(f.value)
		case "tool_name":
			m.name = unquote(f.value)
		case "name":
			if m.name == "" {
				m.name = unquote(f.value)
			}
		case "tool_calls":
			m.readCalls(f.value)
		case "function_call":
			if isObject(f.value) {
				c := readFunction(f.value)
				c.legacy = true
				m.calls = append(m.calls, c)
			}
		}
	}
	return nil
}

func (m *message) readCalls(list []byte) {
	items, _ := elements(list)
	for _, item := range items {
		fields, err := members(item)
		if err != nil {
			continue
		}
		var c call
		if f, ok := lookup(fields, "function"); ok {
			c = readFunction(f.value)
		} else if f, ok := lookup(fields, "custom"); ok {
			c = readFunction(f.value)
		}
		if id, ok := lookup(fields, "id"); ok {
			c.id = unquote(id.value)
		}
		m.calls = append(m.calls, c)
	}
}

func readFunction(object []byte) (c call) {
	fields, err := members(object)
	if err != nil {
		return c
	}
	for _, f := range fields {
		switch f.key {
		case "name":
			c.name = unquote(f.value)
		case "arguments", "input":
			c.args = f.value
		}
	}
	return c
}

// contentText returns what a content value says: a string's text, or the text parts of an array, one a line.
func contentText(value []byte) string {
	if isString(value) {
		return unquote(value)
	}
	parts, _ := elements(value)
	var texts []string
	for _, part := range parts {
		if text, ok := partText(part); ok {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

// partText returns the text of a text part, false for any other part.
func partText(part []byte) (string, bool) {
	fields, err := members(part)
	if err != nil {
		return "", false
	}
	kind, _ := lookup(fields, "type")
	text, ok := lookup(fields, "text")
	return unquote(text.value), ok && unquote(kind.value) == "text"
}
