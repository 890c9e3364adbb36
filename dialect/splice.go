package dialect

import (
	"errors"
	"fmt"

	"recap/chat"
)

// textPart is what a part of text looks like before and after its text; a format without arrays has none.
type textPart struct{ before, after string }

// edit is one splice: it copies the body forward and leaves out or puts in what the plan says.
type edit struct {
	dst  []byte
	body string
	from int // body[:from] is dealt with
}

// keepTo copies the body up to an offset.
func (e *edit) keepTo(offset int) {
	e.dst = append(e.dst, e.body[e.from:offset]...)
	e.from = offset
}

// splice writes c.Body with p's edits to dst, in one pass over the messages.
func splice(dst []byte, c *chat.Chat, p *chat.Plan, part textPart) ([]byte, error) {
	if p.Empty() {
		return append(dst, c.Body...), nil
	}
	if err := fits(c, p, part); err != nil {
		return dst, err
	}
	e := edit{dst: dst, body: c.Body}
	drop, trims := p.Drop, p.Trims
	kept := -1
	for i := range c.Messages {
		m := &c.Messages[i]
		if len(drop) > 0 && drop[0] == i {
			drop = drop[1:]
			continue
		}
		e.closeGap(c, kept, i)
		kept = i
		for len(trims) > 0 && trims[0].Message == i {
			content := m.Results[trims[0].Result].Content
			e.keepTo(m.Start + content.Start)
			e.dst = appendString(e.dst, trims[0].Text)
			e.from = m.Start + content.End
			trims = trims[1:]
		}
		if p.Note != nil && p.Note.Message == i {
			e.note(m, p.Note, part)
		}
	}
	e.closeGap(c, kept, len(c.Messages))
	e.keepTo(len(c.Body))
	return e.dst, nil
}

// closeGap leaves out the messages between two kept ones, of which kept may be none (-1) and next the end. A message
// leaves with the comma before it, the first ones with the comma behind.
func (e *edit) closeGap(c *chat.Chat, kept, next int) {
	if next == kept+1 {
		return
	}
	if kept < 0 {
		e.keepTo(c.Messages[0].Start)
		e.from = c.Messages[next].Start
		return
	}
	e.keepTo(end(&c.Messages[kept]))
	e.from = end(&c.Messages[next-1])
}

// end is the offset behind m in the body.
func end(m *chat.Message) int { return m.Start + len(m.Raw) }

// note puts a text in front of or behind the content of m.
func (e *edit) note(m *chat.Message, note *chat.Note, part textPart) {
	start, end := m.Start+m.Content.Start+1, m.Start+m.Content.End-1
	at := start
	if note.Behind {
		at = end
	}
	e.keepTo(at)
	if e.body[start-1] == '[' {
		e.noteParts(start, end, note, part)
		return
	}
	if note.Behind && start < end {
		e.dst = append(e.dst, `\n\n`...)
	}
	e.dst = appendInner(e.dst, note.Text)
	if !note.Behind && start < end {
		e.dst = append(e.dst, `\n\n`...)
	}
}

// noteParts adds one part to the array between two offsets.
func (e *edit) noteParts(start, end int, note *chat.Note, part textPart) {
	c := cursor{s: e.body[:end], i: start}
	others := c.peek() != 0
	if note.Behind && others {
		e.dst = append(e.dst, ',')
	}
	e.dst = append(e.dst, part.before...)
	e.dst = appendInner(e.dst, note.Text)
	e.dst = append(e.dst, part.after...)
	if !note.Behind && others {
		e.dst = append(e.dst, ',')
	}
}

// fits checks that p can be applied to c.
func fits(c *chat.Chat, p *chat.Plan, part textPart) error {
	last := -1
	for _, i := range p.Drop {
		if i <= last || i >= len(c.Messages) {
			return fmt.Errorf("apply plan: drop %d of %d messages is out of range or order", i, len(c.Messages))
		}
		last = i
	}
	if len(p.Drop) == len(c.Messages) {
		return errors.New("apply plan: no message would be left")
	}
	if err := fitTrims(c, p); err != nil || p.Note == nil {
		return err
	}
	return fitNote(c, p, part)
}

func fitTrims(c *chat.Chat, p *chat.Plan) error {
	message, result := -1, -1
	drop := p.Drop
	for _, t := range p.Trims {
		if t.Message < message || t.Message == message && t.Result <= result {
			return fmt.Errorf("apply plan: trim of message %d is out of order", t.Message)
		}
		message, result = t.Message, t.Result
		if message < 0 || message >= len(c.Messages) || result < 0 || result >= len(c.Messages[message].Results) {
			return fmt.Errorf("apply plan: trim of message %d, result %d: no such result", message, result)
		}
		if c.Messages[message].Results[result].Content == (chat.Span{}) {
			return fmt.Errorf("apply plan: trim of message %d, result %d: it has no content", message, result)
		}
		for len(drop) > 0 && drop[0] < message {
			drop = drop[1:]
		}
		if len(drop) > 0 && drop[0] == message {
			return fmt.Errorf("apply plan: message %d is both dropped and trimmed", message)
		}
	}
	return nil
}

func fitNote(c *chat.Chat, p *chat.Plan, part textPart) error {
	i := p.Note.Message
	if i < 0 || i >= len(c.Messages) {
		return fmt.Errorf("apply plan: note in message %d of %d: out of range", i, len(c.Messages))
	}
	m := &c.Messages[i]
	if !m.Carries || m.Raw[m.Content.Start] == '[' && part == (textPart{}) {
		return fmt.Errorf("apply plan: message %d cannot carry a note", i)
	}
	for _, d := range p.Drop {
		if d == i {
			return fmt.Errorf("apply plan: message %d is both dropped and noted", i)
		}
	}
	for _, t := range p.Trims {
		if t.Message == i {
			return fmt.Errorf("apply plan: message %d is both trimmed and noted", i)
		}
	}
	return nil
}
