package tokens

import "math"

// OffNote is by how many tokens a note weighs more by its own text than by the share that the rest of the chat has: a
// ledger holds more digits and names than a conversation.
func (s *Sizes) OffNote(note string) int {
	fixed := s.FixedTotal()
	if fixed <= 0 || s.rates.guess == 0 {
		return 0
	}
	n := s.put(note)
	share := float64(s.Total()) / float64(fixed)
	return int(math.Round(float64(n.guess[s.like])*s.rates.guess - float64(n.fixed)*share))
}
