package summarizer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// nameCues stand in front of a person's name in scripts that have no capital letters to know it by.
var nameCues = []string{
	"联系人", "負責人", "负责人", "经理", "老板", "同事", "我叫", "名叫", "名字", "姓名", "客户叫",
	"担当者", "担当", "上司", "氏名", "名前", "담당자", "이름", "상사",
	"اسمه", "اسمها", "اسمي", "اسم", "مديري", "مديرتي", "زميلي", "زميلتي", "السيد", "السيدة", "الأستاذ",
}

// nameLinks join a cue with the name.
var nameLinks = []string{"是", "叫", "为", "：", ":", "は", "が", "의", "는", "은", "이", "가", "هو", "هي", "مديري", "زميلي", " "}

// honorifics stand right behind a name.
var honorifics = []string{"さん", "様", "先生", "女士", "氏", "님", "씨"}

// cueNames finds names in scripts without capitals: behind a cue, or in front of an honorific.
func cueNames(text string, emit func(found)) {
	if !hasUncased(text) {
		return
	}
	for _, cue := range nameCues {
		for at := 0; ; {
			i := strings.Index(text[at:], cue)
			if i < 0 {
				break
			}
			at += i + len(cue)
			start := afterLinks(text, at)
			if end := nameEnd(text, start); end > start {
				emit(found{nameFact, start, end})
			}
		}
	}
	for _, honorific := range honorifics {
		for at := 0; ; {
			i := strings.Index(text[at:], honorific)
			if i < 0 {
				break
			}
			if start := nameBefore(text, at+i); start < at+i {
				emit(found{nameFact, start, at + i})
			}
			at += i + len(honorific)
		}
	}
}

// hasUncased reports whether a text holds letters of the scripts that cueNames knows.
func hasUncased(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= 0xE3 && c <= 0xED || c >= 0xD8 && c <= 0xDB {
			return true
		}
	}
	return false
}

func afterLinks(text string, at int) int {
	for range 4 {
		before := at
		for _, link := range nameLinks {
			if strings.HasPrefix(text[at:], link) {
				at += len(link)
				break
			}
		}
		if at == before {
			break
		}
	}
	return at
}

// nameEnd returns where a name ends that begins at a position; that position itself where none does.
func nameEnd(text string, start int) int {
	r, _ := utf8.DecodeRuneInString(text[start:])
	switch {
	case unicode.Is(unicode.Arabic, r):
		return arabicName(text, start)
	case unicode.Is(unicode.Han, r):
		return run(text, start, unicode.Han, 2, 4)
	case unicode.Is(unicode.Katakana, r):
		return run(text, start, unicode.Katakana, 2, 12)
	case unicode.Is(unicode.Hangul, r):
		return run(text, start, unicode.Hangul, 2, 3)
	}
	return start
}

// arabicName takes two words.
func arabicName(text string, start int) int {
	end := run(text, start, unicode.Arabic, 2, 16)
	if end > start && end < len(text) && text[end] == ' ' {
		return max(run(text, end+1, unicode.Arabic, 2, 16), end)
	}
	return start
}

// run returns where so many letters of a script end that begin at a position; that position itself where there are fewer.
func run(text string, start int, script *unicode.RangeTable, least, most int) int {
	at, n := start, 0
	for n < most && at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !unicode.Is(script, r) || r == '的' || r == '是' {
			break
		}
		at += size
		n++
	}
	if n < least {
		return start
	}
	return at
}

// nameBefore returns where a name begins that ends at a position; that position itself where none does.
func nameBefore(text string, end int) int {
	at, n := end, 0
	for n < 6 {
		r, size := utf8.DecodeLastRuneInString(text[:at])
		if !unicode.In(r, unicode.Han, unicode.Katakana, unicode.Hangul) || r == '的' || r == '是' {
			break
		}
		at -= size
		n++
	}
	if n < 2 {
		return end
	}
	return at
}
