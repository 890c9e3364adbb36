package summarizer

import (
	"strings"
	"unicode/utf8"

	"recap/chat"
	"recap/tokens"
)

// source says who wrote an exact string. The user's words weigh most, then what a tool was asked for.
type source uint8

const (
	fromTool source = iota
	fromAssistant
	fromCall
	fromUser
)

// fact is one exact string of a message.
type fact struct {
	kind   factKind
	source source
	text   string // the string itself
	shown  string // the same with the words that say what it is
	topic  string // see topic; "" = none
	count  int    // how often the message says it
}

// messageFacts is what a ledger needs of one message. It is a pure function of what the message's Digest names, holds
// no view into a body, and is never changed once it is there.
type messageFacts struct {
	facts   []fact
	request int      // tokens of a user message's own text; 0 = no request
	head    string   // of that text: all of it where tail is ""
	tail    string   // its end
	rules   []string // sentences that forbid or demand
}

// What is remembered of one message at the most.
const (
	maxUserFacts  = 96
	maxOtherFacts = 24
	mostSaid      = 40 // more exact strings in a user message are not said but pasted
	headBytes     = 4096
	tailBytes     = 2048
)

// known remembers facts by digest: a message that stays in the history is read once.
var known = chat.NewMemo[chat.Digest, *messageFacts](4096)

func factsOf(m *chat.Message) *messageFacts {
	var none chat.Digest
	if m.Digest == none {
		return readFacts(m)
	}
	if mf, ok := known.Get(m.Digest); ok {
		return mf
	}
	mf := readFacts(m)
	known.Put(m.Digest, mf)
	return mf
}

func readFacts(m *chat.Message) *messageFacts {
	mf := &messageFacts{}
	g := newGatherer()
	switch {
	case m.Opens():
		text := strings.TrimSpace(chat.JoinText(m.Raw, m.Parts))
		mf.request = tokens.Estimate(text)
		mf.head, mf.tail = ends(text)
		mf.rules = rules(text)
		g.add(text, fromUser)
	case m.Role == chat.Assistant:
		g.add(chat.JoinText(m.Raw, m.Parts), fromAssistant)
	default:
		g.add(chat.JoinText(m.Raw, m.Parts), fromTool)
	}
	for _, c := range m.Calls {
		g.add(argumentText(c.Args.Of(m.Raw)), fromCall)
	}
	for i := range m.Results {
		g.add(chat.JoinText(m.Raw, m.Results[i].Parts), fromTool)
	}
	limit := maxOtherFacts
	if m.Opens() {
		limit = maxUserFacts
		if len(g.entries) > mostSaid {
			g.pasted()
		}
	}
	mf.facts = g.best(limit)
	return mf
}

// ends copies a text that is short, else its head and tail.
func ends(text string) (head, tail string) {
	if len(text) <= headBytes+tailBytes {
		return strings.Clone(text), ""
	}
	return strings.Clone(headOf(text, headBytes)), strings.Clone(tailOf(text, tailBytes))
}

// headOf cuts a text to whole characters of at most n bytes.
func headOf(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// tailOf is headOf from the end.
func tailOf(text string, n int) string {
	if len(text) <= n {
		return text
	}
	at := len(text) - n
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return text[at:]
}

// argumentText is what the arguments of a call say: the strings in them, unescaped, and the numbers. Names of
// members are left out: they are the same in every call.
func argumentText(args string) string {
	args = chat.Unquote(args) // OpenAI's are a string that holds JSON
	var b strings.Builder
	b.Grow(len(args))
	for {
		open := strings.IndexByte(args, '"')
		if open < 0 {
			b.WriteString(args)
			return b.String()
		}
		end := stringEnd(args, open)
		b.WriteString(args[:open])
		b.WriteByte(' ')
		if rest := strings.TrimLeft(args[end:], " "); !strings.HasPrefix(rest, ":") {
			b.WriteString(chat.Unquote(args[open:end]))
			b.WriteByte('\n')
		}
		args = args[end:]
	}
}

// stringEnd returns the position behind a JSON string that opens at a position.
func stringEnd(text string, open int) int {
	for at := open + 1; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(text)
}
