package dialect

import (
	"strconv"
	"strings"
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
	r.Chars = utf8.RuneCountInString(chat.JoinText(raw, r.Parts))
	return r
}

// digest returns the digest of a message's facts, in the form that all formats share.
func digest(raw string, f *chat.Facts) chat.Digest {
	return chat.NewDigest(raw, f,
		func(c chat.Call) string { return canonicalArgs(c.Args.Of(raw)) },
		func(p chat.Part) string { return canonicalPart(p, raw) })
}
