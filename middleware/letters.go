package middleware

// letters tells kinds of text apart whose bytes weigh differently in tokens: by the first byte of a character beyond ASCII,
// which goes with its script, and by how much of what there is.
type letters struct {
	lead  byte
	share [kindsOfBytes]byte // in steps
}

// The kinds of bytes that are counted.
const (
	mark = iota // of any other kind
	word
	digit
	space
	escape
	beyond // ASCII
	kindsOfBytes
)

const (
	// probe is the length of each of the two places that are looked at, in bytes.
	probe = 32
	// step is how far two texts of one kind may differ, in bytes of the two places.
	step = 12
)

// byteKinds says of which kind a byte is: a look into a table, since a branch would be guessed wrong at most bytes.
var byteKinds = func() (kinds [256]byte) {
	for i := range kinds {
		switch b := byte(i); {
		case b|0x20 >= 'a' && b|0x20 <= 'z':
			kinds[i] = word
		case b >= '0' && b <= '9':
			kinds[i] = digit
		case b == ' ':
			kinds[i] = space
		case b == '\\':
			kinds[i] = escape
		case b >= 0x80:
			kinds[i] = beyond
		}
	}
	return kinds
}()

// lettersOf looks at two places of a body. ok is false where it is too short for that.
func lettersOf(body string) (kind letters, ok bool) {
	if len(body) < 12*probe {
		return letters{}, false
	}
	for _, at := range [2]int{len(body) / 3, 2 * len(body) / 3} {
		for _, b := range []byte(body[at : at+probe]) {
			kind.share[byteKinds[b]]++
			if b >= 0xc0 && kind.lead == 0 {
				kind.lead = b
			}
		}
	}
	for i := range kind.share {
		kind.share[i] /= step
	}
	return kind, true
}
