package dialect

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// signature is one way in which servers say that a prompt does not fit. limit, used and reply are the groups
// that hold the window, the prompt and what the prompt's number counts too much; 0 = not said.
type signature struct {
	pattern            *regexp.Regexp
	limit, used, reply int
}

// signatures are tried in this order against the lower-case text of an error; a comment names the servers.
var signatures = []signature{
	// OpenAI (old), DeepSeek, OpenRouter: what was asked for includes the reply.
	{regexp.MustCompile(`maximum context length is (\d+) tokens\b.*?requested (?:about )?(\d+) tokens \(.*?(\d+) (?:in|of|for) the (?:completion|output)`), 1, 2, 3},
	// vLLM: how much the prompt holds at least.
	{regexp.MustCompile(`maximum context length is (\d+) tokens\b.*?(?:prompt contains|request has)(?: at least)? (\d+) input tokens`), 1, 2, 0},
	// OpenAI, Azure.
	{regexp.MustCompile(`maximum context length is (\d+) tokens\b.*?(?:resulted in|requested)(?: about)? (\d+) tokens`), 1, 2, 0},
	{regexp.MustCompile(`maximum context length is (\d+)`), 1, 0, 0},
	// llama.cpp.
	{regexp.MustCompile(`request \((\d+) tokens\) exceeds the available context size \((\d+)(?: tokens)?\)`), 2, 1, 0},
	{regexp.MustCompile(`exceed_context_size_error|exceeds the available context size`), 0, 0, 0},
	// LM Studio.
	{regexp.MustCompile(`trying to keep the first (\d+) tokens when context the overflows.*?context length of only (\d+) tokens`), 2, 1, 0},
	{regexp.MustCompile(`cannot truncate prompt with n_keep \((\d+)\) >= n_ctx \((\d+)\)`), 2, 1, 0},
	{regexp.MustCompile(`context size has been exceeded`), 0, 0, 0},
	// Ollama.
	{regexp.MustCompile(`prompt is longer than the context length currently available|input length exceeds the context length`), 0, 0, 0},
	// Anthropic.
	{regexp.MustCompile(`prompt is too long: (\d+) tokens > (\d+) maximum`), 2, 1, 0},
	{regexp.MustCompile("input length and `max_tokens` exceed context limit: (\\d+) \\+ \\d+ > (\\d+)"), 2, 1, 0},
	// Bedrock.
	{regexp.MustCompile(`input is too long for requested model|input tokens exceeded: number of input tokens exceeds maximum length`), 0, 0, 0},
	// xAI.
	{regexp.MustCompile(`maximum prompt length is (\d+) but the request contains (\d+) tokens`), 1, 2, 0},
	// Mistral.
	{regexp.MustCompile(`prompt contains (\d+) tokens.*?too large for model with (\d+) maximum context length`), 2, 1, 0},
	// Gemini.
	{regexp.MustCompile(`input token count \((\d+)\) exceeds the maximum number of tokens allowed \((\d+)\)`), 2, 1, 0},
	{regexp.MustCompile(`input token count exceeds the maximum number of tokens allowed \((\d+)\)`), 1, 0, 0},
	// OpenAI's Responses, and its code in any wording.
	{regexp.MustCompile(`input exceeds the context window of this model|context_length_exceeded`), 0, 0, 0},
}

// perMinute is OpenAI's refusal of a request that is over the limit of a minute all by itself. With "used" between
// the two numbers it is ordinary throttling.
var perMinute = signature{regexp.MustCompile(`request too large.*?limit (\d+), requested (\d+)`), 1, 2, 0}

// maxErrorBody bounds what is searched.
const maxErrorBody = 64 << 10

// Overflow reports whether an upstream's answer says that the chat is too long for the model. limit is the window
// it names and used the size of the prompt by its count (a lower bound with vLLM), both in tokens, 0 = not said.
// body is an error body in any format, or, with a 2xx status, a plain or streamed answer that holds an error object.
func Overflow(status int, body []byte) (limit, used int, ok bool) {
	text := errorText(status, body[:min(len(body), maxErrorBody)])
	if text == "" {
		return 0, 0, false
	}
	switch {
	case status == 429:
		limit, used, ok = perMinute.find(text)
		return limit, used, ok && used > limit
	case status == 401 || status == 402 || status == 403 || status == 404 || strings.Contains(text, "insufficient_quota"):
		return 0, 0, false
	}
	for i := range signatures {
		if limit, used, ok = signatures[i].find(text); ok {
			return limit, used, true
		}
	}
	return 0, 0, false
}

func (s *signature) find(text string) (limit, used int, ok bool) {
	groups := s.pattern.FindStringSubmatch(text)
	if groups == nil {
		return 0, 0, false
	}
	number := func(group int) int {
		if group == 0 {
			return 0
		}
		n, err := strconv.Atoi(groups[group])
		if err != nil {
			return 0
		}
		return n
	}
	return number(s.limit), max(number(s.used)-number(s.reply), 0), true
}

// errorText returns the text of an error that signatures are looked for in: lower case, without line breaks.
// A 2xx answer counts only as far as it holds error objects: a model may well write about context lengths.
func errorText(status int, body []byte) string {
	if status >= 200 && status <= 299 {
		body = errorObjects(body)
	}
	return strings.NewReplacer("\n", " ", "\r", " ", `\n`, " ", `\"`, `"`, `\u003e`, ">").Replace(strings.ToLower(string(body)))
}

// errorObjects returns the JSON objects of a plain or streamed answer that report an error.
func errorObjects(body []byte) []byte {
	if text := string(body); valid(text) {
		if failed(text) {
			return body
		}
		return nil
	}
	var found []byte
	for line := range bytes.Lines(body) {
		text := strings.TrimSpace(strings.TrimPrefix(string(line), "data:"))
		if valid(text) && (failed(text) || gjson.Get(text, "type").Str == "error") {
			found = append(append(found, text...), ' ')
		}
	}
	return found
}
