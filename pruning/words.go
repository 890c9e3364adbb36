package pruning

import "strings"

// maxWord is the size in bytes up to which something can be quoted in a digest.
const maxWord = 120

// mention is a path, identifier or number of a text.
type mention struct {
	word  string
	first int32 // order of first appearance
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
	at := map[string]int{}
	eachWord(text, func(word string, kind kind) {
		if known, ok := at[word]; ok {
			list[known].count++
			return
		}
		at[word] = len(list)
		list = append(list, mention{word: word, first: int32(len(list)), count: 1, kind: kind})
	})
	return list
}

// eachWord calls visit with all that is worth quoting in a text, as often as it comes.
func eachWord(text string, visit func(word string, kind kind)) {
	for i := 0; i < len(text); {
		if !inWord[text[i]] {
			i++
			continue
		}
		start := i
		for i < len(text) && inWord[text[i]] {
			i++
		}
		for run := text[start:i]; run != ""; {
			var word string
			word, run = nextWord(run)
			word = plainWord(word)
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

// plainWord takes the marks off the ends of a word, and the line number off a place in a file.
func plainWord(word string) string {
	word = strings.TrimRight(word, ".:-/@\\")
	word = strings.TrimLeft(word, ":-@\\")
	if dots := strings.TrimLeft(word, "."); dots == "" || dots[0] != '/' {
		word = dots
	}
	if colon := strings.IndexByte(word, ':'); colon > 2 && colon+1 < len(word) && word[colon+1] >= '0' && word[colon+1] <= '9' &&
		strings.ContainsAny(word[:colon], "./") {
		word = word[:colon]
	}
	return word
}

// inWord are the bytes that words are made of.
var inWord = func() (t [256]bool) {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for _, c := range letters + "0123456789_./-:@\\" {
		t[c] = true
	}
	return t
}()

// kindOf returns the class of a word.
func kindOf(word string) kind {
	if len(word) < 2 || len(word) > maxWord {
		return plain
	}
	letters, digits, joints, slashes, humps, dots := 0, 0, 0, 0, 0, 0
	for i := range len(word) {
		switch c := word[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c == '_':
			joints++
		case c == '/' || c == '\\':
			slashes++
		case c == '.':
			dots++
		case c >= 'A' && c <= 'Z' && i > 0 && word[i-1] >= 'a' && word[i-1] <= 'z':
			humps++
			letters++
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			letters++
		}
	}
	switch {
	case letters == 0 && digits >= 2:
		return number
	case letters < 2:
		return plain
	case slashes > 0 && len(word) > 3:
		return path
	case joints > 0 || humps > 0 || digits > 0 || dots > 0:
		return identifier
	}
	return plain
}
