package config

import "strings"

// headerPrefix is what the names of our own headers begin with, in lower case.
const headerPrefix = "x-recap-"

// saidInAnswers are names that a request carries where one Recap stands behind another; they ask for nothing.
var saidInAnswers = []string{"status", "tokens", "checkpoint", "summary"}

// maxMisspelt is how many letters may be wrong in a name for it to be a known one misspelt.
const maxMisspelt = 2

// UnknownHeader looks at a request header whose name begins with X-Recap-. known: it is an override, or one of those
// that answers carry. A name that is almost an override the operator allows is a *BadHeader that says which: its sender
// wants something and would not get it. Any other name asks for what this version does not know, and is no error.
func (c *Config) UnknownHeader(name string) (known bool, err error) {
	rest, ours := strings.CutPrefix(strings.ToLower(name), headerPrefix)
	if !ours {
		return true, nil
	}
	for _, answer := range saidInAnswers {
		if rest == answer {
			return true, nil
		}
	}
	best, least := "", maxMisspelt+1
	for _, h := range headers {
		d := distance(rest, strings.ToLower(h.name[len(headerPrefix):]))
		if d == 0 {
			return true, nil
		}
		if d < least && 2*d <= len(rest) {
			best, least = h.name, d
		}
	}
	if best == "" || !allowed(best, c.Overrides.Allow) {
		return false, nil
	}
	return false, &BadHeader{Name: shownHeader(name), Why: "there is no such header; did you mean " + best + "?"}
}

// shownHeader is a header's name as it may be shown: short, and letters only.
func shownHeader(name string) string {
	name = name[:min(len(name), 64)]
	return strings.Map(func(r rune) rune {
		if r < '!' || r > '~' {
			return '?'
		}
		return r
	}, name)
}
