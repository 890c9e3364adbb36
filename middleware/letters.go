package middleware

// letters tells kinds of text apart whose bytes weigh differently in tokens: by the first byte of a character beyond ASCII,
// which goes with its script, and by how many such bytes there are, in quarters.
type letters struct{ lead, share byte }

const (
	// probe is the length of each of the two places that are looked at, in bytes.
	probe = 64
	// mostEscapes is how many backslashes there may be in them.
	mostEscapes = 8
)

// lettersOf looks at two places of a body. ok is false where it is too short, or where less than two thirds are letters, as
// in digits, blanks and code in base 16: those weigh so differently that none tells of another.
func lettersOf(body string) (kind letters, ok bool) {
	if len(body) < 6*probe {
		return letters{}, false
	}
	words, high, escapes := 0, 0, 0
	for _, at := range [2]int{len(body) / 3, 2 * len(body) / 3} {
		for _, b := range []byte(body[at : at+probe]) {
			switch {
			case b >= 0x80:
				if high++; b >= 0xc0 && kind.lead == 0 {
					kind.lead = b
				}
			case b|0x20 >= 'a' && b|0x20 <= 'z':
				words++
			case b == '\\':
				escapes++
			}
		}
	}
	kind.share = byte(4 * high / (2*probe + 1))
	return kind, 3*(words+high) >= 2*2*probe && escapes <= mostEscapes
}
