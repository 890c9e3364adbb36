package tokens

import (
	"unicode"
	"unicode/utf8"
)

// script is what a range of characters costs: the first letter of a word and each next one, in units of 1/unit tokens.
// Where words are not set apart by blanks, all letters cost the same.
type script struct {
	from, to    rune
	first, next int
	letter      bool // runs of it form a word
}

// scripts is sorted by from. What is in none of them costs otherCost.
var scripts = []script{
	{0x0080, 0x00BF, 100, 70, false}, // Latin-1 marks
	{0x00C0, 0x024F, 100, 60, true},  // Latin; see mark
	{0x0250, 0x02FF, 150, 110, true},
	{0x0300, 0x036F, 100, 80, true},  // combining marks
	{0x0370, 0x03FF, 80, 33, true},   // Greek
	{0x0400, 0x040F, 80, 50, true},   // Cyrillic, letters that Russian does not use
	{0x0410, 0x044F, 64, 20, true},   // Cyrillic
	{0x0450, 0x052F, 70, 45, true},   // Cyrillic, as above, and ё
	{0x0530, 0x058F, 90, 40, true},   // Armenian
	{0x0590, 0x05FF, 78, 38, true},   // Hebrew
	{0x0600, 0x06FF, 72, 28, true},   // Arabic
	{0x0700, 0x08FF, 200, 190, true}, // Syriac, Thaana, NKo
	{0x0900, 0x097F, 60, 29, true},   // Devanagari
	{0x0980, 0x09FF, 62, 34, true},   // Bengali
	{0x0A00, 0x0A7F, 70, 56, true},   // Gurmukhi
	{0x0A80, 0x0AFF, 65, 36, true},   // Gujarati
	{0x0B00, 0x0B7F, 110, 95, true},  // Oriya
	{0x0B80, 0x0D7F, 65, 36, true},   // Tamil, Telugu, Kannada, Malayalam
	{0x0D80, 0x0DFF, 70, 50, true},   // Sinhala
	{0x0E00, 0x0E7F, 43, 43, true},   // Thai
	{0x0E80, 0x0EFF, 80, 70, true},   // Lao
	{0x0F00, 0x0FFF, 150, 150, true}, // Tibetan
	{0x1000, 0x109F, 80, 56, true},   // Burmese
	{0x10A0, 0x10FF, 80, 40, true},   // Georgian
	{0x1100, 0x11FF, 100, 100, true},
	{0x1200, 0x177F, 190, 160, true}, // Ethiopic, Cherokee, Ogham, Runes
	{0x1780, 0x17FF, 60, 58, true},   // Khmer
	{0x1800, 0x1DFF, 190, 170, true}, // Mongolian and others
	{0x1E00, 0x1EFF, 100, 60, true},  // Latin with two marks
	{0x1F00, 0x1FFF, 120, 90, true},  // Greek with marks
	{0x2000, 0x206F, 100, 60, false}, // dashes, quotes, ellipsis, joiners
	{0x2070, 0x24FF, 150, 150, false},
	{0x2500, 0x259F, 120, 40, false}, // box drawing
	{0x25A0, 0x2BFF, 180, 180, false},
	{0x2C00, 0x2DFF, 150, 120, true},
	{0x2E80, 0x2FFF, 200, 200, true},
	{0x3000, 0x303F, 90, 90, false}, // CJK marks
	{0x3040, 0x30FF, 75, 75, true},  // kana
	{0x3100, 0x33FF, 180, 180, true},
	{0x3400, 0x4DBF, 250, 250, true},
	{0x4E00, 0x9FFF, 75, 75, true}, // Han
	{0xA000, 0xABFF, 200, 150, true},
	{0xAC00, 0xD7AF, 70, 70, true}, // Hangul
	{0xF900, 0xFAFF, 200, 200, true},
	{0xFB00, 0xFDFF, 150, 100, true},
	{0xFE00, 0xFE0F, 50, 50, false}, // variation selectors
	{0xFE10, 0xFE6F, 150, 150, false},
	{0xFE70, 0xFEFE, 150, 100, true},
	{0xFF00, 0xFFEF, 95, 95, false}, // full-width forms
	{0x1F000, 0x1FAFF, 220, 220, false},
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
func foreign(text string, i, before int) (cost, end int) {
	r, width := utf8.DecodeRuneInString(text[i:])
	at := scriptOf(r)
	if at < 0 {
		return otherCost, i + width
	}
	if isLatin(r) {
		return accented(text, i, before)
	}
	s := &scripts[at]
	cost, end = s.first, i+width
	for end < len(text) && text[end] >= utf8.RuneSelf {
		r, width = utf8.DecodeRuneInString(text[end:])
		if r < s.from || r > s.to {
			break
		}
		cost += s.next
		end += width
	}
	return cost, end
}

// isLatin reports whether r is a Latin letter outside ASCII.
func isLatin(r rune) bool {
	return r >= 0xC0 && r <= 0x24F && r != 0xD7 && r != 0xF7 || r >= 0x1E00 && r <= 0x1EFF
}

// accented costs a word with Latin letters that carry marks.
func accented(text string, i, before int) (cost, end int) {
	letters, capitals, marks := 0, 0, 0
	small := false
	for end = i; end < len(text); letters++ {
		c := text[end]
		if c < utf8.RuneSelf {
			k := class[c]
			if k != lower && (k != upper || small) {
				break
			}
			if k == upper {
				capitals++
			}
			small = small || k == lower
			end++
			continue
		}
		r, width := utf8.DecodeRuneInString(text[end:])
		if !isLatin(r) {
			break
		}
		if unicode.IsUpper(r) {
			if small {
				break
			}
			capitals++
		} else {
			small = true
		}
		marks += markCost(r)
		end += width
	}
	return wordCost(letters, capitals, before) + marks, end
}

// markCost is what a Latin letter with marks adds to its word.
func markCost(r rune) int {
	switch {
	case r <= 0xFF:
		return 30
	case r >= 0x1E00:
		return 0
	}
	return 155
}
