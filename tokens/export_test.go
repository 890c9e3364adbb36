package tokens

// EstimateLike is Estimate for the vocabulary that a model's is near to.
func EstimateLike(text string, like int) int {
	var t tally
	t.text(text)
	return whole(t.cost(likeness(like)))
}
