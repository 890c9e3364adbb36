package summarizer

import (
	"cmp"
	"slices"
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

	in string // while gathering: the text it stands in, and where
	at int
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
		text := strings.TrimSpace(m.Text())
		mf.request = tokens.Estimate(text)
		mf.head, mf.tail = ends(text)
		mf.rules = rules(text)
		g.add(text, fromUser)
	case m.Role == chat.Assistant:
		g.add(m.Text(), fromAssistant)
	default:
		g.add(m.Text(), fromTool)
	}
	for _, c := range m.Calls {
		g.add(argumentText(c.Args.Of(m.Raw)), fromCall)
	}
	for i := range m.Results {
		g.add(m.ResultText(i), fromTool)
	}
	limit := maxOtherFacts
	if m.Opens() {
		limit = maxUserFacts
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

// gatherer collects the distinct exact strings of one message.
type gatherer struct {
	index map[string]int
	facts []fact
}

// maxDistinct bounds what is looked at in one message: a listing of thousands of names is no list of facts.
const maxDistinct = 1024

func newGatherer() *gatherer { return &gatherer{index: make(map[string]int, 64)} }

func (g *gatherer) add(text string, from source) {
	s := scanner{text: text, loose: from == fromCall, names: from == fromUser}
	s.emit = func(f found) { g.put(text, f, from) }
	s.scan()
	if from == fromUser {
		quoted(text, func(f found) { g.put(text, f, from) })
	}
}

func (g *gatherer) put(text string, f found, from source) {
	word := text[f.start:f.end]
	if from != fromUser && strings.HasPrefix(word, "--") {
		return // options of commands are the user's wish or nobody's
	}
	if at, ok := g.index[word]; ok {
		g.facts[at].count++
		g.facts[at].source = max(g.facts[at].source, from)
		return
	}
	if len(g.facts) >= maxDistinct {
		return
	}
	g.index[word] = len(g.facts)
	g.facts = append(g.facts, fact{kind: f.kind, source: from, text: word, count: 1, in: text, at: f.start})
}

// best returns copies of the facts that weigh most, in the order in which they came.
func (g *gatherer) best(limit int) []fact {
	order, weights := make([]int, len(g.facts)), make([]int, len(g.facts))
	for i := range order {
		order[i], weights[i] = i, g.facts[i].weight()
	}
	if len(order) > limit {
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(weights[b], weights[a]), cmp.Compare(a, b))
		})
		order = order[:limit]
		slices.Sort(order)
	}
	best := make([]fact, len(order))
	for i, at := range order {
		best[i] = g.facts[at].settled()
	}
	return best
}

// settled returns a fact that holds no view into a text, its label read off where it was found.
func (f *fact) settled() fact {
	s := fact{kind: f.kind, source: f.source, count: f.count, text: strings.Clone(f.text)}
	s.shown = s.text
	if !f.labelled() {
		return s
	}
	if from := label(f.in, f.at); from < f.at {
		before := f.in[from:f.at]
		s.shown = strings.Join(strings.Fields(before+f.text), " ")
		s.topic = topic(before)
	}
	return s
}

// labelled reports whether the words in front of a fact are shown with it. In code and commands they tell nothing.
func (f *fact) labelled() bool {
	switch f.kind {
	case pathFact, urlFact, quotedFact:
		return false
	case idFact, hashFact, nameFact:
		return f.source == fromUser
	}
	return f.source != fromCall
}

// quoted finds short strings between backticks or double quotes.
func quoted(text string, emit func(found)) {
	for at := 0; at < len(text); {
		open := strings.IndexAny(text[at:], "`\"")
		if open < 0 {
			return
		}
		open += at
		size := strings.IndexByte(text[open+1:], text[open])
		if size < 0 {
			at = open + 1
			continue
		}
		if size >= 2 && size <= 80 && !strings.Contains(text[open+1:open+1+size], "\n") {
			emit(found{quotedFact, open + 1, open + 1 + size})
			at = open + size + 2
			continue
		}
		at = open + 1
	}
}
