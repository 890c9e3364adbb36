package tokens

import (
	"math"

	"recap/chat"
)

// Sizes is what a chat weighs, in tokens.
type Sizes struct {
	Messages   []int // per message of Chat.Messages, overhead included: counted where known, else estimated; calibrated
	Extra      int   // tools, schemas, format and the answer's priming, likewise
	Fixed      []int // per message by the fixed measure, not calibrated
	FixedExtra int
	Fresh      int // messages that were weighed for the first time
	Missing    int // messages whose exact count is not known yet

	rows  []row // per message, the last one for Extra: what Observe compares with the report
	rates rates
	like  likeness

	counter *Counter // that remembers what texts weigh; nil = nobody does

	anchored bool // see Anchored
	news     int  // tokens of the messages behind the anchor
}

// row is what one message weighs before calibration.
type row struct {
	fixed int32
	guess int32 // the fixed measure for the model's kind of vocabulary
	exact int32 // -1 = not known
	media int32 // tokens at the model's flat cost; not calibrated
}

// rates are the factors between our measures and what the upstream reports.
type rates struct {
	guess   float64
	counted float64 // 0: only the estimate has been observed, so that is the better one for now
	rough   float64 // of whole bodies
}

// unknownRates hold while nothing was observed.
var unknownRates = rates{guess: 1, counted: 1, rough: 1}

// newSizes derives the sizes from rows, one per message and one for Extra.
func newSizes(rows []row, like likeness, r rates) Sizes {
	n := len(rows) - 1
	both := make([]int, 2*n)
	s := Sizes{Messages: both[:n:n], Fixed: both[n:], rows: rows, rates: r, like: like}
	for i := range n {
		s.Messages[i] = r.calibrated(rows[i])
		s.Fixed[i] = int(rows[i].fixed + rows[i].media)
		if rows[i].exact < 0 {
			s.Missing++
		}
	}
	s.Extra = r.calibrated(rows[n])
	s.FixedExtra = int(rows[n].fixed + rows[n].media)
	return s
}

// calibrated returns what x weighs by the best measure at hand.
func (r rates) calibrated(x row) int {
	if x.exact >= 0 && r.counted > 0 {
		return int(x.media) + int(math.Round(float64(x.exact)*r.counted))
	}
	return int(x.media) + int(math.Round(float64(x.guess)*r.guess))
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

// Calibrated returns what a text of that many tokens by the fixed measure probably costs at the upstream.
func (s *Sizes) Calibrated(fixed int) int {
	if s.rates.guess == 0 {
		return fixed
	}
	return int(math.Round(float64(fixed) * s.rates.guess))
}

// After returns the sizes of what is sent when p is applied to c, whose sizes s are: dropped messages weigh
// nothing, a trimmed result what is left of it, and the note is added to its message. No anchor is in them.
func (s *Sizes) After(c *chat.Chat, p *chat.Plan) Sizes {
	if len(s.rows) != len(c.Messages)+1 || p.Empty() && !s.anchored {
		return *s
	}
	rows := append([]row(nil), s.rows...)
	s.changes(c, p, func(i int, now row) { rows[i] = now })
	after := newSizes(rows, s.like, s.rates)
	after.counter = s.counter
	return after
}

// changes calls change with each message that p changes and what is sent of it.
func (s *Sizes) changes(c *chat.Chat, p *chat.Plan, change func(i int, now row)) {
	for _, i := range p.Drop {
		change(i, row{})
	}
	for at := 0; at < len(p.Trims); {
		i, from := p.Trims[at].Message, at
		for at < len(p.Trims) && p.Trims[at].Message == i {
			at++
		}
		change(i, s.trimmed(&s.rows[i], &c.Messages[i], p.Trims[from:at]))
	}
	if p.Note != nil {
		noted := s.rows[p.Note.Message]
		noted.add(s.put(p.Note.Text), s.like)
		noted.exact = -1 // what is left was never counted
		change(p.Note.Message, noted)
	}
}

// trimmed is the row of m, which was x, with its results trimmed. What leaves is not read: it may be long, and this is asked
// for every request of a chat.
func (s *Sizes) trimmed(x *row, m *chat.Message, trims []chat.Trim) row {
	texts, media, overhead := contentBut(m, trims)
	left := row{fixed: int32(overhead), guess: int32(overhead), exact: -1}
	if media > 0 {
		left.media = x.media
	}
	for _, t := range texts {
		y := t.tally()
		left.fixed += int32(whole(y.fixed()))
		left.guess += int32(whole(y.cost(s.like)))
	}
	for _, t := range trims {
		left.add(s.put(t.Text), s.like)
	}
	return left
}

// Sent is what the messages of a request weigh before calibration.
type Sent struct {
	guess, media  int
	counted, rest int // the exact counts, and the estimates of what is not counted
}

// Sent adds up what is sent when p is applied to c, whose sizes s are.
func (s *Sizes) Sent(c *chat.Chat, p *chat.Plan) Sent {
	var sum Sent
	for i := range s.rows {
		sum.add(s.rows[i], 1)
	}
	if p.Empty() || len(s.rows) != len(c.Messages)+1 {
		return sum
	}
	s.changes(c, p, func(i int, now row) {
		sum.add(s.rows[i], -1)
		sum.add(now, 1)
	})
	return sum
}

func (s *Sent) add(x row, times int) {
	s.guess += times * int(x.guess)
	s.media += times * int(x.media)
	if x.exact >= 0 {
		s.counted += times * int(x.exact)
	} else {
		s.rest += times * int(x.guess)
	}
}
