package fakellm

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// member is one member of a JSON object: where its value stands, and the value's bytes.
type member struct {
	key        string
	value      []byte
	start, end int // of value, in the object's bytes
}

var errNotObject = errors.New("not a JSON object")

// members returns the members of an object in their order. Text must be valid JSON.
func members(text []byte) ([]member, error) {
	at := skipSpace(text, 0)
	if at >= len(text) || text[at] != '{' {
		return nil, errNotObject
	}
	var out []member
	for at = skipSpace(text, at+1); text[at] != '}'; {
		keyEnd := skipValue(text, at)
		m := member{key: unquote(text[at:keyEnd])}
		m.start = skipSpace(text, skipSpace(text, keyEnd)+1) // +1: the colon
		m.end = skipValue(text, m.start)
		m.value = text[m.start:m.end]
		out = append(out, m)
		at = skipComma(text, m.end)
	}
	return out, nil
}

// elements returns the values of an array, false when text is not one. Text must be valid JSON.
func elements(text []byte) ([][]byte, bool) {
	at := skipSpace(text, 0)
	if at >= len(text) || text[at] != '[' {
		return nil, false
	}
	var out [][]byte
	for at = skipSpace(text, at+1); text[at] != ']'; {
		end := skipValue(text, at)
		out = append(out, text[at:end])
		at = skipComma(text, end)
	}
	return out, true
}

// lookup returns the last member of that name, as encoding/json would take it.
func lookup(ms []member, key string) (member, bool) {
	for i := len(ms) - 1; i >= 0; i-- {
		if ms[i].key == key {
			return ms[i], true
		}
	}
	return member{}, false
}

func skipSpace(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r') {
		at++
	}
	return at
}

func skipComma(text []byte, at int) int {
	if at = skipSpace(text, at); text[at] == ',' {
		at = skipSpace(text, at+1)
	}
	return at
}

// skipValue returns the offset behind the value that starts at a position.
func skipValue(text []byte, at int) int {
	switch text[at] {
	case '"':
		return skipString(text, at)
	case '{', '[':
		return skipNested(text, at)
	}
	for at < len(text) && !bytes.ContainsRune([]byte(",]} \n\t\r"), rune(text[at])) {
		at++
	}
	return at
}

func skipString(text []byte, at int) int {
	for at++; ; at++ {
		end := bytes.IndexByte(text[at:], '"')
		at += end
		slashes := 0
		for text[at-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return at + 1
		}
	}
}

func skipNested(text []byte, at int) int {
	for depth := 0; ; {
		switch text[at] {
		case '"':
			at = skipString(text, at)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		at++
		if depth == 0 {
			return at
		}
	}
}

// unquote returns the text of a JSON string token, "" for any other value.
func unquote(token []byte) string {
	if !isString(token) {
		return ""
	}
	if inner := token[1 : len(token)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner)
	}
	var text string
	_ = json.Unmarshal(token, &text)
	return text
}

func isString(token []byte) bool { return len(token) >= 2 && token[0] == '"' }
func isObject(token []byte) bool { return len(token) > 0 && token[0] == '{' }
func isArray(token []byte) bool  { return len(token) > 0 && token[0] == '[' }
func isNull(token []byte) bool   { return len(token) == 0 || string(token) == "null" }
