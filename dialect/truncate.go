package dialect

import (
	"bytes"
	"strings"
)

const noTruncate = `"truncate":false,`

// NoTruncate implements Guard. Ollama reads keys in any case, so any case is the client's word.
func (ollama) NoTruncate(body []byte) ([]byte, bool) {
	said := false
	visit(string(body), func(key, _ string) { said = said || strings.EqualFold(key, "truncate") })
	at := bytes.IndexByte(body, '{') + 1
	if said || at == 0 || len(bytes.TrimSpace(body[:at-1])) > 0 || bytes.HasPrefix(bytes.TrimLeft(body[at:], " \t\r\n"), []byte{'}'}) {
		return nil, false
	}
	next := make([]byte, 0, len(body)+len(noTruncate))
	return append(append(append(next, body[:at]...), noTruncate...), body[at:]...), true
}
