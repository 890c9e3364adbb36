package summarizer

import (
	"strings"

	"recap/chat"
)

// What the tests of this package look at from outside.
var (
	Clean       = clean
	Guard       = guard
	Instruction = instruction
)

// The constant sentences around a record.
const (
	DataNotice    = dataNotice
	ClosingNotice = closingNotice
	SuffixNotice  = suffixNotice
	RecordTag     = recordTag
	PreviousTag   = previousTag
)

// PromptText is the user message of one call.
func PromptText(o Options, previous, record string) string {
	p := prompt{options: &o, previous: previous, record: record, words: 100}
	return p.String()
}

// Judge asks all gates and returns why a text is refused, "" when it is not.
func Judge(text string, limit, replaces, beside int) string {
	v := judge(&draft{text: text, limit: limit, replaces: replaces, beside: beside})
	return v.refused
}

// Judged is a draft for all gates, as the checkpoint style asks for it: what they make of it, why they refuse it, and
// what they find and let pass.
func Judged(text, previous string, b []chat.Message) (left, refused, again string, found []string) {
	record := strings.Join(transcript(b, 1), "\n\n")
	d := draft{
		text: text, limit: 4000, headed: true, source: newSupport(record, previous), spoken: languageOf(b),
		previous: previous, fresh: record,
	}
	v := judge(&d)
	return d.text, v.refused, v.again, reasons(v.faults)
}

// Facts lists the exact strings of a user's text, with what is shown of each where that is more.
func Facts(text string) []string {
	g := newGatherer()
	g.add(text, fromUser)
	var list []string
	for _, f := range g.best(maxUserFacts) {
		one := f.text
		if f.shown != f.text {
			one += " (" + f.shown + ")"
		}
		list = append(list, one)
	}
	return list
}

// Rules lists the sentences of a text that forbid or demand something.
var Rules = rules

// SuffixText is the last message of a call in suffix mode.
func SuffixText(o Options, updates bool) string {
	p := prompt{options: &o, suffix: true, updates: updates, words: 100}
	return p.String()
}

// Gates is how many gates there are, and how many a verdict has room for.
func Gates() (n, room int) { return len(gates), len(lesson{}.inVain) }

// Share is how many tokens all rows of a chat may take.
func Share(o *Options, window int) int { return o.share(window) }
