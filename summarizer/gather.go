package summarizer

import (
	"slices"
	"strings"
)

// gatherer collects the distinct exact strings of one message.
type gatherer struct {
	texts   []string
	index   map[string]int32 // exact string → sighting
	entries []sighting
}

// sighting is an exact string while it is gathered: a place in one of the texts.
type sighting struct {
	kind       factKind
	source     source
	text       uint16
	count      int32
	start, end int32
}

// Bounds of what is looked at in one message: a listing of thousands of names is no list of facts.
const (
	maxDistinct = 1024
	maxTexts    = 1 << 16
)

func newGatherer() *gatherer { return &gatherer{index: make(map[string]int32, 64)} }

func (g *gatherer) add(text string, from source) {
	if text == "" || len(g.texts) >= maxTexts || len(text) > 1<<30 {
		return
	}
	g.texts = append(g.texts, text)
	s := scanner{text: text, loose: from == fromCall, names: from == fromUser}
	s.emit = func(f found) { g.put(text, f, from) }
	s.scan()
	if from == fromUser {
		quoted(text, s.emit)
		cueNames(text, s.emit)
	}
}

func (g *gatherer) put(text string, f found, from source) {
	word := text[f.start:f.end]
	if from != fromUser && strings.HasPrefix(word, "--") {
		return // options of commands are the user's wish or nobody's
	}
	if at, ok := g.index[word]; ok {
		g.entries[at].count++
		g.entries[at].source = max(g.entries[at].source, from)
		return
	}
	if len(g.entries) >= maxDistinct {
		return
	}
	g.index[word] = int32(len(g.entries))
	g.entries = append(g.entries, sighting{
		kind: f.kind, source: from, text: uint16(len(g.texts) - 1), count: 1, start: int32(f.start), end: int32(f.end),
	})
}

// pasted takes from what stands in a user's message the weight of the user's own words.
func (g *gatherer) pasted() {
	for i := range g.entries {
		g.entries[i].source = fromAssistant
	}
}

// best returns copies of the facts that weigh most, in the order in which they came.
func (g *gatherer) best(limit int) []fact {
	order := g.heaviest(limit)
	best := make([]fact, len(order))
	for i, at := range order {
		best[i] = g.settled(&g.entries[at])
	}
	return best
}

// heaviest returns the positions of the entries that weigh most, ascending; of equals the earlier ones.
func (g *gatherer) heaviest(limit int) []int {
	order, weights := make([]int, 0, limit+1), make([]int, 0, limit+1)
	for i := range g.entries {
		e := &g.entries[i]
		f := fact{kind: e.kind, source: e.source, text: g.word(e), count: int(e.count)}
		weight := f.weight()
		if len(order) == limit && weight <= weights[limit-1] {
			continue
		}
		at := len(order)
		for at > 0 && weights[at-1] < weight {
			at--
		}
		order, weights = slices.Insert(order, at, i), slices.Insert(weights, at, weight)
		if len(order) > limit {
			order, weights = order[:limit], weights[:limit]
		}
	}
	slices.Sort(order)
	return order
}

func (g *gatherer) word(e *sighting) string { return g.texts[e.text][e.start:e.end] }

// settled returns a fact that holds no view into a text, its label read off where it was found.
func (g *gatherer) settled(e *sighting) fact {
	f := fact{kind: e.kind, source: e.source, count: int(e.count), text: strings.Clone(g.word(e))}
	f.shown = f.text
	if !f.labelled() {
		return f
	}
	if from := label(g.texts[e.text], int(e.start)); from < int(e.start) {
		before := g.texts[e.text][from:e.start]
		f.shown = strings.Join(strings.Fields(before+f.text), " ")
		f.topic = topic(before)
	}
	return f
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
