package tokens

import "strings"

// likeness is a vocabulary that a model's own is near to: what stands in for it until the upstream has reported.
type likeness uint8

const (
	likeO200k likeness = iota // also of models that nothing is known of
	likeCl100k
	likeLlama3
	likeQwen
	likeGemma
	likenessCount
)

// likenesses names models by their families, more exactly than an encoding of tiktoken's does.
var likenesses = []struct {
	pattern string
	like    likeness
}{
	{"gemma*", likeGemma},
	{"gemini*", likeGemma},
	{"codegemma*", likeGemma},
	{"qwen*", likeQwen},
	{"qwq*", likeQwen},
	{"llama3*", likeLlama3},
	{"llama-3*", likeLlama3},
	{"meta-llama-3*", likeLlama3},
}

// likenessOf returns the vocabulary that is nearest to model's, of which e is the encoding that it is counted in.
func likenessOf(model string, e encoding) likeness {
	bare := model[strings.LastIndexByte(model, '/')+1:]
	for _, l := range likenesses {
		if Glob(l.pattern, bare) {
			return l.like
		}
	}
	if e == o200k {
		return likeO200k
	}
	return likeCl100k
}

// tally is what a text costs, taken apart by what vocabularies differ in, in units of 1/unit tokens.
type tally struct {
	plain   int             // punctuation, white space, numbers at three digits a token
	latin   both            // words of Latin letters, but for those in capitals
	count   int             // their number
	doubled int             // Latin letters with two marks
	capital int             // words in capitals
	foreign [groupCount]int // other scripts, by o200k_base
	digits  int             // what numbers cost more where each digit is a token
	flat    int             // what costs the same everywhere
}

// fixed is the cost by the fixed measure, which is o200k_base's.
func (t *tally) fixed() int {
	sum := t.plain + t.latinCost(0) + t.capital + t.flat
	for _, n := range &t.foreign {
		sum += n
	}
	return sum
}

// latinCost is what words of Latin letters cost by o200k_base (0) or by cl100k_base (1): a token each at least.
func (t *tally) latinCost(vocabulary int) int {
	o, cl := t.latin.split()
	if vocabulary == 0 {
		return max(o, t.count*unit)
	}
	return max(cl, t.count*unit)
}

// taste is how a vocabulary's costs differ from the tally's, in percent.
type taste struct {
	latin   int // 0: o200k_base's words, 1: those of cl100k_base
	doubled int // what Latin letters with two marks cost less, in units
	plain   int
	single  bool // each digit is a token
	foreign [groupCount]int
}

// cost is what the text costs in a vocabulary.
func (t *tally) cost(l likeness) int {
	if l == likeO200k {
		return t.fixed()
	}
	v := &tastes[l]
	sum := 100*(max(t.latinCost(v.latin)-v.doubled*t.doubled, t.count*unit)+t.capital) + v.plain*t.plain
	if v.single {
		sum += 100 * t.digits
	}
	for g, n := range &t.foreign {
		sum += v.foreign[g] * n
	}
	return t.flat + sum/100
}
