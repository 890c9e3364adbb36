package chat

// Outline is the shape of a chat: which messages count, where turns open, which result answers which call. Cuts and
// keys are read off it. Positions are 0-based over the non-system messages.
type Outline struct {
	Chat  *Chat
	Index []int // position → index in Chat.Messages
	Turns []int // positions of the messages that open a turn

	reach    []int   // position → last position of a result to any call made up to here
	orphan   []bool  // position → holds a result whose call is not before it
	pending  []bool  // position → makes a call that is never answered
	answers  []int32 // ordinals of the calls that results answer, position after position; 0 = none
	offset   []int   // position → where its answers start
	loose    []int   // position → last position up to here that is not part of a finished round; -1 = none
	lastCall int     // position of the last message that makes a call; -1 = none
}

// NewOutline reads the shape of c.
func NewOutline(c *Chat) *Outline {
	n := len(c.Messages)
	space := make([]int, 5*n+1)
	o := &Outline{
		Chat: c, Index: space[:0:n], Turns: space[n : n : 2*n], reach: space[2*n : 3*n], loose: space[3*n : 4*n],
		offset: space[4*n:], lastCall: -1,
	}
	for i := range c.Messages {
		if m := &c.Messages[i]; m.Role != System {
			if m.Opens() {
				o.Turns = append(o.Turns, len(o.Index))
			}
			o.Index = append(o.Index, i)
		}
	}
	o.pair()
	return o
}

// At returns the message at a position.
func (o *Outline) At(position int) *Message { return &o.Chat.Messages[o.Index[position]] }

// Len is the number of non-system messages.
func (o *Outline) Len() int { return len(o.Index) }

// openCall is a call that still waits for its result.
type openCall struct {
	id       string
	position int
	ordinal  int32
	answered bool
}

// pairing matches results with calls: by id with the newest call of that id, else by position with the first
// unanswered call of the newest calling message.
type pairing struct {
	calls []openCall
	byID  map[string]int
	first int // index in calls of the newest calling message's first call
}

func (p *pairing) add(position int, calls []Call) {
	p.first = len(p.calls)
	for _, c := range calls {
		if c.ID != "" {
			if p.byID == nil {
				p.byID = make(map[string]int, 64)
			}
			p.byID[c.ID] = len(p.calls)
		}
		p.calls = append(p.calls, openCall{id: c.ID, position: position, ordinal: int32(len(p.calls) + 1)})
	}
}

// answer returns the call that r answers, nil when there is none.
func (p *pairing) answer(r *Result) *openCall {
	if r.ID != "" {
		if at, ok := p.byID[r.ID]; ok {
			p.calls[at].answered = true
			return &p.calls[at]
		}
	}
	for at := p.first; at < len(p.calls); at++ {
		c := &p.calls[at]
		if !c.answered && (r.ID == "" || c.id == "") {
			c.answered = true
			return c
		}
	}
	return nil
}

func (o *Outline) pair() {
	n := len(o.Index)
	o.reach, o.loose, o.offset = o.reach[:n], o.loose[:n], o.offset[:n+1]
	flags := make([]bool, 2*n)
	o.orphan, o.pending = flags[:n], flags[n:]
	var p pairing
	for at := range o.Index {
		m := o.At(at)
		for i := range m.Results {
			o.link(&p, at, &m.Results[i])
		}
		o.offset[at+1] = len(o.answers)
		if len(m.Calls) > 0 {
			p.add(at, m.Calls)
			o.lastCall = at
		}
	}
	for _, c := range p.calls {
		o.pending[c.position] = o.pending[c.position] || !c.answered
	}
	o.sweep()
}

// sweep turns the facts per position into running ones.
func (o *Outline) sweep() {
	last := -1
	for at := range o.Index {
		if at > 0 {
			o.reach[at] = max(o.reach[at], o.reach[at-1])
		}
		if !o.inRound(at) {
			last = at
		}
		o.loose[at] = last
	}
}

func (o *Outline) link(p *pairing, at int, r *Result) {
	c := p.answer(r)
	if c == nil {
		o.orphan[at] = true
		o.answers = append(o.answers, 0)
		return
	}
	o.reach[c.position] = max(o.reach[c.position], at)
	o.answers = append(o.answers, c.ordinal)
}

// ordinals returns, for each result at a position, the ordinal of the call it answers, from 1; 0 = none.
func (o *Outline) ordinals(position int) []int32 {
	return o.answers[o.offset[position]:o.offset[position+1]]
}

// Whole reports whether the messages up to a position, that one included, split no round: every result of a call
// among them is among them too, and what follows is not a result without its call.
func (o *Outline) Whole(position int) bool {
	return o.reach[position] <= position && (position+1 >= len(o.Index) || !o.orphan[position+1])
}

// inRound reports whether a position belongs to a finished round.
func (o *Outline) inRound(position int) bool {
	m := o.At(position)
	if m.Role == Assistant {
		return len(m.Calls) > 0 && !o.pending[position]
	}
	return m.Role == Tool || !m.Opens()
}
