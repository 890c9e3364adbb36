package pruning

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// digestIntro stands between the placeholder and the digest.
const digestIntro = "\nIt mentioned: "

// maxWord is the size in bytes up to which something can be quoted in a digest.
const maxWord = 120

// mention is a path, identifier or number of a text.
type mention struct {
	word  string
	first int // order of first appearance
	count int
	rank  int // class: what is harder to guess comes first
}

// digest returns the paths, identifiers and numbers of a text that tell most about it and are not shown elsewhere, in
// the order in which they appeared, in at most chars code points.
func digest(text string, chars int, shown map[string]bool) string {
	found := slices.DeleteFunc(mentions(text), func(m mention) bool { return shown[m.word] })
	slices.SortFunc(found, func(a, b mention) int {
		return cmp.Or(cmp.Compare(b.score(), a.score()), cmp.Compare(a.first, b.first))
	})
	left := chars
	n := 0
	for _, m := range found {
		if size := utf8.RuneCountInString(m.word) + len(", "); size <= left+len(", ") {
			found[n] = m
			n++
			left -= size
		}
	}
	found = found[:n]
	slices.SortFunc(found, func(a, b mention) int { return cmp.Compare(a.first, b.first) })
	words := make([]string, len(found))
	for i, m := range found {
		words[i] = m.word
	}
	return strings.Join(words, ", ")
}

func (m mention) score() int { return m.rank*4 + min(m.count, 8) }

// mentions lists what in a text is worth quoting, each once.
func mentions(text string) []mention {
	var list []mention
	at := map[string]int{}
	for i := 0; i < len(text); {
		if !inWord[text[i]] {
			i++
			continue
		}
		start := i
		for i < len(text) && inWord[text[i]] {
			i++
		}
		word := plainWord(text[start:i])
		rank := rankOf(word)
		if rank == 0 {
			continue
		}
		if i, ok := at[word]; ok {
			list[i].count++
			continue
		}
		at[word] = len(list)
		list = append(list, mention{word: word, first: len(list), count: 1, rank: rank})
	}
	return list
}

// plainWord takes the marks off the ends of a word, and the line number off a place in a file.
func plainWord(word string) string {
	root := strings.HasPrefix(word, "/")
	word = strings.Trim(word, ".:-/@\\")
	if colon := strings.IndexByte(word, ':'); colon > 2 && word[colon+1] >= '0' && word[colon+1] <= '9' &&
		strings.ContainsAny(word[:colon], "./") {
		word = word[:colon]
	}
	if root {
		return "/" + word
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

// rankOf returns the class of a word: 3 path or address, 2 identifier, 1 number, 0 none of these.
func rankOf(word string) int {
	if len(word) < 2 || len(word) > maxWord {
		return 0
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
		return 1
	case letters < 2:
		return 0
	case slashes > 0 && len(word) > 3:
		return 3
	case joints > 0 || humps > 0 || digits > 0 || dots > 0:
		return 2
	}
	return 0
}
