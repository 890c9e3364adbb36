package tokens

import "math"

// NoteSize is what a text that is put into a chat weighs.
type NoteSize struct {
	fixed int // by the fixed measure
	guess int // for the model's kind of vocabulary
}

// SizeOfNote weighs a note for the model of s. The same text weighs the same, for models of one vocabulary.
func (s *Sizes) SizeOfNote(text string) NoteSize {
	var t tally
	t.text(text)
	return NoteSize{fixed: whole(t.fixed()), guess: whole(t.cost(s.like))}
}

// OffNote is by how many tokens a note of that size weighs more by its own text than by the share that the rest of the
// chat has: a ledger holds more digits and names than a conversation.
func (s *Sizes) OffNote(n NoteSize) int {
	fixed := s.FixedTotal()
	if fixed <= 0 || s.rates.guess == 0 {
		return 0
	}
	share := float64(s.Total()) / float64(fixed)
	return int(math.Round(float64(n.guess)*s.rates.guess - float64(n.fixed)*share))
}
