package pruning

import "recap/chat"

// FailureWords is how many words open a failure.
var FailureWords = len(failureWords)

// Sight is what is looked at of a result that nobody clears.
func Sight(m *chat.Message, i int) (opening string, whole, trimmed bool) {
	text, trimmed := sight(m, i)
	opening = text[:min(len(text), maxOpening)]
	return opening, len(opening) == len(text), trimmed
}

// Whole is Sight by all of the text.
func Whole(m *chat.Message, i int) (opening string, whole, trimmed bool) {
	text := m.ResultText(i)
	opening = text[:min(len(text), maxOpening)]
	return opening, len(opening) == len(text), hasMarker(text)
}

// Digest is what a digest of so many characters says of a text beside others that are shown.
func Digest(text string, chars int, shown ...string) string {
	var set wordSet
	for _, s := range shown {
		set = set.with(appendNames(nil, s))
	}
	return digest(text, chars, set)
}
