package chat

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// plainEscapes are the escapes of one character, by the byte behind the backslash.
var plainEscapes = [256]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', '"': '"', '\\': '\\', '/': '/'}

// Unquote returns the text of a JSON string token. Without escapes it is a view and costs nothing. Bytes that
// are not UTF-8 come out as U+FFFD. A token that is not a string comes back as it is.
func Unquote(token string) string {
	if len(token) < 2 || token[0] != '"' {
		return token
	}
	rest := token[1 : len(token)-1]
	if !utf8.ValidString(rest) {
		return decodeString(token)
	}
	at := strings.IndexByte(rest, '\\')
	if at < 0 {
		return rest
	}
	out := make([]byte, 0, len(rest))
	for at >= 0 {
		if at+1 >= len(rest) || plainEscapes[rest[at+1]] == 0 {
			return decodeString(token) // \u with its surrogates is left to the library
		}
		out = append(append(out, rest[:at]...), plainEscapes[rest[at+1]])
		rest = rest[at+2:]
		at = strings.IndexByte(rest, '\\')
	}
	out = append(out, rest...)
	return unsafe.String(unsafe.SliceData(out), len(out)) // nobody else has it
}

func decodeString(token string) string {
	var text string
	if json.Unmarshal([]byte(token), &text) != nil {
		return token[1 : len(token)-1]
	}
	return text
}
