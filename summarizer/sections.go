package summarizer

import (
	"strings"

	"recap/tokens"
)

// headings are the sections of the checkpoint style (row L20).
var headings = []string{"Goal", "Constraints & Preferences", "Progress", "Key Decisions", "Next Steps", "Critical Context"}

// structured is from how many tokens on a text without a single heading should have had them: one or two sentences are
// what a model says that does not know headings, and asking it again costs a call for nothing.
const structured = 100

// sectionsGate misses headings of the checkpoint style.
func sectionsGate(d *draft) bool {
	if !d.headed {
		return false
	}
	there := map[string]bool{}
	any := false
	for line := range strings.Lines(d.text) {
		name, ok := heading(line)
		any = any || ok
		if known := headingNamed(name); ok && known != "" {
			there[known] = true
		}
	}
	if len(there) == len(headings) || !any && tokens.Estimate(d.text) < structured {
		return false
	}
	var missing []string
	for _, name := range headings {
		if !there[name] {
			missing = append(missing, name)
		}
	}
	d.again = "Your last answer lacked these headings: " + strings.Join(missing, ", ") + ". Write all six headings."
	return true
}

// heading returns the text of a line that is a heading in one of the ways in which models write them: "## Goal",
// "**Goal**", "1. Goal:", "Goal:".
func heading(line string) (name string, ok bool) {
	line = strings.TrimSpace(line)
	bare := strings.TrimLeft(line, "#*_ 0123456789.)")
	marked := strings.HasPrefix(line, "#") || strings.HasPrefix(line, "**") || strings.HasPrefix(line, "__")
	name, rest, colon := strings.Cut(bare, ":")
	name = strings.TrimSpace(strings.Trim(name, "*_ #"))
	if headingNamed(name) != "" && (marked || colon || strings.Trim(rest, "*_ ") == "") {
		return name, true
	}
	return name, strings.HasPrefix(line, "#")
}

// headingNamed returns the section that a name means, "" when none.
func headingNamed(name string) string {
	small := strings.ReplaceAll(strings.ToLower(name), " and ", " & ")
	for _, h := range headings {
		if small == strings.ToLower(h) || small == strings.ToLower(h)+"s" || small+"s" == strings.ToLower(h) {
			return h
		}
	}
	return ""
}

// withoutHeadings returns a text without the lines that only say what comes.
func withoutHeadings(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if name, ok := heading(line); ok && headingNamed(name) != "" {
			_, line, _ = strings.Cut(line, ":")
		}
		if small := strings.ToLower(strings.Trim(line, " \t\r\n-*.")); small != "none" {
			b.WriteString(line)
			b.WriteByte('\n')
		}
	}
	return b.String()
}
