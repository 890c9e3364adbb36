package summarizer

import (
	"strings"
	"unicode"

	"recap/chat"
)

// tongue is one language as far as it is told apart here: by words that every text of it holds, or by its script alone.
type tongue struct {
	name  string
	words map[string]bool
}

// tongues are the languages in Latin letters that are known by their function words. To add one, add its row: words
// that are short, frequent, and of few other languages.
var tongues = []tongue{
	{"English", wordSet("the and of is was that with for this are from they have not which were has been will")},
	{"Polish", wordSet("się nie że jest przez dla oraz są jako ale czy który która które było został została tego jego na do")},
	{"German", wordSet("der die das und ist nicht mit für von auf ein eine wurde werden sich dem den auch wird sind")},
	{"French", wordSet("le les des et est une dans pour que qui pas sur avec du au par cette sont été")},
	{"Spanish", wordSet("el los las una que para con por del es se como está fue pero más han sido")},
	{"Italian", wordSet("il che di una per con del della sono gli è stato nel non anche è le dei")},
	{"Portuguese", wordSet("não uma para com os dos das foi está mais como que ou pelo pela são em")},
	{"Dutch", wordSet("het een van niet met voor dat zijn wordt ook naar bij maar deze")},
	{"Czech", wordSet("se je na že byl jako pro který nebo také bylo jsou není podle")},
	{"Swedish", wordSet("och att det som är inte för med den har på ett av till")},
	{"Turkish", wordSet("ve bir bu için ile değil olarak olan daha çok ama gibi")},
}

// The languages that are known by their script.
const (
	chinese  = "Chinese"
	japanese = "Japanese"
	korean   = "Korean"
)

// scripts are those of which one letter tells enough; which language of the script it is does not matter here.
var scripts = []struct {
	name  string
	table *unicode.RangeTable
}{
	{"Russian", unicode.Cyrillic},
	{"Arabic", unicode.Arabic},
	{"Hebrew", unicode.Hebrew},
	{"Greek", unicode.Greek},
	{"Hindi", unicode.Devanagari},
	{"Thai", unicode.Thai},
	{korean, unicode.Hangul},
}

// spoken is how much of each language a text holds, in words.
type spoken map[string]float64

// What a text must hold of a language, in words, before anything is said about it; and which share of the most spoken
// one counts as spoken too.
const (
	enoughWords = 12
	alsoSpoken  = 0.2
	nearlyAs    = 0.6
)

// languageGate misses the language of the conversation. Where two are spoken, either is right; where it is not clear what
// is spoken, anything is.
func languageGate(d *draft) bool {
	asked, most := d.spoken.most()
	if most < enoughWords {
		return false
	}
	written := languages(withoutHeadings(d.text))
	_, words := written.most()
	if words < enoughWords {
		return false
	}
	for name, n := range written { // kin languages share words: what comes near may be it
		if n >= words*nearlyAs && d.spoken[name] >= most*alsoSpoken {
			return false
		}
	}
	d.again = "Your last answer was not in the language of the conversation. Write in " + asked + "; keep the headings, names and code as they are."
	return true
}

// most returns the language of which there is most.
func (s spoken) most() (name string, words float64) {
	for n, w := range s {
		if w > words || w == words && n < name {
			name, words = n, w
		}
	}
	return name, words
}

// languageOf looks at what people and the model said to each other; code, results and calls are left out.
func languageOf(messages []chat.Message) spoken {
	all := spoken{}
	room := 256 << 10
	for at := len(messages) - 1; at >= 0 && room > 0; at-- {
		m := &messages[at]
		if !m.Opens() && m.Role != chat.Assistant {
			continue
		}
		text := headOf(m.Text(), 16<<10)
		room -= len(text)
		for name, words := range languages(text) {
			all[name] += words
		}
	}
	return all
}

// languages counts the words of a text by language. Code between backticks, and words that are no words, do not count.
func languages(text string) spoken {
	s := spoken{}
	han, kana := 0, 0
	for _, word := range strings.FieldsFunc(strings.ToLower(withoutCode(text)), notInWord) {
		for i := range tongues {
			if tongues[i].words[word] {
				s[tongues[i].name] += 3 // of three words about one is such a word
			}
		}
		if word[0] < 0xCD {
			continue // Latin
		}
		first := []rune(word)[0]
		for i := range scripts {
			if unicode.Is(scripts[i].table, first) {
				s[scripts[i].name]++
			}
		}
		for _, r := range word {
			switch {
			case unicode.Is(unicode.Han, r):
				han++
			case unicode.In(r, unicode.Hiragana, unicode.Katakana):
				kana++
			}
		}
	}
	if kana*10 >= han+kana && kana > 0 {
		s[japanese] += float64(han+kana) / 2
	} else if han > 0 {
		s[chinese] += float64(han) / 2
	}
	return s
}

func notInWord(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '_' && !unicode.IsDigit(r)
}

// withoutCode leaves out what stands between backticks.
func withoutCode(text string) string {
	for _, fence := range []string{"```", "`"} {
		parts := strings.Split(text, fence)
		if len(parts) < 3 {
			continue
		}
		var b strings.Builder
		for i := 0; i < len(parts); i += 2 {
			b.WriteString(parts[i])
			b.WriteByte(' ')
		}
		text = b.String()
	}
	return text
}
