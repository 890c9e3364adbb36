package summarizer

import "strings"

// ruleWords mark sentences that forbid or demand something, in small letters. Those must survive word for word:
// a rule that a summary paraphrases is soon a rule no more.
var ruleWords = []string{
	"never", "always", "do not", "don't", "don’t", "must", "make sure", "remember", "under no circumstances", "avoid",
	"forbidden", "not allowed", "important:", "only use", "no longer",
	"nigdy", "zawsze", "nie wolno", "nie używaj", "nie rób", "pamiętaj", "musi", "koniecznie",
	"niemals", "immer", "muss", "nicht", "darf", "jamais", "toujours", "il faut", "ne pas", "nunca", "siempre", "jamás", "no debes",
	"никогда", "всегда", "нельзя", "обязательно", "должен", "должна", "не используй",
	"mai", "sempre", "vietato", "nooit", "altijd", "asla", "ніколи", "завжди", "не можна",
	"أبدا", "أبداً", "دائما", "دائماً", "يجب", "ممنوع", "لا تستخدم", "إياك",
	"不要", "绝不", "必须", "禁止", "永远", "务必", "千万", "不能", "決して", "必ず", "しないで", "절대", "반드시", "항상",
}

// What counts as a rule at the most.
const (
	maxRule  = 300 // bytes of one
	maxRules = 16  // of one message
)

// rules returns copies of the sentences of a text that forbid or demand something.
func rules(text string) []string {
	var list []string
	for text != "" && len(list) < maxRules {
		var sentence string
		sentence, text = nextSentence(text)
		sentence = strings.TrimSpace(sentence)
		if len(sentence) > 4 && len(sentence) <= maxRule && isRule(sentence) {
			list = append(list, strings.Clone(sentence))
		}
	}
	return list
}

func isRule(sentence string) bool {
	small := strings.ToLower(sentence)
	for _, w := range ruleWords {
		if at := strings.Index(small, w); at >= 0 && wordAt(small, at, len(w)) {
			return true
		}
	}
	return false
}

// wordAt reports whether the bytes at a position stand alone. Scripts without spaces always do.
func wordAt(text string, at, n int) bool {
	if text[at] >= 0xE2 {
		return true
	}
	const letter = isLower | isUpper | isDigit
	if at > 0 && classes[text[at-1]]&letter != 0 {
		return false
	}
	return at+n >= len(text) || classes[text[at+n]]&letter == 0
}

// nextSentence splits a text behind its first sentence: at the end of a line or a full stop that ends a word.
func nextSentence(text string) (sentence, rest string) {
	for at := 0; at < len(text); at++ {
		switch c := text[at]; {
		case c == '\n':
			return text[:at], text[at+1:]
		case (c == '.' || c == '!' || c == '?') && at+1 < len(text) && text[at+1] <= ' ':
			return text[:at+1], text[at+1:]
		case c == 0xE3 && strings.HasPrefix(text[at:], "。"), c == 0xEF && strings.HasPrefix(text[at:], "！"):
			return text[:at+3], text[at+3:]
		}
	}
	return text, ""
}
