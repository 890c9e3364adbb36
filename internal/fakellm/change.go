package fakellm

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// change is what became of one message.
type change uint8

const (
	other       change = iota // not made of that message by anything allowed
	same                      // byte for byte
	shorter                   // a tool result whose content alone got shorter
	textInFront               // text put in front of a user message's own
	textBehind                // text put behind a system message's own
)

// compare says how to could have been made of from.
func compare(from, to *message) change {
	switch {
	case bytes.Equal(from.raw, to.raw):
		return same
	case from.role != to.role || !sameBesidesContent(from, to):
		return other
	case from.result() && isShorter(from.content.value, to.content.value):
		return shorter
	case from.role == "user" && hasInFront(from.content.value, to.content.value):
		return textInFront
	case from.system() && hasBehind(from.content.value, to.content.value):
		return textBehind
	}
	return other
}

// sameBesidesContent compares the bytes around the content value.
func sameBesidesContent(from, to *message) bool {
	return from.content.end > 0 && to.content.end > 0 &&
		bytes.Equal(from.raw[:from.content.start], to.raw[:to.content.start]) &&
		bytes.Equal(from.raw[from.content.end:], to.raw[to.content.end:])
}

// isShorter reports whether to is a string of whole characters that says less than from. A list of parts may
// become a string: then the bytes are compared too, since a picture has no characters.
func isShorter(from, to []byte) bool {
	if !isString(to) {
		return false
	}
	before, after := contentText(from), contentText(to)
	if strings.ContainsRune(after, utf8.RuneError) && !strings.ContainsRune(before, utf8.RuneError) {
		return false
	}
	if utf8.RuneCountInString(after) < utf8.RuneCountInString(before) {
		return true
	}
	return isArray(from) && len(to) < len(from)
}

// hasInFront reports whether to is from with text in front: the string longer, or one text part more.
func hasInFront(from, to []byte) bool {
	if isString(from) && isString(to) {
		return bytes.HasSuffix(inner(to), inner(from)) && len(to) > len(from) &&
			strings.HasSuffix(unquote(to), unquote(from))
	}
	before, ok1 := elements(from)
	after, ok2 := elements(to)
	return ok1 && ok2 && len(after) == len(before)+1 && isText(after[0]) && equalAll(before, after[1:])
}

// hasBehind reports whether to is from with text behind.
func hasBehind(from, to []byte) bool {
	if isString(from) && isString(to) {
		return bytes.HasPrefix(inner(to), inner(from)) && len(to) > len(from) &&
			strings.HasPrefix(unquote(to), unquote(from))
	}
	before, ok1 := elements(from)
	after, ok2 := elements(to)
	last := len(after) - 1
	return ok1 && ok2 && last == len(before) && isText(after[last]) && equalAll(before, after[:last])
}

// inner returns a string token without its quotes.
func inner(token []byte) []byte { return token[1 : len(token)-1] }

func isText(part []byte) bool {
	_, ok := partText(part)
	return ok
}

func equalAll(a, b [][]byte) bool {
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}
