package dialect

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// TooLong is what an upstream says of a chat that does not fit.
type TooLong struct {
	Limit   int  // the window it names, in tokens; 0 = none
	Used    int  // the prompt by its count, in tokens; 0 = not said
	AtLeast bool // Used is a lower bound: it stopped counting

	words string // that the limit was taken from, squeezed
}

// signature is one way in which servers say that a prompt does not fit. limit, used and reply are the groups
// that hold the window, the prompt and what the prompt's number counts too much; 0 = not said.
type signature struct {
	pattern            *regexp.Regexp
	limit, used, reply int
	atLeast            bool
}

// signatures are tried in this order against the lower-case text of an error; a comment names the servers.
var signatures = []signature{
	// OpenAI (old), DeepSeek, OpenRouter: what was asked for includes the reply.
	{regexp.MustCompile(`maximum context length is (\d+) tokens\b.*?requested (?:about )?(\d+) tokens \(.*?(\d+) (?:in|of|for) the (?:completion|output)`), 1, 2, 3, false},
	// vLLM: how much the prompt holds at least.
	{regexp.MustCompile(`maximum context length is (\d+) tokens\b.*?(?:prompt contains|request has) (\d+) input tokens`), 1, 2, 0, false},
	{regexp.MustCompile(`maximum context length is (\d+) tokens\b.*?prompt contains at least (\d+) input tokens`), 1, 2, 0, true},
	// OpenAI, Azure.
	{regexp.MustCompile(`maximum context length is (\d+) tokens\b.*?(?:resulted in|requested)(?: about)? (\d+) tokens`), 1, 2, 0, false},
	{regexp.MustCompile(`maximum context length is (\d+)`), 1, 0, 0, false},
	// llama.cpp.
	{regexp.MustCompile(`request \((\d+) tokens\) exceeds the available context size \((\d+)(?: tokens)?\)`), 2, 1, 0, false},
	{regexp.MustCompile(`exceed_context_size_error|exceeds the available context size`), 0, 0, 0, false},
	// LM Studio.
	{regexp.MustCompile(`trying to keep the first (\d+) tokens when context the overflows.*?context length of only (\d+) tokens`), 2, 1, 0, false},
	{regexp.MustCompile(`cannot truncate prompt with n_keep \((\d+)\) >= n_ctx \((\d+)\)`), 2, 1, 0, false},
	{regexp.MustCompile(`context size has been exceeded`), 0, 0, 0, false},
	// Ollama.
	{regexp.MustCompile(`prompt is longer than the context length currently available|input length exceeds the context length`), 0, 0, 0, false},
	// Anthropic.
	{regexp.MustCompile(`prompt is too long: (\d+) tokens > (\d+) maximum`), 2, 1, 0, false},
	{regexp.MustCompile("input length and `max_tokens` exceed context limit: (\\d+) \\+ \\d+ > (\\d+)"), 2, 1, 0, false},
	// Bedrock.
	{regexp.MustCompile(`input is too long for requested model|input tokens exceeded: number of input tokens exceeds maximum length`), 0, 0, 0, false},
	// xAI.
	{regexp.MustCompile(`maximum prompt length is (\d+) but the request contains (\d+) tokens`), 1, 2, 0, false},
	// Mistral.
	{regexp.MustCompile(`prompt contains (\d+) tokens.*?too large for model with (\d+) maximum context length`), 2, 1, 0, false},
	// Gemini.
	{regexp.MustCompile(`input token count \((\d+)\) exceeds the maximum number of tokens allowed \((\d+)\)`), 2, 1, 0, false},
	{regexp.MustCompile(`input token count exceeds the maximum number of tokens allowed \((\d+)\)`), 1, 0, 0, false},
	// OpenAI's Responses, and its code in any wording.
	{regexp.MustCompile(`input exceeds the context window of this model|context_length_exceeded`), 0, 0, 0, false},
}

// perMinute is OpenAI's refusal of a request that is over the limit of a minute all by itself. With "used" between
// the two numbers it is ordinary throttling.
var perMinute = signature{regexp.MustCompile(`request too large.*?limit (\d+), requested (\d+)`), 1, 2, 0, false}

// maxErrorBody bounds what is searched.
const maxErrorBody = 64 << 10

// Overflow reports whether an upstream's answer says that the chat is too long for the model. body is an error body in
// any format, or, with a 2xx status, a plain or streamed answer that holds an error object.
func Overflow(status int, body []byte) (TooLong, bool) {
	text := errorText(status, body[:min(len(body), maxErrorBody)])
	if text == "" {
		return TooLong{}, false
	}
	switch {
	case status == 429 || status == 413: // Groq has 413 for what is 429 with OpenAI
		t, ok := perMinute.find(text)
		return t, ok && t.Used > t.Limit
	case status == 401 || status == 402 || status == 403 || status == 404 || strings.Contains(text, "insufficient_quota"):
		return TooLong{}, false
	}
	for i := range signatures {
		if t, ok := signatures[i].find(text); ok {
			return t, true
		}
	}
	return TooLong{}, false
}

func (s *signature) find(text string) (TooLong, bool) {
	places := s.pattern.FindStringSubmatchIndex(text)
	if places == nil {
		return TooLong{}, false
	}
	number := func(group int) int {
		if group == 0 {
			return 0
		}
		n, err := strconv.Atoi(text[places[2*group]:places[2*group+1]])
		if err != nil {
			return 0
		}
		return n
	}
	end := places[1]
	if s.limit > 0 {
		end = places[2*s.limit+1]
	}
	return TooLong{
		Limit: number(s.limit), Used: max(number(s.used)-number(s.reply), 0), AtLeast: s.atLeast,
		words: squeeze(text[places[0]:end]),
	}, true
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
		if failed(text) || gjson.Get(text, "type").Str == "error" {
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

// Quoted reports whether the words that were taken for the limit stand in body, which the client wrote: a server that
// quotes a request must not teach by it.
func (t *TooLong) Quoted(body string) bool {
	return t.words != "" && strings.Contains(squeeze(body), t.words)
}

// squeeze keeps letters and digits alone, lower case, with JSON's escapes of them undone: what is left of a text however
// it was quoted.
func squeeze(text string) string {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\\' && i+1 < len(text) {
			i++
			if text[i] != 'u' || i+4 >= len(text) {
				continue
			}
			n, err := strconv.ParseUint(text[i+1:i+5], 16, 16)
			if i += 4; err != nil || n > 0x7f {
				continue
			}
			c = byte(n)
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' {
			out = append(out, c)
		}
	}
	return string(out)
}
