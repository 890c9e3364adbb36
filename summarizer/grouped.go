package summarizer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// groupGaps stand between groups of three digits in many languages: 18 450,75 zł.
var groupGaps = []string{" ", "\u00a0", "\u202f"}

// grouped returns where a number ends that goes on in groups of three digits behind spaces, unit included; end itself
// where it does not. "80 443" may as well be two numbers: a decimal part, a unit or a second group must follow.
func grouped(text string, start, end int) int {
	if end-start > 3 || !allOf(text[start:end], isDigit) {
		return end
	}
	at, groups := end, 0
	for {
		next := afterGap(text, at)
		if next == at || next+3 > len(text) || !allOf(text[next:next+3], isDigit) ||
			next+3 < len(text) && classes[text[next+3]] == isDigit {
			break
		}
		at, groups = next+3, groups+1
	}
	if groups == 0 {
		return end
	}
	decimal := at
	if at+1 < len(text) && (text[at] == ',' || text[at] == '.') && classes[text[at+1]] == isDigit {
		for decimal++; decimal < len(text) && classes[text[decimal]] == isDigit; decimal++ {
		}
	}
	last := unit(text, decimal)
	if groups > 1 || decimal > at || last > decimal {
		return last
	}
	return end
}

func afterGap(text string, at int) int {
	for _, gap := range groupGaps {
		if strings.HasPrefix(text[at:], gap) {
			return at + len(gap)
		}
	}
	return at
}

// dateSigns are what East Asian dates hold behind year, month and day.
var dateSigns = [][3]string{{"年", "月", "日"}, {"년", "월", "일"}}

// eastAsianDate returns where a date ends whose year stands at [start, end): 2026年11月17日; end itself where it is none.
func eastAsianDate(text string, start, end int) int {
	if end-start != 4 {
		return end
	}
	for _, signs := range dateSigns {
		at := end
		for i, sign := range signs {
			if i > 0 {
				digits := at
				for digits < len(text) && (classes[text[digits]] == isDigit || digits == at && text[digits] == ' ') {
					digits++
				}
				if digits == at || digits-at > 3 || !strings.HasPrefix(text[digits:], sign) {
					break
				}
				at = digits
			} else if !strings.HasPrefix(text[at:], sign) {
				break
			}
			at += len(sign)
		}
		if at > end+len(signs[0]) {
			return at
		}
	}
	return end
}

// spelledDate returns where a date begins whose year stands at a position: "17 listopada 2026", "17. November 2026",
// "November 17, 2026"; start itself where it is none.
func spelledDate(text string, start, end int) int {
	if end-start != 4 || text[start:start+2] != "19" && text[start:start+2] != "20" {
		return start
	}
	words, at := 0, start
	digits, letters := false, false
	for words < 4 && at > 0 && (text[at-1] == ' ' || text[at-1] == ',' || text[at-1] == '.') {
		gap := at
		for gap > 0 && (text[gap-1] == ' ' || text[gap-1] == ',' || text[gap-1] == '.' && digitBefore(text, gap-1)) {
			gap--
		}
		begin := wordBefore(text, gap)
		word := text[begin:gap]
		switch {
		case word == "" || gap == at:
			return start
		case allOf(word, isDigit) && len(word) <= 2 && !digits:
			digits = true
		case word == "de" || word == "del":
		case wordOfLetters(word) && len(word) >= 3 && !letters:
			letters = true
		default:
			return start
		}
		at = begin
		words++
		if digits && letters {
			return at
		}
	}
	return start
}

func digitBefore(text string, at int) bool { return at > 0 && classes[text[at-1]] == isDigit }

func wordOfLetters(word string) bool {
	for _, r := range word {
		if !unicode.IsLetter(r) {
			return false
		}
	}
	return utf8.ValidString(word)
}
