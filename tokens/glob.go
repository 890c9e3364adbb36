package tokens

import (
	"strings"
	"unicode/utf8"
)

// Glob reports whether name matches pattern: * stands for any run of characters, slashes too, ? for one. Case does
// not count, for model names are written either way.
func Glob(pattern, name string) bool {
	p, n := strings.ToLower(pattern), strings.ToLower(name)
	star, mark := -1, 0 // where to resume: behind the last * and the character it swallows next
	i, j := 0, 0
	for j < len(n) {
		_, width := utf8.DecodeRuneInString(n[j:])
		switch {
		case i < len(p) && p[i] == '*':
			star, mark = i+1, j
			i++
		case i < len(p) && p[i] == '?':
			i, j = i+1, j+width
		case i < len(p) && p[i] == n[j]:
			i, j = i+1, j+1
		case star >= 0:
			mark++
			i, j = star, mark
		default:
			return false
		}
	}
	return strings.Trim(p[i:], "*") == ""
}
