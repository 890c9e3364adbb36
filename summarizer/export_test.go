package summarizer

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
	RecordTag     = recordTag
	PreviousTag   = previousTag
)

// PromptText is the user message of one call.
func PromptText(o Options, previous, record string) string {
	p := prompt{options: &o, previous: previous, record: record, words: 100}
	return p.String()
}

// Judge asks all gates.
func Judge(text string, limit, replaces, beside int) string {
	return judge(&draft{text: text, limit: limit, replaces: replaces, beside: beside})
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

// Share is how many tokens all rows of a chat may take.
func Share(o *Options, window int) int { return o.share(window) }
