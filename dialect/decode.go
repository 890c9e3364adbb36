package dialect

import (
	"hash/maphash"
	"math/bits"

	"recap/chat"
)

// layout is what decoding needs to know of a format.
type layout struct {
	names names // members read at the top of the body; the first is the list of messages
	seed  seed  // of the format's own fingerprints: what one format remembers means nothing to another
	// lengths are guesses of how long messages are, see recall.
	lengths *chat.Memo[uint64, int]
	bodies  *bodies
	// read returns the facts about one message, which is valid JSON, or the reason why it is not understood.
	read func(raw string) (*chat.Facts, string)
	// fill takes over the other members; spans are those of names, zero when absent.
	fill func(c *chat.Chat, spans []chat.Span) string
}

// seed makes Prints: random for each process.
type seed [2]maphash.Seed

func newSeed() seed { return seed{maphash.MakeSeed(), maphash.MakeSeed()} }

func (s *seed) print(text string) Print {
	return Print{maphash.String(s[0], text), maphash.String(s[1], text)}
}

const (
	// maxNames bounds the members that a layout reads, so that their spans need no allocation.
	maxNames = 16
	// worthPrint is the size from which on a fingerprint is cheaper than validating once more.
	worthPrint = 512
	// maxRemembered bounds the parts, calls and results of a message whose facts are kept: the memory counts
	// entries, not bytes.
	maxRemembered = 256
	// maxLengths bounds the guesses kept for each format; one weighs some 40 bytes.
	maxLengths = 1 << 16
	// maxMessages bounds what one body can make of our memory.
	maxMessages = 1 << 17
)

var (
	valueSeed = newSeed()
	// validJSON stands for that in a memory of facts, under valueSeed.
	validJSON = &chat.Facts{}
)

// decode reads body: one pass over its top level and its list of messages. A message whose bytes are known costs
// their fingerprint, any other is validated and read.
func (l *layout) decode(body string, facts *Facts) (*chat.Chat, error) {
	ch := &chat.Chat{Body: body}
	var spans [maxNames]chat.Span
	c := cursor{s: body}
	if c.peek() != '{' && valid(body) {
		c.fail("wrong-type")
	}
	for c.open('{'); c.more('}'); {
		i, ok := l.names.is(c.key())
		if !ok {
			c.fail("odd-key")
		}
		if i >= 0 && spans[i] != (chat.Span{}) {
			c.fail("duplicate-key")
		}
		value := l.member(&c, ch, i, facts)
		if i >= 0 {
			spans[i] = value
		}
	}
	if c.odd == "" && (c.peek() != 0 || c.i < len(body)) {
		c.fail("invalid-json")
	}
	l.finish(&c, ch, spans[:len(l.names)])
	if c.odd != "" {
		return nil, &Odd{Reason: c.odd}
	}
	return ch, nil
}

func (l *layout) finish(c *cursor, ch *chat.Chat, spans []chat.Span) {
	if c.odd != "" {
		return
	}
	if reason := l.fill(ch, spans); reason != "" {
		c.fail(reason)
	}
	switch list := spans[0]; {
	case list == chat.Span{} || list.Of(c.s) == "null":
		c.fail("no-messages")
	case c.s[list.Start] != '[':
		c.fail("wrong-type")
	case len(ch.Messages) == 0:
		c.fail("no-messages")
	}
	ch.List = spans[0]
}

// member steps over the value of the member names[i] and makes sure that it is valid JSON.
func (l *layout) member(c *cursor, ch *chat.Chat, i int, facts *Facts) chat.Span {
	if i == 0 && c.peek() == '[' {
		return l.messages(c, ch, facts)
	}
	value := c.value()
	if c.odd == "" && !remembered(value.Of(c.s), facts) {
		c.fail("invalid-json")
	}
	return value
}

// remembered reports whether text is valid JSON. Long ones, such as tools, are looked at once.
func remembered(text string, facts *Facts) bool {
	if facts == nil || len(text) < worthPrint {
		return valid(text)
	}
	mark := valueSeed.print(text)
	if _, ok := facts.Get(mark); ok {
		return true
	}
	ok := valid(text)
	if ok {
		facts.Put(mark, validJSON)
	}
	return ok
}

// messages reads the list under the cursor.
func (l *layout) messages(c *cursor, ch *chat.Chat, facts *Facts) chat.Span {
	list := cursor{s: c.s, i: c.i}
	ch.Messages = make([]chat.Message, 0, min(8+len(c.s)/1024, 4096))
	var path uint64
	var at points
	for list.open('['); list.more(']'); {
		if len(ch.Messages) == maxMessages {
			list.fail("too-many")
			break
		}
		if facts != nil {
			if k := l.resume(&list, ch, path); k != nil {
				path, at, ch.Before = k.path, k.points, k.recall
				continue
			}
		}
		m, mark := l.next(&list, facts, path)
		if list.odd != "" {
			break
		}
		path = bits.RotateLeft64(path, 5) ^ mark[0]
		ch.Messages = append(ch.Messages, m)
		at.mark(len(ch.Messages), path)
	}
	if list.odd != "" {
		c.fail(list.odd)
		return chat.Span{}
	}
	if facts != nil && len(ch.Messages) > 1 {
		l.keep(ch, path, at)
	}
	span := chat.Span{Start: c.i, End: list.i}
	c.i = list.i
	return span
}

// next reads the message under the cursor.
func (l *layout) next(list *cursor, facts *Facts, path uint64) (chat.Message, Print) {
	if m, mark := l.recall(list, facts, path); m.Facts != nil {
		return m, mark
	}
	return l.meet(list, facts, path)
}

// hintHead is how much of a message's beginning, in bytes, its hint goes by.
const hintHead = 64

// hint names the place under the cursor by the messages before it and by how it goes on.
func (l *layout) hint(list *cursor, path uint64) uint64 {
	return bits.RotateLeft64(path, 5) ^ maphash.String(l.seed[0], list.s[list.i:min(list.i+hintHead, len(list.s))])
}

// recall reads a message that is known without looking for its end: clients send the same history again, so how
// long a message is after these others is mostly known too. A wrong guess is no harm: only bytes with a
// known fingerprint count, and a JSON object that begins here can end at one place only.
func (l *layout) recall(list *cursor, facts *Facts, path uint64) (chat.Message, Print) {
	if facts == nil {
		return chat.Message{}, Print{}
	}
	list.space()
	length, ok := l.lengths.Get(l.hint(list, path))
	if !ok || list.i+length > len(list.s) {
		return chat.Message{}, Print{}
	}
	raw := list.s[list.i : list.i+length]
	mark := l.seed.print(raw)
	f, ok := facts.Get(mark)
	if !ok {
		return chat.Message{}, Print{}
	}
	m := chat.Message{Raw: raw, Start: list.i, Facts: f}
	list.i += length
	return m, mark
}

// meet reads a message that could not be recalled.
func (l *layout) meet(list *cursor, facts *Facts, path uint64) (chat.Message, Print) {
	span := list.value()
	if list.odd != "" {
		return chat.Message{}, Print{}
	}
	raw := span.Of(list.s)
	var mark Print
	if facts != nil {
		mark = l.seed.print(raw)
	}
	f, reason := l.message(raw, facts, mark)
	if reason != "" {
		list.fail(reason)
		return chat.Message{}, Print{}
	}
	if facts != nil {
		start := cursor{s: list.s, i: span.Start}
		l.lengths.Put(l.hint(&start, path), len(raw))
	}
	return chat.Message{Raw: raw, Start: span.Start, Facts: f}, mark
}

// message returns the facts about one message, mark its fingerprint.
func (l *layout) message(raw string, facts *Facts, mark Print) (*chat.Facts, string) {
	if facts == nil {
		return l.fresh(raw)
	}
	if f, ok := facts.Get(mark); ok {
		return f, ""
	}
	f, reason := l.fresh(raw)
	if reason == "" && len(f.Parts)+len(f.Calls)+len(f.Results) <= maxRemembered {
		facts.Put(mark, f)
	}
	return f, reason
}

func (l *layout) fresh(raw string) (*chat.Facts, string) {
	if !valid(raw) {
		return nil, "invalid-json"
	}
	if raw[0] != '{' {
		return nil, "wrong-type"
	}
	return l.read(raw)
}
