package dialect

import (
	"hash/maphash"
	"strings"
)

// Valid is for tests of sound.
func Valid(text string) bool { return valid(text) }

// MakePathsMeet has the known body text be found by the path of other's first message, as if chance had made the two paths
// the same. It reports whether text was known.
func MakePathsMeet(name, text, other string) bool {
	l := openAILayout
	if name == "ollama" {
		l = ollamaLayout
	}
	from := strings.Index(other, `[{`) + 1
	end := from + strings.Index(other[from:], `}`) + 1
	path := follow(0, maphash.String(l.seed[0], other[from:end]))
	l.bodies.mu.Lock()
	defer l.bodies.mu.Unlock()
	for _, k := range l.bodies.young {
		if s := *k.now.Load(); strings.HasPrefix(text, s.text) {
			s.points[0].path = path
			k.now.Store(&s)
			l.bodies.young[path] = k
			return true
		}
	}
	return false
}
