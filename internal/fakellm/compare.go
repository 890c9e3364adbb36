package fakellm

import (
	"bytes"
	"strings"
)

// SharedMessages returns how many leading messages two chat requests have in common byte for byte, and how many the
// first has: equal numbers mean that after begins with before (promise P6, metric m2). What cannot be read
// has no messages.
func SharedMessages(dialect string, before, after []byte) (shared, of int) {
	a, errA := parseBody(dialect, before)
	b, errB := parseBody(dialect, after)
	if errA != nil || errB != nil {
		return 0, 0
	}
	of = len(a.messages)
	for shared < of && shared < len(b.messages) && bytes.Equal(a.messages[shared].raw, b.messages[shared].raw) {
		shared++
	}
	return shared, of
}

// TextOf returns what a model would see of a chat request: the text of all messages, and the names and arguments of
// calls, one a line. Escapes are undone, so that planted facts can be looked for. "" when it cannot be read.
func TextOf(dialect string, request []byte) string {
	b, err := parseBody(dialect, request)
	if err != nil {
		return ""
	}
	var lines []string
	for i := range b.messages {
		m := &b.messages[i]
		lines = append(lines, m.text())
		for _, c := range m.calls {
			args := string(c.args)
			if isString(c.args) {
				args = unquote(c.args)
			}
			lines = append(lines, c.name+" "+args)
		}
	}
	return strings.Join(lines, "\n")
}
