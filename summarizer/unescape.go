package summarizer

import (
	"strings"
	"unicode/utf8"

	"recap/chat"
)

// plain is chat.JoinText for texts that are only searched: much faster where a token has no more than the plain
// escapes, as results of tools mostly do.
func plain(raw string, parts []chat.Part) string {
	var texts []string
	for _, p := range parts {
		if p.Kind == chat.Text {
			texts = append(texts, unescape(p.Span.Of(raw)))
		}
	}
	if len(texts) == 1 {
		return texts[0]
	}
	return strings.Join(texts, "\n")
}

// plainEscapes are the escapes of one character, by the byte behind the backslash.
var plainEscapes = [256]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', '"': '"', '\\': '\\', '/': '/'}

// unescape is chat.Unquote.
func unescape(token string) string {
	if len(token) < 2 || token[0] != '"' || !utf8.ValidString(token) {
		return chat.Unquote(token)
	}
	rest := token[1 : len(token)-1]
	at := strings.IndexByte(rest, '\\')
	if at < 0 {
		return rest
	}
	out := make([]byte, 0, len(rest))
	for at >= 0 {
		if at+1 >= len(rest) || plainEscapes[rest[at+1]] == 0 {
			return chat.Unquote(token)
		}
		out = append(append(out, rest[:at]...), plainEscapes[rest[at+1]])
		rest = rest[at+2:]
		at = strings.IndexByte(rest, '\\')
	}
	return string(append(out, rest...))
}
