package chat

import "slices"

// Outline is the shape of a chat: which messages count, where turns open, which result answers which call. Cuts and
// keys are read off it. Positions are 0-based over the non-system messages.
type Outline struct {
	Chat  *Chat
	Index []int // position → index in Chat.Messages
	Turns []int // positions of the messages that open a turn
	// Systems are the indexes of the system messages, which have no position.
	Systems []int

	reach    []int32 // position → last position of a result to any call made up to here
	orphan   []bool  // position → holds a result whose call is not before it
	pending  []bool  // position → makes a call that is never answered
	answers  []int32 // ordinals of the calls that results answer, position after position; 0 = none
	offset   []int32 // position → where its answers start
	loose    []int32 // position → last position up to here that is not part of a finished round; -1 = none
	lastCall int     // position of the last message that makes a call; -1 = none
	calls    int     // their number
	messages int     // of the chat
}

// NewOutline reads the shape of c. What is remembered of an earlier chat is not read again.
func NewOutline(c *Chat) *Outline {
	o := resumed(c)
	if o == nil {
		o = newOutline(c)
		o.read(0)
	}
	if c.After != nil {
		kept := *o
		kept.Chat = nil // it would hold the body
		c.After.outline.Store(&kept)
	}
	return o
}

// newOutline returns one with room for all of c, of which nothing is read yet.
func newOutline(c *Chat) *Outline {
	n := len(c.Messages)
	numbers, shorts, flags := make([]int, 2*n), make([]int32, 3*n+1), make([]bool, 2*n)
	return &Outline{
		Chat: c, Index: numbers[:0:n], Turns: numbers[n:n],
		reach: shorts[:0:n], loose: shorts[n : n : 2*n], offset: shorts[2*n : 2*n+1],
		orphan: flags[:0:n], pending: flags[n:n], lastCall: -1,
	}
}

// resumed reads on where the outline of the chat before ends. It returns nil where there is none, and where a result answers
// no call that is new: it may be one that was read before.
func resumed(c *Chat) *Outline {
	if c.Before == nil {
		return nil
	}
	known := c.Before.outline.Load()
	if known == nil || known.messages > len(c.Messages) {
		return nil
	}
	o := newOutline(c)
	o.Index, o.Turns = append(o.Index, known.Index...), append(o.Turns, known.Turns...)
	o.reach, o.loose = append(o.reach, known.reach...), append(o.loose, known.loose...)
	o.orphan, o.pending = append(o.orphan, known.orphan...), append(o.pending, known.pending...)
	o.offset, o.answers = append(o.offset, known.offset[1:]...), slices.Clip(known.answers)
	o.Systems, o.calls, o.lastCall = slices.Clip(known.Systems), known.calls, known.lastCall
	if !o.read(known.messages) {
		return nil
	}
	return o
}

// read reads the messages from an index on. Where that is not the first, it reports whether they stand for themselves.
func (o *Outline) read(from int) bool {
	start, more := len(o.Index), len(o.Chat.Messages)-from
	p := pairing{before: o.calls, room: more/2 + 1}
	o.answers = slices.Grow(o.answers, more/2+1)
	for i := from; i < len(o.Chat.Messages); i++ {
		m := &o.Chat.Messages[i]
		if m.Role == System {
			o.Systems = append(o.Systems, i)
			continue
		}
		if !o.take(&p, i, m) && from > 0 {
			return false
		}
	}
	for _, c := range p.calls {
		o.pending[c.position] = o.pending[c.position] || !c.answered
	}
	o.calls, o.messages = p.before+len(p.calls), len(o.Chat.Messages)
	o.sweep(start)
	return true
}

// take adds message i, which is no system message, and reports whether all its results answer calls.
func (o *Outline) take(p *pairing, i int, m *Message) (answers bool) {
	at := len(o.Index)
	if m.Opens() {
		o.Turns = append(o.Turns, at)
	}
	o.Index, o.reach, o.loose = append(o.Index, i), append(o.reach, 0), append(o.loose, 0)
	o.orphan, o.pending = append(o.orphan, false), append(o.pending, false)
	answers = true
	for n := range m.Results {
		answers = o.link(p, at, &m.Results[n]) && answers
	}
	o.offset = append(o.offset, int32(len(o.answers)))
	if len(m.Calls) > 0 {
		p.add(at, m.Calls)
		o.lastCall = at
	}
	return answers
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
	before int // calls that were read before
	room   int // for calls, about
	calls  []openCall
	first  int // index in calls of the newest calling message's first call

	byID   map[string]int // of the calls that are too far back to be looked through
	mapped int            // how many those are
}

// nearby is how many of the newest calls are looked through for an id: results mostly stand right behind their calls.
const nearby = 32

func (p *pairing) add(position int, calls []Call) {
	if p.calls == nil {
		p.calls = make([]openCall, 0, p.room)
	}
	p.first = len(p.calls)
	for _, c := range calls {
		p.calls = append(p.calls, openCall{id: c.ID, position: position, ordinal: int32(p.before + len(p.calls) + 1)})
	}
}

// find returns the index of the newest call with an id, -1 for none.
func (p *pairing) find(id string) int {
	far := max(len(p.calls)-nearby, 0)
	for at := len(p.calls) - 1; at >= far; at-- {
		if p.calls[at].id == id {
			return at
		}
	}
	if p.byID == nil && far > 0 {
		p.byID = map[string]int{}
	}
	for ; p.mapped < far; p.mapped++ {
		p.byID[p.calls[p.mapped].id] = p.mapped
	}
	if at, ok := p.byID[id]; ok {
		return at
	}
	return -1
}

// answer returns the call that r answers, nil when there is none.
func (p *pairing) answer(r *Result) *openCall {
	if r.ID != "" {
		if at := p.find(r.ID); at >= 0 {
			p.calls[at].answered = true
			return &p.calls[at]
		}
		if p.before > 0 {
			return nil // it may be one of those
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

// sweep turns the facts per position into running ones, from a position on.
func (o *Outline) sweep(from int) {
	last := int32(-1)
	if from > 0 {
		last = o.loose[from-1]
	}
	for at := from; at < len(o.Index); at++ {
		if at > 0 {
			o.reach[at] = max(o.reach[at], o.reach[at-1])
		}
		if !o.inRound(at) {
			last = int32(at)
		}
		o.loose[at] = last
	}
}

func (o *Outline) link(p *pairing, at int, r *Result) bool {
	c := p.answer(r)
	if c == nil {
		o.orphan[at] = true
		o.answers = append(o.answers, 0)
		return false
	}
	o.reach[c.position] = max(o.reach[c.position], int32(at))
	o.answers = append(o.answers, c.ordinal)
	return true
}

// ordinals returns, for each result at a position, the ordinal of the call it answers, from 1; 0 = none.
func (o *Outline) ordinals(position int) []int32 {
	return o.answers[o.offset[position]:o.offset[position+1]]
}

// Whole reports whether the messages up to a position, that one included, split no round: every result of a call
// among them is among them too, and what follows is not a result without its call.
func (o *Outline) Whole(position int) bool {
	return int(o.reach[position]) <= position && (position+1 >= len(o.Index) || !o.orphan[position+1])
}

// inRound reports whether a position belongs to a finished round.
func (o *Outline) inRound(position int) bool {
	m := o.At(position)
	if m.Role == Assistant {
		return len(m.Calls) > 0 && !o.pending[position]
	}
	return m.Role == Tool || !m.Opens()
}
