package tokens

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// unit is one token in the cost tables.
const unit = 100

// dataURLTokens is what a big data: URL weighs wherever it stands, whatever its size.
const dataURLTokens = 1000

// Estimate is the fixed measure of a text in tokens. It depends on the text alone, allocates nothing and knows
// scripts: it walks over the text the way a tokenizer of the o200k family splits it and adds up what such
// pieces cost on average. A big data: URL weighs dataURLTokens.
func Estimate(text string) int {
	var t tally
	t.text(text)
	return whole(t.fixed())
}

// text adds what a text costs.
func (t *tally) text(text string) {
	for {
		start, end := findDataURL(text)
		t.measure(text[:start])
		if start == len(text) {
			return
		}
		t.flat += dataURLTokens * unit
		text = text[end:]
	}
}

// whole rounds a cost to tokens; no text is without any.
func whole(cost int) int {
	if cost > 0 && cost < unit {
		return 1
	}
	return (cost + unit/2) / unit
}

var scratch = sync.Pool{New: func() any { b := make([]byte, 0, 16<<10); return &b }}

// maxScratch is the largest buffer that goes back to the pool, in bytes.
const maxScratch = 1 << 20

// quoted adds what the text costs that a JSON string token stands for.
func (t *tally) quoted(token string) {
	if len(token) < 2 || token[0] != '"' {
		t.text(token)
		return
	}
	t.inner(token[1 : len(token)-1])
}

// inner adds what the text costs that the inside of a JSON string token stands for, or a part of JSON as it stands.
func (t *tally) inner(inner string) {
	if strings.IndexByte(inner, '\\') < 0 {
		t.text(inner)
		return
	}
	buf := scratch.Get().(*[]byte)
	*buf = unescape((*buf)[:0], inner)
	t.text(viewOf(*buf))
	if cap(*buf) <= maxScratch {
		scratch.Put(buf)
	}
}

// The classes of ASCII bytes.
const (
	punct = iota
	lower
	upper
	digit
	space
	high // not ASCII
)

var class = func() (t [256]uint8) {
	for c := range 256 {
		switch {
		case c >= utf8.RuneSelf:
			t[c] = high
		case c >= 'a' && c <= 'z':
			t[c] = lower
		case c >= 'A' && c <= 'Z':
			t[c] = upper
		case c >= '0' && c <= '9':
			t[c] = digit
		case c == ' ' || c >= '\t' && c <= '\r':
			t[c] = space
		}
	}
	return t
}()

// What stands right before a word and joins it in one piece.
const (
	leadNone = iota
	leadSpace
	leadPunct
	leadDigit
)

// measure adds what text costs.
func (t *tally) measure(text string) {
	lead := leadNone
	for i := 0; i < len(text); {
		var cost int
		before := lead
		lead = leadNone
		switch class[text[i]] {
		case lower, upper:
			i, lead = t.words(text, i, before)
		case space:
			cost, i, lead = spaces(text, i)
		case digit:
			start := i
			for i < len(text) && class[text[i]] == digit {
				i++
			}
			groups := (i - start + 2) / 3
			cost = groups * unit
			t.digits += (i - start - groups) * unit
			lead = leadDigit
			if before == leadSpace {
				cost += unit
			}
		case punct:
			cost, i, lead = puncts(text, i, before)
		default:
			i = t.foreignRun(text, i, before)
		}
		t.plain += cost
	}
	if lead == leadSpace || lead == leadPunct {
		t.plain += unit
	}
}

// words costs words of ASCII letters that follow each other directly or with one blank between: capitals, then small
// letters, as the tokenizer splits camelCase. A word that goes on with a letter beyond ASCII is left to latinWord.
func (t *tally) words(text string, i, lead int) (end, leadAfter int) {
	for i < len(text) {
		start := i
		last, sum := uint(opening), both(0)
		for ; i < len(text) && class[text[i]] == upper; i++ {
			at := uint(symbol[text[i]])
			sum += pairs[(last<<5|at)%uint(len(pairs))]
			last = at
		}
		capitals := i - start
		for ; i < len(text) && class[text[i]] == lower; i++ {
			at := uint(symbol[text[i]])
			sum += pairs[(last<<5|at)%uint(len(pairs))]
			last = at
		}
		if i == start {
			return i, lead
		}
		if i < len(text) && text[i] >= utf8.RuneSelf {
			if r, _ := utf8.DecodeRuneInString(text[i:]); isLatin(r) {
				return t.latinWord(text, start, lead), leadNone
			}
		}
		t.word(&word{letters: i - start, capitals: capitals, pairs: sum}, lead)
		lead = leadNone
		if i+1 < len(text) && text[i] == ' ' && class[text[i+1]] != space {
			lead = leadSpace
			i++
		}
	}
	return i, lead
}

// spaces costs a run of white space: all up to the last line break is one piece, the last blank joins what follows,
// and those between are another piece.
func spaces(text string, i int) (cost, end, lead int) {
	if text[i] == ' ' && i+1 < len(text) && class[text[i+1]] != space {
		return 0, i + 1, leadSpace
	}
	blanks, breaks := 0, 0
	for end = i; end < len(text) && class[text[end]] == space; end++ {
		if text[end] == '\n' || text[end] == '\r' {
			breaks += blanks + 1
			blanks = 0
		} else {
			blanks++
		}
	}
	if breaks > 0 {
		cost = unit + breaks/wideBlanks*unit
	}
	if blanks > 1 {
		cost += unit + blanks/wideBlanks*unit
	}
	if blanks > 0 {
		lead = leadSpace
	}
	return cost, end, lead
}

// puncts costs a run of punctuation with the line breaks right behind it. A single mark joins the word behind it.
func puncts(text string, i, before int) (cost, end, lead int) {
	same := true
	for end = i + 1; end < len(text) && class[text[end]] == punct; end++ {
		same = same && text[end] == text[i]
	}
	n := end - i
	if n == 1 && before != leadSpace && end < len(text) && class[text[end]]-lower <= upper-lower {
		return 0, end, leadPunct
	}
	for end < len(text) && (text[end] == '\n' || text[end] == '\r') {
		end++
	}
	switch {
	case same && n > 2:
		return unit + 4*min(n, 32) + n, end, leadNone
	case n < len(punctCost):
		return int(punctCost[n]), end, leadNone
	}
	return int(punctCost[len(punctCost)-1]) + (n-len(punctCost)+1)*punctMore, end, leadNone
}
