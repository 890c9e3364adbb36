package pruning

import "strings"

// strategy is a rule for which results get shorter: one row of the table.
type strategy struct {
	name string
	doc  string // what it is, for the page of options: half a sentence that begins with the name

	// least is how many characters a result must have to be looked at at all. Nil: any number.
	least func(o *Options) int
	// admit looks at a result when it comes: it may exempt it, or shorten it at once. Nil: nothing is done.
	admit func(f *fold, p *piece, n *note)
	// borders says, at a look, which pieces are to be cleared and which trimmed: those before the two numbers. They never
	// move back as a history grows.
	borders func(f *fold, at look) (clear, trim int)
	// digests tells that what is cleared leaves a digest of what it mentioned.
	digests bool
}

// strategies is the table of strategies. To add one, add its row.
var strategies = []*strategy{ratio, budget}

// StrategyNames returns the names in the table.
func StrategyNames() []string {
	var names []string
	for _, s := range strategies {
		names = append(names, s.name)
	}
	return names
}

// StrategyDoc says in a sentence what the strategies are.
func StrategyDoc() string {
	var docs []string
	for _, s := range strategies {
		docs = append(docs, s.doc)
	}
	return strings.Join(docs, "; ") + "."
}

// strategyOf returns the row of a name, nil where there is none.
func strategyOf(name string) *strategy {
	for _, s := range strategies {
		if s.name == name {
			return s
		}
	}
	return nil
}

// Spares reports whether o prunes nothing of any chat of so many bytes.
func (o *Options) Spares(size int) bool {
	s := strategyOf(o.Strategy)
	return !o.Enabled || s == nil || s.least != nil && s.least(o) > size
}
