package summarizer

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"recap/tokens"
)

// candidate is an exact string of the whole row.
type candidate struct {
	fact
	first, last int // positions
	messages    int // that say it
	score       int
	replaced    bool // a later message gives the same thing another value
}

// values writes the exact strings that weigh most and do not stand in the ledger yet.
func (l *ledger) values(budget int) {
	if budget <= tokens.Estimate(factsHeading) {
		return
	}
	all := l.candidates()
	slices.SortFunc(all, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.last, a.last), strings.Compare(a.text, b.text))
	})
	chosen := l.choose(all, budget-tokens.Estimate(factsHeading))
	for len(chosen) > 0 {
		piece := factsHeading + oldestFirst(chosen)
		cost := tokens.Estimate(piece)
		if _, ok := l.take(piece, budget); ok {
			return
		}
		// The separators cost something too: the least of the chosen give way.
		chosen = chosen[:len(chosen)-max(len(chosen)*(cost-budget)/(2*cost), 1)]
	}
}

// oldestFirst writes chosen strings in the order in which they were said last.
func oldestFirst(chosen []*candidate) string {
	chosen = slices.Clone(chosen)
	slices.SortFunc(chosen, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(a.last, b.last), cmp.Compare(a.first, b.first), strings.Compare(a.text, b.text))
	})
	list := make([]string, len(chosen))
	for i, c := range chosen {
		list[i] = c.shown
	}
	return strings.Join(list, "; ")
}

// maxTries bounds how many candidates are weighed against a budget that is nearly used up.
const maxTries = 400

// choose takes the best candidates that fit, each string once.
func (l *ledger) choose(all []*candidate, budget int) []*candidate {
	there := l.out.String() + "\x00" + l.in.Beside
	if kept := l.in.Kept; kept >= 0 && kept < len(l.in.Covered) {
		mf := factsOf(&l.in.Covered[kept])
		there += "\x00" + mf.head + "\x00" + mf.tail
	}
	var chosen []*candidate
	var shown strings.Builder
	for tries := 0; tries < len(all) && tries < maxTries && budget > 2; tries++ {
		c := all[tries]
		if strings.Contains(there, c.text) || strings.Contains(shown.String(), c.text) {
			continue
		}
		cost := tokens.Estimate(c.shown) + 1
		if cost > budget && !c.replaced { // an old value without its words would pass for the new one
			c.shown = c.text
			cost = tokens.Estimate(c.shown) + 1
		}
		if cost > budget {
			continue
		}
		budget -= cost
		shown.WriteString(c.shown + "\x00")
		chosen = append(chosen, c)
	}
	return chosen
}

// candidates merges the facts of all messages of the row and scores them.
func (l *ledger) candidates() []*candidate {
	index := map[string]*candidate{}
	var all []*candidate
	newest := map[string]string{} // topic → its newest value in the user's words
	for at, mf := range l.facts {
		if mf == nil {
			continue
		}
		for i := range mf.facts {
			f := &mf.facts[i]
			c := index[f.text]
			if c == nil {
				c = &candidate{fact: *f, first: at}
				index[f.text] = c
				all = append(all, c)
			}
			c.merge(f, at)
			if f.topic != "" && f.source == fromUser {
				newest[f.topic] = f.text
			}
		}
	}
	lost := lostFacts(l.in.Carry, l.in.Beside, "")
	for i := range lost {
		if index[lost[i].text] == nil {
			c := &candidate{fact: lost[i], messages: 1}
			index[c.text] = c
			all = append(all, c)
		}
		index[lost[i].text].source = fromUser // worth as much as the user's own words
	}
	for _, c := range all {
		c.rate(len(l.facts))
		if value, ok := newest[c.topic]; ok && value != c.text {
			c.score, c.replaced = c.score/3, true
		}
	}
	return all
}

func (c *candidate) merge(f *fact, at int) {
	c.last = at
	c.messages++
	if f.source > c.source {
		c.source, c.shown, c.topic = f.source, f.shown, f.topic
	} else if f.source == c.source && f.topic != "" {
		c.shown, c.topic = f.shown, f.topic // how it was called last
	}
}

// rate scores by kind, by who said it, by how many messages say it, by how late; long ones must be worth their room. What
// the user said does not fade.
func (c *candidate) rate(positions int) {
	base := c.base()
	score := base * (3 + bits.Len(uint(c.messages))) / 4
	late := c.last + 1
	if c.source == fromUser {
		late = positions
	}
	score += base * late / (2 * positions)
	c.score = score * 30 / (30 + len(c.text)/4)
}
