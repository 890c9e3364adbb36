package dialect

import (
	"strings"

	"recap/chat"
)

// openAI is POST …/chat/completions, as OpenAI, Azure, llama.cpp, vLLM, LM Studio, OpenRouter and Ollama's /v1 speak it.
type openAI struct{}

var openAILayout = &layout{
	names: names{
		"messages", "model", "stream", "max_completion_tokens", "max_tokens", "tools", "functions", "response_format",
		"previous_response_id", "conversation",
	},
	seed:    newSeed(),
	bodies:  &bodies{},
	read:    openAIMessage,
	members: openAIMembers,
	roles:   openAIRoles,
	fill:    fillOpenAI,
}

func (openAI) Name() string { return "openai" }

func (openAI) Match(method, path string) bool {
	return method == "POST" && strings.HasSuffix(path, "/chat/completions")
}

func (openAI) Decode(body string, facts *Facts) (*chat.Chat, error) {
	return openAILayout.decode(body, facts, 0)
}

// Glance implements Glancer.
func (openAI) Glance(body string, tenant uint64, unread int) (*chat.Chat, bool, error) {
	return openAILayout.glance(body, tenant, unread)
}

// Opening implements Glancer.
func (openAI) Opening(c *chat.Chat) string { return openAILayout.opening(c) }

// ReadOpening implements Glancer.
func (openAI) ReadOpening(message string) (*chat.Chat, error) {
	return openAILayout.readOpening(message)
}

// Lend implements Glancer.
func (openAI) Lend(tenant uint64, begin string, size int) Loan {
	return openAILayout.lend(tenant, begin, size)
}

// Offer implements Glancer.
func (openAI) Offer(body []byte) Loan { return openAILayout.offer(body) }

// DecodeFor implements Glancer.
func (openAI) DecodeFor(tenant uint64, body string, facts *Facts) (*chat.Chat, error) {
	return openAILayout.decode(body, facts, tenant)
}

func (openAI) Apply(dst []byte, c *chat.Chat, p *chat.Plan) ([]byte, error) {
	return splice(dst, c, p, openAIText)
}

func (openAI) Tap(contentType string) Tap { return newTap(contentType, framePlain, &openAIReader) }

// openAIText is how a text part of an array looks around the text.
var openAIText = textPart{before: `{"type":"text","text":"`, after: `"}`}

func fillOpenAI(c *chat.Chat, at []chat.Span) (reason string) {
	// The order is that of openAILayout.names.
	model, stream, limits, extras, history := at[1], at[2], at[3:5], at[5:8], at[8:10]
	for _, span := range history {
		if !absent(c.Body, span) {
			return "server-history"
		}
	}
	if c.Model, reason = modelName(c.Body, model); reason != "" {
		return reason
	}
	if c.Stream, reason = flag(c.Body, stream, false); reason != "" {
		return reason
	}
	for _, span := range limits {
		n, reason := count(c.Body, span)
		if reason != "" {
			return reason
		}
		if c.MaxReply == 0 {
			c.MaxReply = n
		}
	}
	c.Extras = appendPresent(c.Extras, c.Body, extras)
	return ""
}

// appendPresent appends those spans that name something.
func appendPresent(found []chat.Span, text string, spans []chat.Span) []chat.Span {
	for _, span := range spans {
		if !absent(text, span) {
			found = append(found, span)
		}
	}
	return found
}

// Error writes OpenAI's error object. An overflow names the member that is too long, as OpenAI does.
func (openAI) Error(status int, code, message string) []byte {
	out := appendString([]byte(`{"error":{"message":`), message)
	out = appendString(append(out, `,"type":`...), openAIErrorType(status))
	out = append(out, `,"param":`...)
	if code == "context_length_exceeded" {
		out = append(out, `"messages"`...)
	} else {
		out = append(out, "null"...)
	}
	out = append(out, `,"code":`...)
	if code == "" {
		out = append(out, "null"...)
	} else {
		out = appendString(out, code)
	}
	return append(out, "}}"...)
}

func openAIErrorType(status int) string {
	switch {
	case status == 401:
		return "authentication_error"
	case status == 403:
		return "permission_error"
	case status == 404:
		return "not_found_error"
	case status == 429:
		return "rate_limit_error"
	case status >= 500:
		return "api_error"
	}
	return "invalid_request_error"
}
