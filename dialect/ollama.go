package dialect

import (
	"strings"

	"recap/chat"
)

// ollama is POST …/api/chat, Ollama's own format.
type ollama struct{}

var ollamaLayout = &layout{
	names:   names{"messages", "model", "stream", "options", "keep_alive", "tools", "format"},
	seed:    newSeed(),
	bodies:  &bodies{},
	read:    ollamaMessage,
	members: ollamaMembers,
	roles:   ollamaRoles,
	fill:    fillOllama,
}

var (
	ollamaOptions = names{"num_ctx", "num_predict"}
	ollamaMembers = names{"role", "content", "thinking", "images", "tool_calls", "tool_name", "tool_call_id"}
	ollamaRoles   = map[string]chat.Role{
		"system": chat.System, "user": chat.User, "assistant": chat.Assistant, "tool": chat.Tool,
	}
)

func (ollama) Name() string { return "ollama" }

func (ollama) Match(method, path string) bool {
	return method == "POST" && strings.HasSuffix(path, "/api/chat")
}

func (ollama) Decode(body string, facts *Facts) (*chat.Chat, error) {
	return ollamaLayout.decode(body, facts, 0)
}

// Glance implements Glancer.
func (ollama) Glance(body string, tenant uint64, unread int) (*chat.Chat, bool, error) {
	return ollamaLayout.glance(body, tenant, unread)
}

// Opening implements Glancer.
func (ollama) Opening(c *chat.Chat) string { return ollamaLayout.opening(c) }

// ReadOpening implements Glancer.
func (ollama) ReadOpening(message string) (*chat.Chat, error) {
	return ollamaLayout.readOpening(message)
}

// Lend implements Glancer.
func (ollama) Lend(tenant uint64, begin string, size int) Loan {
	return ollamaLayout.lend(tenant, begin, size)
}

// Offer implements Glancer.
func (ollama) Offer(body []byte) Loan { return ollamaLayout.offer(body) }

// DecodeFor implements Glancer.
func (ollama) DecodeFor(tenant uint64, body string, facts *Facts) (*chat.Chat, error) {
	return ollamaLayout.decode(body, facts, tenant)
}

// Apply never meets an array as content: such a body is not understood.
func (ollama) Apply(dst []byte, c *chat.Chat, p *chat.Plan) ([]byte, error) {
	return splice(dst, c, p, textPart{})
}

func (ollama) Tap(contentType string) Tap { return newTap(contentType, frameLines, &ollamaReader) }

// Error writes Ollama's error object; it has no place for a code.
func (ollama) Error(_ int, _, message string) []byte {
	return append(appendString([]byte(`{"error":`), message), '}')
}

func fillOllama(c *chat.Chat, at []chat.Span) (reason string) {
	// The order is that of ollamaLayout.names.
	model, stream, options, keepAlive, extras := at[1], at[2], at[3], at[4], at[5:7]
	if c.Model, reason = modelName(c.Body, model); reason != "" {
		return reason
	}
	if c.Stream, reason = flag(c.Body, stream, true); reason != "" {
		return reason
	}
	if !absent(c.Body, options) {
		if reason = fillOptions(c, options); reason != "" {
			return reason
		}
	}
	if !absent(c.Body, keepAlive) {
		c.KeepAlive = keepAlive
	}
	c.Extras = appendPresent(c.Extras, c.Body, extras)
	return ""
}

func fillOptions(c *chat.Chat, options chat.Span) (reason string) {
	if !is(c.Body, options, '{') {
		return "wrong-type"
	}
	var at [2]chat.Span
	if reason = ollamaOptions.members(c.Body, options, at[:]); reason != "" {
		return reason
	}
	if c.NumCtx, reason = count(c.Body, at[0]); reason != "" {
		return reason
	}
	c.MaxReply, reason = count(c.Body, at[1])
	return reason
}

// ollamaMessage reads one message.
func ollamaMessage(raw string) (*chat.Facts, string) {
	var at [7]chat.Span
	if reason := ollamaMembers.members(raw, chat.Span{End: len(raw)}, at[:]); reason != "" {
		return nil, reason
	}
	// The order is that of ollamaMembers.
	content, thinking, images, calls, name, id := at[1], at[2], at[3], at[4], at[5], at[6]
	role, reason := readRole(raw, at[0], ollamaRoles)
	if reason != "" {
		return nil, reason
	}
	if !absent(raw, content) && !is(raw, content, '"') {
		return nil, "wrong-type"
	}
	f := &chat.Facts{Role: role, Name: label(raw, name), Content: content}
	text, _ := openAIContent(raw, content)
	if role == chat.Tool {
		reason = openAIResult(raw, f, text, id)
	} else {
		f.Parts = text
		f.Carries = role != chat.Assistant && text != nil
	}
	if reason != "" {
		return nil, reason
	}
	if reason = ollamaBeside(raw, f, thinking, images); reason == "" {
		reason = ollamaCalls(raw, f, calls)
	}
	if reason != "" {
		return nil, reason
	}
	f.Digest = digest(raw, f)
	return f, ""
}

// ollamaBeside reads what stands beside content. Images of a tool message stand beside it too: a trim keeps them.
func ollamaBeside(raw string, f *chat.Facts, thinking, images chat.Span) string {
	if is(raw, thinking, '"') && thinking.Len() > len(`""`) {
		f.Parts = append(f.Parts, chat.Part{Kind: chat.Reasoning, Span: thinking})
	}
	return elements(raw, images, func(span chat.Span) string {
		if !is(raw, span, '"') {
			return "wrong-type"
		}
		f.Parts = append(f.Parts, chat.Part{Kind: chat.Image, Span: span})
		return ""
	})
}

func ollamaCalls(raw string, f *chat.Facts, calls chat.Span) string {
	return elements(raw, calls, func(span chat.Span) string {
		if f.Role != chat.Assistant || !is(raw, span, '{') {
			return "wrong-type"
		}
		call, reason := openAICall(raw, span)
		if is(raw, call.Args, '"') {
			return "wrong-type"
		}
		f.Calls = append(f.Calls, call)
		return reason
	})
}
