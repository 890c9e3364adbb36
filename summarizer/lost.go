package summarizer

import (
	"slices"
	"strings"
)

// What an update must lose before it is asked for again, and how much of it is named then, in bytes.
const (
	manyLost   = 3
	namedBytes = 400
)

// lostGate misses what the summary before held exactly, where the new messages do not say otherwise. Few such strings
// are left to the ledger, which carries them whatever the model does.
func lostGate(d *draft) bool {
	if d.previous == "" {
		return false
	}
	held := exact(d.previous)
	lost := lostFacts(d.previous, d.text, d.fresh)
	if len(lost) < manyLost || 2*len(lost) <= len(held) {
		return false
	}
	named := ""
	for i := range lost {
		if len(named)+len(lost[i].text)+2 <= namedBytes {
			named += ", " + lost[i].text
		}
	}
	d.again = "Your last answer lost facts of the previous summary that still hold. Keep these as they are: " +
		strings.TrimPrefix(named, ", ") + "."
	return true
}

// lostFacts are the exact strings of one summary that the next one lacks, unless what was said since gives the same thing
// another value.
func lostFacts(before, after, fresh string) (lost []fact) {
	if before == "" {
		return nil
	}
	have, since := newSupport(after), topics(fresh)
	g := gatherText(before)
	for i := range g.entries {
		e := &g.entries[i]
		word := g.word(e)
		if !weighty(e.kind, word) || have.holds(e.kind, word) {
			continue
		}
		f := g.settled(e)
		if values := since[f.topic]; f.topic != "" && len(values) > 0 && !slices.Contains(values, word) {
			continue
		}
		lost = append(lost, f)
	}
	return lost
}

// topics are the values that a text gives, by what it says they are.
func topics(text string) map[string][]string {
	all := map[string][]string{}
	g := gatherText(text)
	for i := range g.entries {
		if f := g.settled(&g.entries[i]); f.topic != "" {
			all[f.topic] = append(all[f.topic], f.text)
		}
	}
	return all
}

// gatherText reads a text as if the user had said it, so that what values are called is read too.
func gatherText(text string) *gatherer {
	g := newGatherer()
	g.add(text, fromUser)
	return g
}
