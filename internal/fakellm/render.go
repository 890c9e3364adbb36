package fakellm

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Body renders a request with the system prompt and the first upTo messages. Two bodies of one conversation share the
// bytes of the messages that they share.
func (c *Conversation) Body(dialect string, upTo int) []byte {
	items := c.render(dialect)
	lead := 0
	if c.System != "" {
		lead = 1
	}
	return joinBody(dialect, c.Options.Model, items[:lead+upTo], c.further(dialect))
}

func (c *Conversation) further(dialect string) string {
	further := ""
	if c.Options.Stream {
		further = `,"stream":true`
		if dialect == OpenAI {
			further += `,"stream_options":{"include_usage":true}`
		}
	}
	if c.Options.Rounds > 0 {
		further += `,"tools":[{"type":"function","function":{"name":"read_file","parameters":{"type":"object"}}}]`
	}
	return further
}

// render returns the bytes of all messages, the system prompt first.
func (c *Conversation) render(dialect string) [][]byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if items := c.rendered[dialect]; items != nil {
		return items
	}
	var items [][]byte
	if c.System != "" {
		items = append(items, encodePlain(fields{{"role", "system"}, {"content", c.System}}))
	}
	for i := range c.Messages {
		m := &c.Messages[i]
		f := m.openai(c.Options.Legacy)
		if dialect == Ollama {
			f = m.ollama(c.Options.NoIDs)
		}
		item := encodePlain(f)
		if m.Spaced {
			item = spaced(item)
		}
		items = append(items, item)
	}
	c.rendered[dialect] = items
	return items
}

// fields are the members of an object in their order.
type fields []struct {
	key   string
	value any
}

func (f *fields) add(key string, value any) {
	*f = append(*f, struct {
		key   string
		value any
	}{key, value})
}

// encodePlain writes JSON as most clients do, not as Go: < > & as they are, keys in their order.
func encodePlain(f fields) []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range f {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(encode(m.key))
		b.WriteByte(':')
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(m.value)
		b.Truncate(b.Len() - 1) // Encode ends with a newline
	}
	b.WriteByte('}')
	return b.Bytes()
}

func spaced(item []byte) []byte {
	var b bytes.Buffer
	if json.Indent(&b, item, "", " ") != nil {
		return item
	}
	return b.Bytes()
}

const picture = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

func (m *Said) openai(legacy bool) fields {
	f := fields{{"role", m.Role}}
	if m.Role == "tool" && legacy {
		return fields{{"role", "function"}, {"name", m.Name}, {"content", m.Text}}
	}
	if m.Role == "tool" {
		f.add("tool_call_id", m.ID)
	}
	m.addContent(&f)
	if len(m.Calls) == 0 {
		return f
	}
	if legacy {
		f.add("function_call", object{"name": m.Calls[0].Name, "arguments": m.Calls[0].Args})
		return f
	}
	calls := make([]object, len(m.Calls))
	for i, c := range m.Calls {
		calls[i] = openaiCall(c)
	}
	f.add("tool_calls", calls)
	return f
}

func (m *Said) addContent(f *fields) {
	switch {
	case m.Parts || m.Picture:
		parts := []object{{"type": "text", "text": m.Text}}
		if m.Picture {
			parts = append(parts, object{"type": "image_url", "image_url": object{"url": picture}})
		}
		f.add("content", parts)
	case m.Text != "" || m.Content == NullEmpty || len(m.Calls) == 0:
		f.add("content", m.Text)
	case m.Content == NullValue:
		f.add("content", nil)
	}
}

func (m *Said) ollama(noIDs bool) fields {
	f := fields{{"role", m.Role}, {"content", m.Text}}
	if m.Picture {
		f.add("images", []string{strings.TrimPrefix(picture, "data:image/png;base64,")})
	}
	if m.Role == "tool" && !noIDs {
		f.add("tool_name", m.Name)
		f.add("tool_call_id", m.ID)
	}
	var calls []object
	for _, c := range m.Calls {
		call := object{"function": object{"name": c.Name, "arguments": json.RawMessage(c.Args)}}
		if !noIDs {
			call["id"] = c.ID
		}
		calls = append(calls, call)
	}
	if calls != nil {
		f.add("tool_calls", calls)
	}
	return f
}
