package summarizer

import (
	"math/bits"
	"strings"
)

// weights say how much an exact string of a kind is worth. Whole numbers, so that every machine sorts alike.
var weights = [...]int{
	urlFact:      300,
	pathFact:     300,
	idFact:       240,
	hashFact:     320,
	versionFact:  280,
	dateFact:     280,
	moneyFact:    320,
	quantityFact: 260,
	numberFact:   120,
	nameFact:     260,
	quotedFact:   220,
}

// sourceWeights are per cent.
var sourceWeights = [...]int{fromTool: 100, fromAssistant: 130, fromCall: 220, fromUser: 400}

// weight is what a fact is worth within its message.
func (f *fact) weight() int {
	return f.base() * (2 + bits.Len(uint(f.count))) / 3
}

// base is what a fact is worth wherever and however often it is said.
func (f *fact) base() int {
	w := weights[f.kind]
	switch {
	case f.kind == numberFact:
		w = numberWeight(f.text)
	case f.kind == nameFact && !strings.Contains(f.text, " ") && f.text[0] < 0xE3:
		w /= 2 // one capitalised word is rarely a person
	case f.kind == idFact && f.source != fromUser && !has(f.text, isDigit):
		w /= 2 // names in code come by the thousand
	}
	return w * sourceWeights[f.source] / 100
}

// numberWeight: short numbers are mostly counts and line numbers, long ones name something.
func numberWeight(text string) int {
	digits := 0
	for i := range len(text) {
		if classes[text[i]] == isDigit {
			digits++
		}
	}
	switch {
	case digits >= 4:
		return 200
	case digits == 3:
		return 120
	}
	return 50
}
