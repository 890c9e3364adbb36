package dialect

import (
	"hash/maphash"
	"math/bits"
	"strings"
	"sync"

	"recap/chat"
)

// layout is what decoding needs to know of a format.
type layout struct {
	names  names   // members read at the top of the body; the first is the list of messages
	seed   seed    // of the format's own fingerprints: what one format remembers means nothing to another
	bodies *bodies // read before, see resume
	rests  rests
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

// reading is one body on its way through a layout.
type reading struct {
	l      *layout
	ch     *chat.Chat
	facts  *Facts // nil = nothing is remembered
	tenant uint64 // whose bodies are looked at
	top    top
	list   progress

	glance bool // messages are stepped over, not read
	unread int  // from which size on, in bytes, a glance needs to know how the body begins
	far    bool // the glance gave up
}

// readings keeps those that are over for the next ones.
var readings = sync.Pool{New: func() any { return new(reading) }}

func (r *reading) free() {
	*r = reading{}
	readings.Put(r)
}

// top are the members at the top of a body that are read.
type top struct {
	spans  [maxNames]chat.Span
	labels [4]chat.Span // see chat.Chat.Labels
}

// decode reads body: one pass over its top level and its list of messages. What a body before it began with is taken
// over, a message whose bytes are known costs their fingerprint, any other is validated and read.
func (l *layout) decode(body string, facts *Facts, tenant uint64) (*chat.Chat, error) {
	r := readings.Get().(*reading)
	defer r.free()
	r.l, r.ch, r.facts, r.tenant = l, &chat.Chat{Body: body, Borrowed: true}, facts, tenant
	if err := r.walk(body); err != nil {
		return nil, err
	}
	if facts != nil && r.list.count > 1 {
		r.keep()
	}
	return r.ch, nil
}

// walk is one pass over the top level of body.
func (r *reading) walk(body string) error {
	c := cursor{s: body}
	known := false // what stands behind the list was read before
	if c.peek() != '{' && valid(body) {
		c.fail("wrong-type")
	}
	for c.open('{'); c.more('}'); {
		key := c.key()
		i, ok := r.l.names.is(key)
		if !ok {
			c.fail("odd-key")
		}
		if i >= 0 && r.top.spans[i] != (chat.Span{}) {
			c.fail("duplicate-key")
		}
		if i == 0 && c.peek() == '[' {
			r.top.spans[0] = r.messages(&c)
			if r.far {
				return nil
			}
			if known = r.takeRest(&c) || r.recallRest(&c); known {
				break
			}
			continue
		}
		value := r.member(&c)
		if i >= 0 {
			r.top.spans[i] = value
		} else if at := labelMember(key); at >= 0 {
			r.top.labels[at] = value
		}
	}
	if c.odd == "" && (c.peek() != 0 || c.i < len(body)) {
		c.fail("invalid-json")
	}
	r.l.finish(&c, r.ch, r.top.spans[:len(r.l.names)])
	if c.odd != "" {
		return &Odd{Reason: c.odd}
	}
	if !known {
		r.keepRest()
	}
	r.ch.Labels, r.ch.Count = r.top.labels, r.list.count
	return nil
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

// member steps over the value of a member and makes sure that it is valid JSON.
func (r *reading) member(c *cursor) chat.Span {
	if r.facts == nil {
		return c.sound()
	}
	value := c.value()
	if c.odd == "" && !remembered(value.Of(c.s), r.facts) {
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

// progress is how far the list of messages has been read.
type progress struct {
	count int
	first int    // where the first message begins
	end   int    // of the last one
	path  uint64 // behind it
	plain bool   // see Glancer
	took  bool   // something was taken over

	strange bool // no known body begins like this one
	points
	match // with a body that was read before
}

// messages reads the list under the cursor.
func (r *reading) messages(c *cursor) chat.Span {
	list := cursor{s: c.s, i: c.i}
	r.list.path, r.list.plain = r.tenant, true
	if !r.glance {
		r.ch.Messages = make([]chat.Message, 0, min(8+len(c.s)/1024, 4096))
	}
	for list.open('['); list.more(']'); {
		if r.list.count == maxMessages {
			list.fail("too-many")
			break
		}
		if r.remembers() && r.resume(&list) {
			continue
		}
		if r.far = r.glance && !r.list.took && len(c.s) > r.unread && r.list.count > glanceAhead; r.far {
			break
		}
		r.message(&list)
	}
	if list.odd != "" {
		c.fail(list.odd)
		return chat.Span{}
	}
	span := chat.Span{Start: c.i, End: list.i}
	c.i = list.i
	return span
}

// remembers reports whether this body is looked for among those read before, and kept.
func (r *reading) remembers() bool {
	return r.facts != nil || r.glance && (len(r.ch.Body) >= KeptFrom || r.tenant != 0)
}

// message reads the message under the cursor, or steps over it.
func (r *reading) message(list *cursor) {
	list.space()
	from := list.i
	if r.list.count == 0 {
		r.list.first = from
	}
	var mark uint64
	if r.glance {
		r.list.plain = r.l.glanceMessage(list) && r.list.plain
		if list.odd == "" && r.remembers() {
			mark = maphash.String(r.l.seed[0], list.s[from:list.i])
		}
	} else {
		m, print := r.l.meet(list, r.facts)
		if list.odd == "" {
			r.ch.Messages, mark = append(r.ch.Messages, m), print[0]
			r.list.plain = r.list.plain && allText(m.Facts)
		}
	}
	if list.odd == "" {
		r.list.path = follow(r.list.path, mark)
		r.list.count, r.list.end = r.list.count+1, list.i
	}
}

// follow names the messages that path names with one more behind them, mark being that one's print. Each step depends on all
// before it: a sum would be the same for messages that change places, or cancel each other out.
func follow(path, mark uint64) uint64 {
	high, low := bits.Mul64(path^0x9e3779b97f4a7c15, mark^0xd1b54a32d192ed03)
	return high ^ low
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
