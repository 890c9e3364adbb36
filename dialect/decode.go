package dialect

import (
	"hash/maphash"
	"math/bits"
	"strings"

	"recap/chat"
)

// layout is what decoding needs to know of a format.
type layout struct {
	names  names   // members read at the top of the body; the first is the list of messages
	seed   seed    // of the format's own fingerprints: what one format remembers means nothing to another
	bodies *bodies // read before, see resume
	// read returns the facts about one message, which is valid JSON, or the reason why it is not understood.
	read    func(raw string) (*chat.Facts, string)
	members names // of a message; the first is its role
	roles   map[string]chat.Role
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
	worthPrint = 128
	// maxRemembered bounds the parts, calls and results of a message whose facts are kept: the memory counts
	// entries, not bytes.
	maxRemembered = 256
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
	return l.walk(body, func(c *cursor, ch *chat.Chat) chat.Span { return l.messages(c, ch, facts) }, facts)
}

// walk is one pass over the top level of body; messages reads the list.
func (l *layout) walk(body string, messages func(*cursor, *chat.Chat) chat.Span, facts *Facts) (*chat.Chat, error) {
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
		value := l.member(&c, ch, i, messages, facts)
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
	case strings.IndexByte(list.Of(c.s), '{') < 0:
		c.fail("no-messages")
	}
	ch.List = spans[0]
}

// member steps over the value of the member names[i] and makes sure that it is valid JSON.
func (l *layout) member(
	c *cursor, ch *chat.Chat, i int, messages func(*cursor, *chat.Chat) chat.Span, facts *Facts,
) chat.Span {
	if i == 0 && c.peek() == '[' {
		return messages(c, ch)
	}
	if facts == nil {
		return c.sound()
	}
	value := c.value()
	if c.odd == "" && !remembered(value.Of(c.s), facts) {
		c.fail("invalid-json")
	}
	return value
}

// remembered reports whether text is valid JSON. Long ones, such as tools, are looked at once.
func remembered(text string, facts *Facts) bool {
	if len(text) < worthPrint {
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
	plain := true
	for list.open('['); list.more(']'); {
		if len(ch.Messages) == maxMessages {
			list.fail("too-many")
			break
		}
		at.mark(len(ch.Messages), path, &list)
		if have := len(ch.Messages); facts != nil {
			if k, moved := l.resume(&list, ch, path); k != nil {
				path, plain = k.path, plain && k.plain
				at.take(&k.points, have, moved)
				recalled(ch, k, moved)
				continue
			}
		}
		m, mark := l.meet(&list, facts)
		if list.odd != "" {
			break
		}
		path = bits.RotateLeft64(path, 5) ^ mark[0]
		ch.Messages = append(ch.Messages, m)
		plain = plain && allText(m.Facts)
	}
	if list.odd != "" {
		c.fail(list.odd)
		return chat.Span{}
	}
	if facts != nil && len(ch.Messages) > 1 {
		last := &ch.Messages[len(ch.Messages)-1]
		l.keep(ch, &known{
			end: last.Start + len(last.Raw), count: len(ch.Messages), path: path, points: at, plain: plain,
			messages: ch.Messages[:len(ch.Messages):len(ch.Messages)],
		})
	}
	span := chat.Span{Start: c.i, End: list.i}
	c.i = list.i
	return span
}

// meet reads the message under the cursor.
func (l *layout) meet(list *cursor, facts *Facts) (chat.Message, Print) {
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
