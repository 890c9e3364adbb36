package tokens

// EstimateLike is Estimate for the vocabulary that a model's is near to.
func EstimateLike(text string, like int) int {
	var t tally
	t.text(text)
	return whole(t.cost(likeness(like)))
}

// CountOrdinary is what the background worker counts for a text in one of Encodings.
func CountOrdinary(name, text string) int {
	e, _ := encodingOf(name)
	vocabulary, err := vocabularies[e]()
	if err != nil {
		panic(err)
	}
	n, _ := count(vocabulary, text, func() bool { return false })
	return n
}

// Pieces are what tiktoken-go is given of a text.
func Pieces(text string) (pieces []string) {
	segments(text, func(piece string) bool {
		pieces = append(pieces, piece)
		return true
	})
	return pieces
}

// The bounds of Pieces, in bytes.
const (
	MaxRun     = maxRun
	MaxSegment = maxSegment
)

// EstimateQuoted is Estimate of the text that a JSON string token stands for.
func EstimateQuoted(token string) int {
	var t tally
	t.quoted(token)
	return whole(t.fixed())
}
