package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Place is where a value was set. File is a path, the name of a variable ("RECAP_LISTEN") or a flag ("--listen");
// Line and Column count from 1 and are 0 where there are none.
type Place struct {
	File         string
	Line, Column int
}

// String writes file:line:column, as compilers do.
func (p Place) String() string {
	switch {
	case p.File == "":
		return "default"
	case p.Line == 0:
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Problem is one fault of the settings: where it stands, the key it is about and what would be right. Values of
// secret keys never stand in a Message.
type Problem struct {
	File         string
	Line, Column int
	Key          string // path of the key; "" = the file as a whole
	Message      string
}

// Error implements error.
func (p *Problem) Error() string {
	where := Place{p.File, p.Line, p.Column}.String()
	if p.Key == "" {
		return where + ": " + p.Message
	}
	return where + ": " + p.Key + ": " + p.Message
}

// Problems are all faults that one reading found. errors.As finds the *Problem values in it.
type Problems []*Problem

// Error writes one line per problem.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives errors.As and errors.Is the single problems.
func (p Problems) Unwrap() []error {
	list := make([]error, len(p))
	for i, one := range p {
		list[i] = one
	}
	return list
}

// sort puts those of one file into the order of its lines; the sources stay in the order of their layers.
func (p Problems) sort() {
	slices.SortStableFunc(p, func(a, b *Problem) int {
		if a.File != b.File || a.Line == 0 {
			return 0
		}
		return cmp.Or(a.Line-b.Line, a.Column-b.Column)
	})
}

// Warning is something that works but is probably not what was meant.
type Warning string

// nearest returns the candidate that name was probably meant to be, or "".
func nearest(name string, candidates []string) string {
	best, least := "", 1+max(1, len(name)/3)
	for _, c := range candidates {
		if d := distance(strings.ToLower(name), strings.ToLower(c)); d < least {
			best, least = c, d
		}
	}
	return best
}

// distance is the number of letters to add, drop or change. Long names are never near anything.
func distance(a, b string) int {
	if len(a) > 80 || len(b) > 80 {
		return 80
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
