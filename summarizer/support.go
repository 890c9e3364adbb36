package summarizer

import (
	"strings"
	"unicode"
)

// support answers whether an exact string of a summary has been said in what the summary stands for (metric m8).
type support struct {
	text     string              // what was said, in small letters
	numbers  map[string]struct{} // all numbers in it, digits only; nil = not collected yet
	squeezed string              // letters and digits of text only; "" = not made yet
}

func newSupport(texts ...string) *support {
	return &support{text: strings.ToLower(strings.Join(texts, "\n"))}
}

// exact are the identifiers and numbers of a text that must have been said by somebody. Short numbers are mostly counts
// and numbers of steps, words without digits are words: those are not looked at.
func exact(text string) (list []found) {
	s := scanner{text: text, names: false}
	s.emit = func(f found) {
		if weighty(f.kind, text[f.start:f.end]) {
			list = append(list, f)
		}
	}
	s.scan()
	return list
}

// leastDigits is from how many digits on a number names something.
const leastDigits = 4

func weighty(kind factKind, word string) bool {
	switch kind {
	case urlFact, hashFact:
		return true
	case pathFact:
		return hasSlash(word) || !commonEnding(word)
	case versionFact:
		return strings.Count(word, ".") > 0
	case dateFact:
		return year(word) != ""
	case moneyFact, quantityFact, numberFact:
		return len(digitsOf(word)) >= leastDigits
	case idFact:
		return strings.Contains(word, "@") || strings.Contains(word, "_") && len(word) > 4 || len(digitsOf(word)) >= leastDigits
	}
	return false
}

// commonEnding knows names of products that look like files: Node.js, ASP.NET.
func commonEnding(word string) bool {
	switch strings.ToLower(word[strings.LastIndexByte(word, '.')+1:]) {
	case "js", "net", "io", "ai", "com":
		return true
	}
	return false
}

// holds reports whether an exact string has been said, whatever way it is written.
func (s *support) holds(kind factKind, word string) bool {
	small := strings.ToLower(word)
	if s.says(small) {
		return true
	}
	switch kind {
	case urlFact, pathFact:
		return s.segments(small)
	case dateFact:
		return s.date(word)
	case moneyFact, quantityFact, numberFact:
		return s.number(digitsOf(word))
	case versionFact:
		return s.says(strings.TrimLeft(small, "v"))
	case idFact:
		return s.looselySays(small)
	}
	return false
}

// says looks for a word that does not begin or end amidst a number.
func (s *support) says(word string) bool {
	for from := 0; ; {
		i := strings.Index(s.text[from:], word)
		if i < 0 {
			return false
		}
		at, end := from+i, from+i+len(word)
		amidst := at > 0 && isNumeral(word[0]) && isNumeral(s.text[at-1]) ||
			end < len(s.text) && isNumeral(word[len(word)-1]) && isNumeral(s.text[end])
		if !amidst {
			return true
		}
		from = at + 1
	}
}

func isNumeral(c byte) bool { return c >= '0' && c <= '9' }

// looselySays takes userId for user_id, and ERR 4417 for ERR-4417.
func (s *support) looselySays(word string) bool {
	if s.squeezed == "" {
		s.squeezed = squeeze(s.text)
	}
	word = squeeze(word)
	return len(word) >= 5 && strings.Contains(s.squeezed, word)
}

func squeeze(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

// segments takes a path or URL that was put together from names that have all been said.
func (s *support) segments(word string) bool {
	parts := strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune("/\\?&=#:", r) })
	for _, part := range parts {
		if !s.says(part) {
			return false
		}
	}
	return len(parts) > 1
}

// date takes a date that was written another way: its year and its day have been said.
func (s *support) date(word string) bool {
	y := year(word)
	if y == "" || !s.says(y) {
		return false
	}
	for _, group := range strings.FieldsFunc(word, notNumeral) {
		if group != y && (s.says(group) || s.says(strings.TrimLeft(group, "0"))) {
			return true
		}
	}
	return false
}

func notNumeral(r rune) bool { return r < '0' || r > '9' }

// year returns the four digits of a date that are its year.
func year(word string) string {
	for _, group := range strings.FieldsFunc(word, notNumeral) {
		if len(group) == 4 {
			return group
		}
	}
	return ""
}

// number takes 18450.75 for 18 450,75, and its whole part for it.
func (s *support) number(digits string) bool {
	if s.numbers == nil {
		s.collect()
	}
	_, ok := s.numbers[digits]
	return ok
}

// collect reads all numbers of the text: runs of digits, and what such runs are together with signs between them.
func (s *support) collect() {
	s.numbers = map[string]struct{}{}
	for at := 0; at < len(s.text); at++ {
		if !isNumeral(s.text[at]) {
			continue
		}
		joined := ""
		for at < len(s.text) && isNumeral(s.text[at]) {
			end := at
			for end < len(s.text) && isNumeral(s.text[end]) {
				end++
			}
			s.numbers[s.text[at:end]] = struct{}{}
			joined += s.text[at:end]
			s.numbers[joined] = struct{}{}
			if at = end; at+1 < len(s.text) && strings.IndexByte(".,' ", s.text[at]) >= 0 && isNumeral(s.text[at+1]) {
				at++
			} else if gap := afterGap(s.text, at); gap < len(s.text) && gap > at && isNumeral(s.text[gap]) {
				at = gap
			} else {
				break
			}
		}
	}
}

func digitsOf(word string) string {
	return strings.Map(func(r rune) rune {
		if notNumeral(r) {
			return -1
		}
		return r
	}, word)
}

// manyUnsupported is from how many exact strings on a summary that has mostly invented ones is refused.
const manyUnsupported = 4

// supportGate strikes what nobody said: the sentence where nothing else exact is in it, else the string alone. A summary
// that is mostly invented is asked for again, and refused.
func supportGate(d *draft) bool {
	if d.source == nil {
		return false
	}
	all := exact(d.text)
	var bad []found
	good := map[string]bool{}
	for _, f := range all {
		if word := d.text[f.start:f.end]; !d.source.holds(f.kind, word) {
			bad = append(bad, f)
		} else {
			good[word] = true
		}
	}
	if len(bad) == 0 {
		return false
	}
	if len(bad) >= manyUnsupported && 2*len(bad) > len(all) {
		d.again = "Your last answer held values that are not in the conversation. Copy names and numbers exactly, and invent none."
		return true
	}
	d.text = strike(d.text, bad, good)
	return blank(d.text)
}

// struckMark stands for a string that was struck.
const struckMark = "[…]"

// strike takes the bad strings out of a text: whole sentences as long as half of the text stays.
func strike(text string, bad []found, good map[string]bool) string {
	wrong := make(map[string]bool, len(bad))
	for _, f := range bad {
		wrong[text[f.start:f.end]] = true
	}
	left := withoutSentences(text, func(sentence string) bool { return holdsAny(sentence, wrong) && !holdsAny(sentence, good) })
	if 2*len(left) < len(text) {
		left = text
	}
	var b strings.Builder
	at := 0
	for _, f := range exact(left) {
		if f.start >= at && wrong[left[f.start:f.end]] {
			b.WriteString(left[at:f.start] + struckMark)
			at = f.end
		}
	}
	return b.String() + left[at:]
}

func holdsAny(sentence string, words map[string]bool) bool {
	for w := range words {
		if strings.Contains(sentence, w) {
			return true
		}
	}
	return false
}
