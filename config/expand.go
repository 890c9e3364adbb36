package config

import (
	"regexp"
	"strings"
)

// YAML does not allow the braces of ${VAR} in a plain value between { and }, where people write them all the same:
// `admin: {token: ${RECAP_ADMIN_TOKEN}}`. So before parsing, ${, and the } that ends it, become private characters
// of the same width, and positions stay right; afterwards they are looked up, or turned back.
const (
	markOpen  = "\uE000\uE001"
	markClose = "\uE002"
)

var (
	variable = regexp.MustCompile(`(\$\$|\$)\{([A-Za-z_][A-Za-z0-9_]*)(:-[^}\n\x{E000}-\x{E002}]*)?\}`)
	marked   = regexp.MustCompile(markOpen + `([A-Za-z_][A-Za-z0-9_]*)(:-[^\n\x{E000}-\x{E002}]*)?` + markClose)
)

// mark hides ${VAR} and ${VAR:-default} from the parser. $${VAR} stays: it is the way to write ${VAR} itself.
func mark(text string) string {
	return variable.ReplaceAllStringFunc(text, func(m string) string {
		if strings.HasPrefix(m, "$$") {
			return m
		}
		return markOpen + m[2:len(m)-1] + markClose
	})
}

// unmark turns marks back into what was written.
func unmark(text string) string {
	return marked.ReplaceAllString(text, "$${$1$2}")
}

// Lookup finds the value of an environment variable.
type Lookup func(name string) (string, bool)

// expand puts variables into a value of the file. A variable that is not set and has no default gives nothing and is
// named in missing. What a variable holds is never expanded again. found says that there was one at all.
func expand(text string, env Lookup) (out string, missing []string, found bool) {
	text = strings.ReplaceAll(text, "$${", "${")
	out = marked.ReplaceAllStringFunc(text, func(m string) string {
		found = true
		part := marked.FindStringSubmatch(m)
		name, fallback := part[1], part[2]
		value, ok := env(name)
		switch {
		case ok && (value != "" || fallback == ""):
			return value
		case fallback != "":
			return fallback[2:]
		}
		missing = append(missing, name)
		return ""
	})
	return out, missing, found
}
