package pruning

import (
	"strings"
	"sync"
)

// maxWord is the size in bytes up to which something can be quoted in a digest.
const maxWord = 120

// mention is a path, identifier or number of a text.
type mention struct {
	word  string
	bytes uint64 // a bit for each byte in it, two by chance the same
	first int32  // order of first appearance
	count int32
	worth int32 // see score; known where it is needed
	kind  kind
}

// kind is the class of a word.
type kind uint8

const (
	plain kind = iota // nothing worth quoting
	number
	identifier
	path // or address
)

// score says how much a word tells for the place that it takes: what cannot be guessed and what comes often is
// likely to be needed again, and two short words are worth more than a long one.
func (m *mention) score() int32 {
	return 1000 * (int32(m.kind)*4 + min(m.count, 8)) / int32(len(m.word)+20)
}

// mentions lists what in a text is worth quoting, each once.
func mentions(text string) []mention {
	var list []mention
	at := places.Get().(map[string]int32)
	eachWord(text, func(word string, kind kind) {
		if known, ok := at[word]; ok {
			list[known].count++
			return
		}
		at[word] = int32(len(list))
		m := mention{word: word, first: int32(len(list)), count: 1, kind: kind}
		for i := range len(word) {
			m.bytes |= 1 << (word[i] % 64)
		}
		list = append(list, m)
	})
	if len(list) <= maxPlaces {
		clear(at)
		places.Put(at)
	}
	return list
}

// places keeps maps for mentions, up to so many entries.
var places = sync.Pool{New: func() any { return map[string]int32{} }}

const maxPlaces = 1000

// eachWord calls visit with all that is worth quoting in a text, as often as it comes.
func eachWord(text string, visit func(word string, kind kind)) {
	for i := 0; i < len(text); i++ {
		last := inWord[text[i]]
		if last == 0 {
			continue
		}
		start, seen, hump := i, last, letterClass(0)
		for i++; i < len(text); i++ {
			c := inWord[text[i]]
			if c == 0 {
				break
			}
			seen, hump, last = seen|c, hump|c>>1&last&lower, c // lower is upper's bit, moved by one
		}
		if seen&telling == 0 && hump == 0 {
			continue // most words are not worth more than this look
		}
		for run := text[start:i]; run != ""; {
			word, rest := run, ""
			if seen&backslash != 0 {
				word, rest = nextWord(run)
			}
			run = rest
			word = plainWord(word, seen)
			if kind := kindOf(word); kind != plain {
				visit(word, kind)
			}
		}
	}
}

// nextWord takes the first word off a run of word bytes. Text inside JSON or source has its line breaks and tabs
// escaped: \n, \t and \r end a word, but not in a path that begins with a drive's letter.
func nextWord(run string) (word, rest string) {
	from := strings.IndexByte(run, '\\')
	if from < 0 || from == 2 && run[1] == ':' {
		return run, ""
	}
	for i := from; i+1 < len(run); i++ {
		if run[i] == '\\' && (run[i+1] == 'n' || run[i+1] == 't' || run[i+1] == 'r') {
			return run[:i], run[i+2:]
		}
	}
	return run, ""
}

// plainWord takes the marks off the ends of a word, and the line number off a place in a file. seen are the classes of its
// bytes, or more.
func plainWord(word string, seen letterClass) string {
	if seen&(mark|dot|slash|backslash) == 0 {
		return word
	}
	for len(word) > 0 && inWord[word[len(word)-1]]&(mark|dot|slash|backslash) != 0 {
		word = word[:len(word)-1]
	}
	for len(word) > 0 && inWord[word[0]]&(mark|backslash) != 0 {
		word = word[1:]
	}
	dots := 0
	for dots < len(word) && word[dots] == '.' {
		dots++
	}
	if dots == len(word) || word[dots] != '/' {
		word = word[dots:]
	}
	if colon := strings.IndexByte(word, ':'); colon > 2 && colon+1 < len(word) && word[colon+1] >= '0' && word[colon+1] <= '9' &&
		strings.ContainsAny(word[:colon], "./") {
		word = word[:colon]
	}
	return word
}

// letterClass is what a byte of a word is.
type letterClass uint8

const (
	lower letterClass = 1 << iota
	upper
	digit
	slash
	backslash
	dot
	underscore
	mark

	// telling are the classes without one of which only a hump makes a word worth quoting.
	telling = digit | slash | backslash | dot | underscore
)

// inWord are the bytes that words are made of.
var inWord = func() (t [256]letterClass) {
	for c, class := range map[string]letterClass{
		"abcdefghijklmnopqrstuvwxyz": lower, "ABCDEFGHIJKLMNOPQRSTUVWXYZ": upper, "0123456789": digit,
		"/": slash, "\\": backslash, ".": dot, "_": underscore, "-:@": mark,
	} {
		for i := range len(c) {
			t[c[i]] = class
		}
	}
	return t
}()

// kindOf returns the class of a word.
func kindOf(word string) kind {
	if len(word) < 2 || len(word) > maxWord {
		return plain
	}
	letters, digits, hump, seen, last := 0, 0, false, letterClass(0), letterClass(0)
	for i := range len(word) {
		c := inWord[word[i]]
		switch c {
		case lower, upper:
			letters++
			hump = hump || c == upper && last == lower
		case digit:
			digits++
		}
		seen, last = seen|c, c
	}
	switch {
	case letters == 0 && digits >= 2:
		return number
	case letters < 2:
		return plain
	case seen&(slash|backslash) != 0 && len(word) > 3:
		return path
	case hump || seen&(underscore|digit|dot) != 0:
		return identifier
	}
	return plain
}
