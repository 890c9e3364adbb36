package summarizer

import "strings"

// Every tag that this package writes into a prompt begins with this word, so that one rule keeps text from opening
// or closing any of them.
const tagWord = "recap-"

// Neutralise keeps text from forging the tags of our prompts.
func Neutralise(text string) string { return Defuse(text, tagWord) }

// Defuse keeps text from opening or closing any tag whose name begins with word (ASCII, small letters): the bracket of
// what looks like one becomes a bracket that is none. Other text comes back as it is.
func Defuse(text, word string) string {
	if strings.IndexByte(text, '<') < 0 || !containsFold(text, word) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 16)
	for {
		at := strings.IndexByte(text, '<')
		if at < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:at])
		text = text[at+1:]
		name := strings.TrimLeft(text, " \t\r\n/\u00a0\u200b")
		if len(name) >= len(word) && strings.EqualFold(name[:len(word)], word) {
			b.WriteString("‹")
		} else {
			b.WriteByte('<')
		}
	}
}

// containsFold looks for an ASCII word in small letters, whatever letters the text has.
func containsFold(text, word string) bool {
	first := word[:1] + strings.ToUpper(word[:1])
	for at := 0; ; at++ {
		i := strings.IndexAny(text[at:], first)
		if i < 0 {
			return false
		}
		at += i
		if len(text)-at >= len(word) && strings.EqualFold(text[at:at+len(word)], word) {
			return true
		}
	}
}
