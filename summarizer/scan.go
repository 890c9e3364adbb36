package summarizer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// factKind says what an exact string is; the kinds are ordered by nothing, see weights.
type factKind uint8

const (
	noFact factKind = iota
	urlFact
	pathFact
	idFact       // identifiers, error codes, hosts, addresses
	hashFact     // UUIDs and hexadecimal digests
	versionFact  // 1.2.3, v2
	dateFact     // dates and times of day
	moneyFact    // $4,200.50
	quantityFact // 512 MB, 15 %
	numberFact
	nameFact   // capitalised words in the middle of a sentence
	quotedFact // between backticks or quotation marks
)

// found is one exact string in a text: text[start:end].
type found struct {
	kind       factKind
	start, end int
}

// The classes of bytes that the scanner knows.
const (
	isDelimiter = 1 << iota
	isDigit
	isLower
	isUpper
	isInner // joins the parts of a path, an identifier, a number
	isWide  // first byte of a character that is no letter for us: CJK, signs
)

var classes = classTable()

func classTable() (table [256]uint8) {
	for c := range table {
		switch {
		case c <= ' ' || strings.IndexByte("()[]{}<>\"'`,;|=*!?^&", byte(c)) >= 0 || c == 0x7f:
			table[c] = isDelimiter
		case c >= '0' && c <= '9':
			table[c] = isDigit
		case c >= 'a' && c <= 'z':
			table[c] = isLower
		case c >= 'A' && c <= 'Z':
			table[c] = isUpper
		case c == 0xC2 || c >= 0xE2:
			table[c] = isWide
		case c >= 0x80:
			table[c] = isLower
		default:
			table[c] = isInner
		}
	}
	return table
}

// scanner walks over a text word by word and tells what is worth keeping to the letter. It uses no regular
// expression: a megabyte takes a few milliseconds.
type scanner struct {
	text  string
	loose bool // one slash makes a path: arguments of calls, not prose
	names bool // look for names: the user's words only
	emit  func(found)
	taken int // text before it belongs to what was emitted

	nameStart, nameEnd, nameWords int
}

func (s *scanner) scan() {
	for at := 0; at < len(s.text); {
		class := classes[s.text[at]]
		if class&(isDelimiter|isWide) != 0 {
			at += s.skip(at, class)
			continue
		}
		at = max(s.word(at), s.taken)
	}
	s.endName()
}

func (s *scanner) skip(at int, class uint8) int {
	if class&isWide == 0 {
		return 1
	}
	_, size := utf8.DecodeRuneInString(s.text[at:])
	return size
}

// word reads the word that starts at a position and returns where the next one is looked for.
func (s *scanner) word(start int) int {
	text, flags, before, at := s.text, uint8(0), uint8(0), start
	hump := false
	for at < len(text) {
		class := classes[text[at]]
		if class&(isDelimiter|isWide) != 0 {
			if text[at] != ',' || before != isDigit || at+1 >= len(text) || classes[text[at+1]] != isDigit {
				break
			}
		}
		if text[at] == ':' && strings.HasPrefix(text[at:], "://") && flags&(isDigit|isInner) == 0 {
			return s.url(start)
		}
		hump = hump || class == isUpper && before == isLower
		flags |= class
		before = class
		at++
	}
	if flags&(isDigit|isInner) == 0 && !hump {
		s.plain(start, at, flags)
		return at
	}
	s.endName()
	s.special(start, at, hump)
	return at
}

func (s *scanner) url(start int) int {
	end := start
	for end < len(s.text) && s.text[end] > ' ' && strings.IndexByte("\"'<>`|)]}\\", s.text[end]) < 0 && !endsURL(s.text[end:]) {
		end++
	}
	s.endName()
	trimmed := start + len(strings.TrimRight(s.text[start:end], ".,;:!?"))
	if trimmed-start <= maxFact {
		s.emit(found{urlFact, start, trimmed})
	}
	return end
}

// endsURL knows punctuation and kana of texts that put no space behind a URL.
func endsURL(rest string) bool {
	if rest[0] < 0xE3 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFFEF || unicode.In(r, unicode.Hiragana, unicode.Katakana)
}

// special classifies a word that is more than letters. What prose put around it is taken off first.
func (s *scanner) special(start, end int, hump bool) {
	if s.loose && s.text[start] == '-' && end-start < 6 {
		return // an option of a command
	}
	for start < end && strings.IndexByte(".:-_%+@", s.text[start]) >= 0 && !keepsLead(s.text[start:end]) {
		start++
	}
	for end > start && strings.IndexByte(".:-/\\#@~$+", s.text[end-1]) >= 0 {
		end--
	}
	word := s.text[start:end]
	if len(word) < 2 || len(word) > maxFact {
		return
	}
	if strings.IndexByte(word, '\\') >= 0 && !isDrive(word) {
		return // something escaped
	}
	if strings.IndexByte(word, ':') > 0 && s.colons(start, word) {
		return
	}
	kind := classify(word, hump, s.loose)
	if kind == noFact {
		return
	}
	f := found{kind, start, end}
	switch kind {
	case numberFact:
		s.number(&f)
	case quantityFact, moneyFact:
		f.end = unit(s.text, end)
	}
	s.emit(f)
}

// number takes in what belongs to a number: its unit, its further groups, the rest of a date.
func (s *scanner) number(f *found) {
	defer func() { s.taken = f.end }()
	end := f.end
	if f.end = eastAsianDate(s.text, f.start, end); f.end > end {
		f.kind = dateFact
		return
	}
	if start := spelledDate(s.text, f.start, end); start < f.start {
		f.kind, f.start = dateFact, start
		return
	}
	if f.end = grouped(s.text, f.start, end); f.end > end {
		f.kind = moneyFact
		return
	}
	if f.end = unit(s.text, end); f.end > end {
		f.kind = quantityFact
	}
	for _, sign := range currencySigns {
		if strings.HasSuffix(s.text[:f.start], sign) {
			f.kind, f.start = moneyFact, f.start-len(sign)
		}
	}
}

// currencySigns stand right in front of a sum; a dollar is part of its word.
var currencySigns = []string{"€", "£", "¥", "￥", "₹", "₽", "₩"}

// keepsLead tells the words whose first character belongs to them: ./path, ../path, --flag, _private.
func keepsLead(word string) bool {
	return strings.HasPrefix(word, "./") || strings.HasPrefix(word, "../") || strings.HasPrefix(word, "--") ||
		word[0] == '_' && len(word) > 2 || word[0] == '.' && len(word) > 3 && classes[word[1]] == isLower
}

// colons deals with words that a colon joins; false means that the word is one thing with its colons.
func (s *scanner) colons(start int, word string) bool {
	last := strings.LastIndexByte(word, ':')
	left, right := word[:last], word[last+1:]
	switch {
	case isDate(word), allOf(word, isDigit), strings.Count(word, ":") > 1 && isHexColons(word):
		return false
	case isDrive(word):
		return false
	case allOf(right, isDigit) && isSourceLine(left):
		s.special(start, start+strings.IndexByte(word, ':'), false)
		return true
	case allOf(right, isDigit), len(right) >= 16 && isHex(right):
		return false // host:port, sha256:…
	}
	for _, part := range strings.Split(word, ":") {
		if len(part) > 1 && !allOf(part, isLower|isUpper) {
			s.special(start, start+len(part), hasHump(part))
		}
		start += len(part) + 1
	}
	return true
}

// plain looks at a word of letters: only names are worth anything there.
func (s *scanner) plain(start, end int, flags uint8) {
	if flags&isUpper != 0 && flags&isLower == 0 && isErrorName(s.text[start:end]) {
		s.endName()
		s.emit(found{idFact, start, end})
		return
	}
	if !s.names {
		return
	}
	first, _ := utf8.DecodeRuneInString(s.text[start:end])
	if !unicode.IsUpper(first) || end-start < 2 {
		s.endName()
		return
	}
	if s.nameWords == 0 || start != s.nameEnd+1 || s.text[s.nameEnd] != ' ' {
		s.endName()
		s.nameStart = start
	}
	s.nameEnd = end
	s.nameWords++
}

// endName emits the capitalised words seen last, if they look like a name.
func (s *scanner) endName() {
	if s.nameWords == 0 {
		return
	}
	start, words := s.nameStart, s.nameWords
	s.nameWords = 0
	if opensSentence(s.text[:start]) {
		// The first word of a sentence is written large whatever it is.
		space := strings.IndexByte(s.text[start:s.nameEnd], ' ')
		if words == 1 {
			return
		}
		if first := strings.ToLower(s.text[start : start+space]); stopWords[first] || articles[first] {
			start, words = start+space+1, words-1
		}
	}
	name := s.text[start:s.nameEnd]
	if words > 4 || len(name) < 3 || !has(name, isLower) {
		return
	}
	s.emit(found{nameFact, start, s.nameEnd})
}

func opensSentence(before string) bool {
	before = strings.TrimRight(before, " \t\"'`*(_#-")
	if before == "" {
		return true
	}
	return strings.IndexByte(".!?:\n\r>", before[len(before)-1]) >= 0
}
