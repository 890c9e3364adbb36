package summarizer

import (
	"strings"
	"unicode"
)

// thinkTags are the tags between which models think aloud.
var thinkTags = []string{"think", "thinking", "thought", "reasoning", "reflection"}

// endTokens end an answer in one chat template or another: what follows is another turn that the model made up.
var endTokens = []string{
	"<|im_end|>", "<|eot_id|>", "<|end_of_text|>", "<|endoftext|>", "<|end|>", "<|return|>", "<end_of_turn>", "</s>",
	"<｜end▁of▁sentence｜>", "<|END_OF_TURN_TOKEN|>", "<eos>",
}

// strayTokens are template tokens without a pattern; those of the shape <|…|> are known by it.
var strayTokens = []string{
	"<s>", "<bos>", "<start_of_turn>model", "<start_of_turn>", "[INST]", "[/INST]", "<<SYS>>", "<</SYS>>",
	"<｜Assistant｜>", "<｜begin▁of▁sentence｜>",
}

// clean takes off what a model or its template left around the summary: think blocks, closed or not, template tokens
// and a fence around the whole (rows N7, N11; A20); and control characters wherever they stand, for a NUL or an escape
// sequence is no part of a summary and harms whoever stores or shows it.
func clean(text string) string {
	text = strings.Map(printable, strings.ToValidUTF8(text, "\uFFFD"))
	text = afterChannel(text)
	for _, tag := range thinkTags {
		text = withoutThinking(text, tag)
	}
	text = beforeEnd(text)
	text = withoutTokens(text)
	return strings.TrimSpace(withoutFence(strings.TrimSpace(text)))
}

// printable drops control characters but line ends and tabs.
func printable(r rune) rune {
	if unicode.IsControl(r) && r != '\n' && r != '\t' {
		return -1
	}
	return r
}

// afterChannel keeps the final channel of models that answer in channels.
func afterChannel(text string) string {
	const final = "<|channel|>final<|message|>"
	if at := strings.LastIndex(text, final); at >= 0 {
		return text[at+len(final):]
	}
	return text
}

// withoutThinking removes what stands between <tag> and </tag>. Without an end all the rest is thinking; without a
// beginning, which some templates put into the prompt, all that stands before the end is.
func withoutThinking(text, tag string) string {
	open, end := "<"+tag+">", "</"+tag+">"
	for {
		last := indexFold(text, end)
		first := indexFold(text, open)
		switch {
		case first < 0 && last < 0:
			return text
		case first >= 0 && last < 0:
			return text[:first]
		case first < 0 || last < first:
			text = text[last+len(end):]
		default:
			text = text[:first] + text[last+len(end):]
		}
	}
}

// indexFold is strings.Index for an ASCII word in small letters, whatever letters the text has.
func indexFold(text, word string) int {
	for at := 0; at+len(word) <= len(text); at++ {
		i := strings.IndexByte(text[at:], word[0])
		if i < 0 || at+i+len(word) > len(text) {
			return -1
		}
		at += i
		if strings.EqualFold(text[at:at+len(word)], word) {
			return at
		}
	}
	return -1
}

// beforeEnd cuts at the first end token that has an answer before it.
func beforeEnd(text string) string {
	cut := len(text)
	for _, token := range endTokens {
		if at := strings.Index(text, token); at >= 0 && at < cut && strings.TrimSpace(withoutTokens(text[:at])) != "" {
			cut = at
		}
	}
	return text[:cut]
}

// withoutTokens removes template tokens, and the role that stands behind one that opens a turn.
func withoutTokens(text string) string {
	for _, token := range append(strayTokens, endTokens...) {
		if strings.Contains(text, token) {
			text = strings.ReplaceAll(text, token, "")
		}
	}
	for from := 0; ; {
		at := strings.Index(text[from:], "<|")
		if at < 0 {
			return text
		}
		at += from
		size := strings.Index(text[at:], "|>")
		if size < 0 || size > 40 || strings.ContainsAny(text[at:at+size], " \n") {
			from = at + 2
			continue
		}
		rest := text[at+size+2:]
		if token := text[at : at+size+2]; token == "<|im_start|>" || token == "<|start_header_id|>" || token == "<|start|>" {
			for _, role := range []string{"assistant", "model", "user", "system"} {
				rest = strings.TrimPrefix(rest, role)
			}
		}
		text, from = text[:at]+rest, at
	}
}

// withoutFence takes off a code fence around the whole text.
func withoutFence(text string) string {
	if !strings.HasPrefix(text, "```") || !strings.HasSuffix(text, "```") || len(text) < 7 {
		return text
	}
	inner := text[3 : len(text)-3]
	line := strings.IndexByte(inner, '\n')
	if line < 0 || strings.Contains(inner, "```") || strings.ContainsAny(inner[:line], " \t`") && strings.TrimSpace(inner[:line]) != "" {
		return text
	}
	return inner[line+1:]
}
