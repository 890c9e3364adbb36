package dialect

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"recap/chat"
)

// The readers below take valid JSON: text is a message or a body, spans are relative to it.

// absent reports whether a member is not there or null.
func absent(text string, at chat.Span) bool { return at == chat.Span{} || at.Of(text) == "null" }

// is reports whether the value at a span begins with that byte: '"', '{' or '['.
func is(text string, at chat.Span, first byte) bool {
	return at != chat.Span{} && text[at.Start] == first
}

// str returns the text of a string member, in its own memory; "" when it is absent.
func str(text string, at chat.Span) (value, reason string) {
	if absent(text, at) {
		return "", ""
	}
	if !is(text, at, '"') {
		return "", "wrong-type"
	}
	return strings.Clone(chat.Unquote(at.Of(text))), ""
}

// modelName is str for the member that names the model, in memory that keeps no body: it is remembered for long.
func modelName(text string, at chat.Span) (name, reason string) {
	if absent(text, at) || !is(text, at, '"') {
		return str(text, at)
	}
	return models.own(chat.Unquote(at.Of(text))), ""
}

// label is str for members that may be anything without harm.
func label(text string, at chat.Span) string {
	value, _ := str(text, at)
	return value
}

// flag returns a bool member, or its default when it is absent.
func flag(text string, at chat.Span, otherwise bool) (value bool, reason string) {
	if absent(text, at) {
		return otherwise, ""
	}
	switch at.Of(text) {
	case "true":
		return true, ""
	case "false":
		return false, ""
	}
	return otherwise, "wrong-type"
}

// count returns a number of tokens, 0 when it is absent or not positive.
func count(text string, at chat.Span) (value int, reason string) {
	if absent(text, at) {
		return 0, ""
	}
	if n, ok := digits(at.Of(text)); ok {
		return n, ""
	}
	number, err := strconv.ParseFloat(at.Of(text), 64)
	if err != nil {
		return 0, "wrong-type"
	}
	// Past this no window is known; the bound keeps the conversion defined.
	return int(max(min(number, 1<<40), 0)), ""
}

// elements calls visit for each element of an array until it gives a reason. A member that is absent has none.
func elements(text string, at chat.Span, visit func(chat.Span) string) string {
	if absent(text, at) {
		return ""
	}
	if !is(text, at, '[') {
		return "wrong-type"
	}
	c := cursor{s: text, i: at.Start}
	for c.open('['); c.more(']'); {
		value := c.value()
		if reason := visit(value); reason != "" {
			c.fail(reason)
		}
	}
	return c.odd
}

// result makes the only result of a tool message out of what its content was read as.
func result(raw string, r chat.Result) chat.Result {
	texts := 0
	for _, part := range r.Parts {
		if part.Kind == chat.Text {
			r.Chars += runes(part.Span.Of(raw))
			texts++
		}
	}
	// The texts are joined by line feeds.
	r.Chars += max(texts-1, 0)
	return r
}

// runes counts the code points of a JSON string's text without unescaping it.
func runes(token string) int {
	n := 0
	for i := 1; i < len(token)-1; n++ {
		switch c := token[i]; {
		case c == '\\' && token[i+1] == 'u':
			i += len(`\u0000`)
			if surrogates(token[i-6:]) {
				i += len(`\u0000`)
			}
		case c == '\\':
			i += 2
		case c < utf8.RuneSelf:
			i++
		default:
			_, size := utf8.DecodeRuneInString(token[i:])
			i += size
		}
	}
	return n
}

// surrogates reports whether text begins with two escapes that are one code point.
func surrogates(text string) bool {
	if len(text) < 12 || text[6:8] != `\u` {
		return false
	}
	high, err := strconv.ParseUint(text[2:6], 16, 16)
	low, err2 := strconv.ParseUint(text[8:12], 16, 16)
	return err == nil && err2 == nil && utf16.DecodeRune(rune(high), rune(low)) != utf8.RuneError
}

// digest returns the digest of a message's facts, in the form that all formats share.
func digest(raw string, f *chat.Facts) chat.Digest {
	return chat.NewDigest(raw, f,
		func(c chat.Call) string { return canonicalArgs(c.Args.Of(raw)) },
		func(p chat.Part) string { return canonicalPart(p, raw) })
}
