package tokens

import "math"

// Anchor is what an upstream counted for one chat, for the chats that begin with it: of those only what is new has to be
// estimated. It says what all of it weighs, not what each message does, so it never moves a border by the fixed measure.
type Anchor struct {
	messages []int // what they were taken to weigh
	extra    int
	factor   float64 // what the upstream makes of that
	answer   int     // tokens of the answer; 0 = not told
}

const (
	// leeway is how far a report may be from what was expected in any case, in tokens: templates say things of their own.
	leeway = 64
	// telling is the least size of a chat's beginning, in tokens, that tells how far the estimates of the rest are off.
	telling = 128
	// highAnchor is the share of what was expected over which a report is no anchor.
	highAnchor = 2
)

// NewAnchor takes what an upstream counted (reported) where by s so much (sent) was sent, and how many tokens its answer
// has, 0 where it does not say. It returns nil for a report that is not believed: one far from what was expected, or one
// that did not grow with the chat, as after a silent cut.
func NewAnchor(s *Sizes, sent, reported, answer int) *Anchor {
	low, high := float64(sent)*lowShare-leeway, float64(sent)*highAnchor+leeway
	if s.anchored {
		low = max(low, float64(sent)-float64(s.news)/2-leeway/4)
	}
	if r := float64(reported); sent <= 0 || r <= 0 || r < low || r > high {
		return nil
	}
	return &Anchor{messages: s.Messages, extra: s.Extra, factor: float64(reported) / float64(sent), answer: answer}
}

// Len is the number of messages that were counted.
func (a *Anchor) Len() int { return len(a.messages) }

// Anchored returns s with what was counted in the place of estimates: s must be of a chat that begins with a's messages
// and has the same tools. Answered tells that the next message is the answer that was given then; where its estimate is
// near to what the upstream counted for that, it is taken as it was counted.
func (s Sizes) Anchored(a *Anchor, answered bool) Sizes {
	n := len(a.messages)
	if n > len(s.Messages) {
		return s
	}
	own := make([]int, len(s.Messages))
	copy(own, s.Messages)
	estimated := s.Extra
	for _, weight := range s.Messages[:n] {
		estimated += weight
	}
	sum := float64(a.extra) * a.factor
	last := int(math.Round(sum))
	s.Extra = last
	for i, weight := range a.messages {
		sum += float64(weight) * a.factor
		up := int(math.Round(sum)) // of the sum, so that nothing is lost by rounding
		own[i], last = up-last, up
	}
	more := trend(sum, estimated)
	for i := n; i < len(own); i++ {
		own[i] = int(math.Round(float64(own[i]) * more))
	}
	if answered && n < len(own) && a.answer > 0 {
		if counted := a.answer + messageTokens; near(counted, own[n]) {
			own[n] = counted
		}
	}
	s.Messages, s.anchored, s.news = own, true, 0
	for _, weight := range own[n:] {
		s.news += weight
	}
	return s
}

// trend is by how much the estimates of a chat's beginning were off, which those of what follows will be too. A short
// beginning says little: of it, the template is too large a part.
func trend(counted float64, estimated int) float64 {
	if estimated < telling {
		return 1
	}
	return min(max(counted/float64(estimated), minFactor), 1/minFactor)
}

// near reports whether a count may be of what was estimated: an answer that came back without its reasoning, or changed,
// is not what was counted.
func near(counted, estimated int) bool {
	off := counted - estimated
	return max(off, -off) <= estimated/3+8
}

// Beginning returns the sizes of the first n messages and what is beside them.
func (s Sizes) Beginning(n int) Sizes {
	s.Messages, s.Fixed = s.Messages[:n:n], s.Fixed[:n:n]
	s.rows = append(s.rows[:n:n], s.rows[len(s.rows)-1])
	return s
}
