package summarizer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// stopWords say nothing about a value.
var stopWords = wordSet(`a an and are as at be been but by can could did do does for from had has have he her his how i if
in into is it its just let like make me my now of on or our out please set she should so some than that the their
them then there these they this those to up use using via want was we were what when where which who will with would
you your changed to ok okay yes no not also all here ask tell call contact meet email see remember note`)

// articles open sentences in languages other than English and are no part of a name that follows them.
var articles = wordSet(`der die das ein eine mein meine unser unsere dein deine dieser diese dieses le la les un une des mon ma mes notre nos el los
las una mi mis nuestro nuestra il lo gli o os as um uma meu minha nosso nossa het een de mijn onze mój moja moje nasz nasza nasze ten ta мой моя
наш наша это эта этот`)

// units stand behind numbers and belong to them.
var units = wordSet(`b kb mb gb tb kib mib gib tib ms ns us s sec secs second seconds min mins minute minutes h hr hrs hour
hours d day days week weeks month months year years px pt em rem km m cm mm kg g mg l ml usd eur pln gbp chf jpy zł
złotych dollars euros pounds percent rpm rps qps hz khz mhz ghz v w kw kwh a °c tokens rows users items requests retries workers
replicas threads cores nodes pods people times characters lines bytes pages files points dni godzin minut sekund
jahre tage stunden jours heures años días руб рублей ₽ kč kr`)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// unitSigns are units that are no words, or stand in texts without spaces.
var unitSigns = []string{
	"%", "€", "£", "°C", "¥", "₽", "₴", "₺", "₹", "％", "円", "元", "원", "人", "万", "億", "亿", "個", "个", "件", "秒", "分", "时", "時間",
	"時", "天", "日", "月", "年",
}

// unit returns where a number ends that ends at a position, its unit included.
func unit(text string, end int) int {
	at := end
	if at < len(text) && text[at] == ' ' {
		at++
	}
	if at == len(text) || classes[text[at]]&(isDelimiter|isDigit) != 0 {
		return end
	}
	for _, sign := range unitSigns {
		if strings.HasPrefix(text[at:], sign) {
			return at + len(sign)
		}
	}
	stop := at
	for stop < len(text) && stop-at < 12 && classes[text[stop]]&(isLower|isUpper|isWide) != 0 {
		stop++
	}
	if stop > at && at > end && units[strings.ToLower(text[at:stop])] {
		return stop
	}
	return end
}

// maxLabel is how far, in bytes, the words that say what a value is may stand in front of it.
const maxLabel = 48

// label returns where the words begin that say what the value at a position is: up to two that mean something, in
// the same sentence. "the staging port is now 9090" gives "staging port is now 9090".
func label(text string, start int) int {
	from, at, telling := start, start, 0
	skipped := " :=\"'`($#*€£"
	for words := 0; at > 0 && telling < 2 && words < 5; words++ {
		end := at
		for end > 0 && strings.IndexByte(skipped, text[end-1]) >= 0 {
			end--
		}
		skipped = " \"'`$#*" // what stands before a colon is about all that follows
		begin := wordBefore(text, end)
		word := text[begin:end]
		if word == "" || start-begin > maxLabel || has(word, isDigit) && len(word) > 2 {
			break
		}
		if !stopWords[strings.ToLower(word)] {
			telling++
			from = begin
		}
		at = begin
	}
	if from == start {
		from = withSign(text, lettersBefore(text, start), start)
	}
	return from
}

// wordBefore returns where the word begins that ends at a position; that position itself where there is none.
func wordBefore(text string, end int) int {
	at := end
	for at > 0 && !endsSentence(text, at) {
		if text[at-1] < 0x80 {
			inner := text[at-1] == ',' && at < end && classes[text[at]] == isDigit
			if classes[text[at-1]]&isDelimiter != 0 && !inner {
				break
			}
			at--
			continue
		}
		r, size := utf8.DecodeLastRuneInString(text[:at])
		if classes[text[at-size]]&isWide != 0 || r == utf8.RuneError {
			break
		}
		at -= size
	}
	return at
}

// lettersBefore takes up to six letters of a script without spaces that stand right in front of a value.
func lettersBefore(text string, start int) int {
	at := start
	for range 6 {
		r, size := utf8.DecodeLastRuneInString(text[:at])
		if r < 0x2E80 || !unicode.IsLetter(r) {
			break
		}
		at -= size
	}
	return at
}

// withSign takes in a currency sign right in front of a value that has no words before it.
func withSign(text string, from, start int) int {
	for _, sign := range []string{"€", "£", "¥", "€ ", "£ "} {
		if from == start && strings.HasSuffix(text[:start], sign) {
			return start - len(sign)
		}
	}
	return from
}

// endsSentence reports whether the byte before a position is a full stop or colon at the end of a word.
func endsSentence(text string, at int) bool {
	c := text[at-1]
	return (c == '.' || c == ';' || c == ':') && (at >= len(text) || text[at] <= ' ')
}

// topic names what a label speaks of: its telling words, small. Two values under one topic are an old one and a new
// one, most likely.
func topic(label string) string {
	var telling []string
	for _, w := range strings.FieldsFunc(strings.ToLower(label), isSeparator) {
		if !stopWords[w] {
			telling = append(telling, w)
		}
	}
	return strings.Join(telling, " ")
}

func isSeparator(r rune) bool { return r < 0x80 && classes[r]&isDelimiter != 0 || r == ':' || r == '.' }
