package tokens

// opening is the symbol that stands in front of a word.
const opening = 29

// symbol maps an ASCII letter, small or capital, to its row and column in pairCosts. Latin letters beyond ASCII share
// three symbols, see symbolOf.
var symbol = func() (t [256]uint8) {
	for c := range 26 {
		t['a'+c], t['A'+c] = uint8(c), uint8(c)
	}
	return t
}()

// both holds a cost by o200k_base in its lower half and one by cl100k_base in its upper half, so that one addition adds
// to both.
type both int64

func twice(o, cl int) both { return both(cl)<<32 + both(o) }

// split returns the two costs.
func (b both) split() (o, cl int) {
	o = int(int32(b))
	return o, int((b - both(o)) >> 32)
}

var pairs = func() (t [32 * 32]both) {
	for at := range t {
		t[at] = twice(int(pairCosts[0][at/32][at%32]), int(pairCosts[1][at/32][at%32]))
	}
	return t
}()

var bases = func() (t [4][18]both) {
	for lead := range t {
		for n := range t[lead] {
			t[lead][n] = twice(int(baseCosts[0][lead][n]), int(baseCosts[1][lead][n]))
		}
	}
	return t
}()

// longer is what each letter over those of bases adds.
var longer = twice(int(longCosts[0]), int(longCosts[1]))

// word is a word of Latin letters: maybe a capital or more, then small letters.
type word struct {
	letters, capitals int
	last              uint // symbol
	pairs             both
}

// add takes in the next letter.
func (w *word) add(at uint) {
	w.pairs += pairs[(w.last<<5|at)%uint(len(pairs))]
	w.last = at
	w.letters++
}

// word adds what a word costs behind what stands before it.
func (t *tally) word(w *word, before int) {
	if w.capitals > 1 {
		t.capitals(w, before)
		return
	}
	at := min(w.letters, len(bases[0])-1)
	t.latin += w.pairs + bases[before&3][at] + both(w.letters-at)*longer
	t.count++
}

// capitals adds what a word of capitals costs, or of several and small letters.
func (t *tally) capitals(w *word, before int) {
	cost := 0
	if w.letters == w.capitals {
		at := min(w.letters, len(capitalCost)-1)
		cost = int(capitalCost[at]) + (w.letters-at)*capitalMore
		if before == leadPunct {
			cost += 25
		}
	} else {
		o, _ := w.pairs.split()
		at := min(w.letters, len(bases[0])-1)
		more, _ := bases[before&3][at].split()
		cost = max(o+more, unit) + 105
	}
	t.capital += cost
}
