package tokens

import (
	"unicode"
	"unicode/utf8"
)

// The groups of scripts that vocabularies treat alike.
const (
	marks  = iota // dashes, quotes, boxes
	joined        // combining marks
	greek
	cyrillic
	caucasian // Armenian, Georgian
	hebrew
	arabic
	devanagari
	indic
	thai
	han
	kana
	hangul
	emoji
	rare
	groupCount
)

// script is what a range of characters costs: the first letter of a word and each next one, in units of 1/unit tokens.
// Where words are not set apart by blanks, all letters cost the same.
type script struct {
	from, to    rune
	first, next int
	group       int
}

// scripts is sorted by from. What is in none of them costs otherCost.
var scripts = []script{
	{0x0080, 0x00BF, 100, 70, marks}, // Latin-1 marks
	{0x00C0, 0x024F, 100, 60, rare},  // Latin; see mark
	{0x0250, 0x02FF, 150, 110, rare},
	{0x0300, 0x036F, 100, 80, joined},    // combining marks
	{0x0370, 0x03FF, 80, 33, greek},      // Greek
	{0x0400, 0x040F, 80, 50, cyrillic},   // Cyrillic, letters that Russian does not use
	{0x0410, 0x044F, 64, 20, cyrillic},   // Cyrillic
	{0x0450, 0x052F, 70, 45, cyrillic},   // Cyrillic, as above, and ё
	{0x0530, 0x058F, 58, 26, caucasian},  // Armenian
	{0x0590, 0x05FF, 78, 38, hebrew},     // Hebrew
	{0x0600, 0x06FF, 72, 28, arabic},     // Arabic
	{0x0700, 0x08FF, 200, 190, rare},     // Syriac, Thaana, NKo
	{0x0900, 0x097F, 60, 29, devanagari}, // Devanagari
	{0x0980, 0x09FF, 62, 34, indic},      // Bengali
	{0x0A00, 0x0A7F, 70, 56, indic},      // Gurmukhi
	{0x0A80, 0x0AFF, 65, 36, indic},      // Gujarati
	{0x0B00, 0x0B7F, 110, 95, indic},     // Oriya
	{0x0B80, 0x0D7F, 65, 36, indic},      // Tamil, Telugu, Kannada, Malayalam
	{0x0D80, 0x0DFF, 70, 50, indic},      // Sinhala
	{0x0E00, 0x0E7F, 43, 43, thai},       // Thai
	{0x0E80, 0x0EFF, 80, 70, rare},       // Lao
	{0x0F00, 0x0FFF, 150, 150, rare},     // Tibetan
	{0x1000, 0x109F, 80, 56, rare},       // Burmese
	{0x10A0, 0x10FF, 54, 27, caucasian},  // Georgian
	{0x1100, 0x11FF, 100, 100, hangul},
	{0x1200, 0x177F, 190, 160, rare}, // Ethiopic, Cherokee, Ogham, Runes
	{0x1780, 0x17FF, 60, 58, rare},   // Khmer
	{0x1800, 0x1DFF, 190, 170, rare}, // Mongolian and others
	{0x1E00, 0x1EFF, 100, 60, rare},  // Latin with two marks
	{0x1F00, 0x1FFF, 120, 90, greek}, // Greek with marks
	{0x2000, 0x206F, 100, 60, marks}, // dashes, quotes, ellipsis, joiners
	{0x2070, 0x24FF, 150, 150, marks},
	{0x2500, 0x259F, 120, 40, marks}, // box drawing
	{0x25A0, 0x2BFF, 180, 180, emoji},
	{0x2C00, 0x2DFF, 150, 120, rare},
	{0x2E80, 0x2FFF, 200, 200, han},
	{0x3000, 0x303F, 90, 90, marks}, // CJK marks
	{0x3040, 0x30FF, 75, 75, kana},  // kana
	{0x3100, 0x33FF, 180, 180, rare},
	{0x3400, 0x4DBF, 250, 250, han},
	{0x4E00, 0x9FFF, 75, 75, han}, // Han
	{0xA000, 0xABFF, 200, 150, rare},
	{0xAC00, 0xD7AF, 70, 70, hangul}, // Hangul
	{0xF900, 0xFAFF, 200, 200, han},
	{0xFB00, 0xFDFF, 150, 100, arabic},
	{0xFE00, 0xFE0F, 50, 50, emoji}, // variation selectors
	{0xFE10, 0xFE6F, 150, 150, marks},
	{0xFE70, 0xFEFE, 150, 100, arabic},
	{0xFF00, 0xFFEF, 95, 95, marks}, // full-width forms
	{0x1F000, 0x1FAFF, 205, 205, emoji},
}

// otherCost is the cost of a character outside all scripts: its bytes.
const otherCost = 350

// scriptOf returns the index in scripts of r's script, -1 for none.
func scriptOf(r rune) int {
	lo, hi := 0, len(scripts)
	for lo < hi {
		mid := (lo + hi) / 2
		if scripts[mid].to < r {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(scripts) && scripts[lo].from <= r {
		return lo
	}
	return -1
}

// foreign costs a run of one script, which begins at i.
func (t *tally) foreignRun(text string, i, before int) (end int) {
	r, width := utf8.DecodeRuneInString(text[i:])
	at := scriptOf(r)
	if at < 0 {
		t.foreign[rare] += otherCost
		return i + width
	}
	if isLatin(r) {
		return t.latinWord(text, i, before)
	}
	s := &scripts[at]
	cost := s.first
	for end = i + width; end < len(text) && text[end] >= utf8.RuneSelf; end += width {
		r, width = utf8.DecodeRuneInString(text[end:])
		if r < s.from || r > s.to {
			break
		}
		cost += s.next
	}
	t.foreign[s.group] += cost
	return end
}

// isLatin reports whether r is a Latin letter outside ASCII.
func isLatin(r rune) bool {
	return r >= 0xC0 && r <= 0x24F && r != 0xD7 && r != 0xF7 || r >= 0x1E00 && r <= 0x1EFF
}

// latinWord costs a word with Latin letters that carry marks, which begins at i.
func (t *tally) latinWord(text string, i, before int) (end int) {
	w := word{last: opening}
	small := false
	for end = i; end < len(text); {
		r, width := rune(text[end]), 1
		if r >= utf8.RuneSelf {
			r, width = utf8.DecodeRuneInString(text[end:])
			if !isLatin(r) {
				break
			}
		} else if class[r] != lower && class[r] != upper {
			break
		}
		switch {
		case small && (r >= utf8.RuneSelf || class[r] == lower): // a capital inside a word that has a mark is rare
		case !isUpper(r):
			small = true
		case small:
			t.word(&w, before)
			return end
		default:
			w.capitals++
		}
		at := symbolOf(r)
		if at == twoMarks {
			t.doubled++
		}
		w.add(at)
		end += width
	}
	t.word(&w, before)
	return end
}

func isUpper(r rune) bool {
	if r < utf8.RuneSelf {
		return class[r] == upper
	}
	return unicode.IsUpper(r)
}

// twoMarks is the symbol of Latin letters with two marks, as Vietnamese has them.
const twoMarks = 28

// symbolOf is symbol for any Latin letter.
func symbolOf(r rune) uint {
	switch {
	case r < utf8.RuneSelf:
		return uint(symbol[r])
	case r <= 0xFF:
		return 26
	case r <= 0x24F:
		return 27
	}
	return twoMarks
}
