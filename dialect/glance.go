package dialect

import (
	"hash/maphash"
	"math/bits"
	"strings"

	"recap/chat"
)

// maxGlance bounds the bodies, in bytes, that are glanced at without knowing how they begin, and glanceAhead the
// messages by which a longer one must be known.
const (
	maxGlance   = 64 << 10
	glanceAhead = 16
	// worthKeeping is from which size on, in bytes, keeping a body costs less than glancing at all of the next one.
	worthKeeping = 4 << 10
)

// glance reads body without what its messages say: the list is valid JSON, and each message is one that decode would
// not find odd by the names of its members and its role. What a known body began with is not looked at again. plain
// tells that all content is text; it is false too where the body is too long to go on.
func (l *layout) glance(body string) (ch *chat.Chat, plain bool, err error) {
	g := known{body: body, plain: true}
	ch, err = l.walk(body, func(c *cursor, ch *chat.Chat) chat.Span {
		start := c.i
		list := cursor{s: c.s, i: c.i}
		for list.open('['); list.more(']'); {
			if ch.Before == nil && len(body) > maxGlance && g.count > glanceAhead {
				g.plain = false
				list = cursor{s: c.s, i: c.i}
				list.value()
				break
			}
			l.glanceOn(&list, ch, &g)
		}
		if list.odd != "" {
			c.fail(list.odd)
			return chat.Span{}
		}
		c.i = list.i
		return chat.Span{Start: start, End: list.i}
	}, nil)
	if err == nil && g.plain && len(body) >= worthKeeping {
		l.keep(ch, &g)
	}
	return ch, g.plain, err
}

// glanceOn steps over one message, or over all that a known body began with.
func (l *layout) glanceOn(list *cursor, ch *chat.Chat, g *known) {
	if len(g.body) < worthKeeping {
		g.plain = l.glanceMessage(list) && g.plain
		g.count++
		return
	}
	g.points.mark(g.count, g.path, list)
	if k, moved := l.match(list, g.count, g.path); k != nil {
		g.points.take(&k.points, g.count, moved)
		g.count, g.path, g.end = k.count, k.path, list.i
		g.plain = g.plain && k.plain
		recalled(ch, k, moved)
		return
	}
	list.space()
	from := list.i
	g.plain = l.glanceMessage(list) && g.plain
	if list.odd == "" {
		g.path = bits.RotateLeft64(g.path, 5) ^ maphash.String(l.seed[0], list.s[from:list.i])
		g.count, g.end = g.count+1, list.i
	}
}

// glanceMessage steps over one message and reports whether it is plain: nothing in it is an array of parts or pictures.
func (l *layout) glanceMessage(list *cursor) (plain bool) {
	if list.peek() != '{' {
		if valid(list.value().Of(list.s)) {
			list.fail("wrong-type")
		}
		list.fail("invalid-json")
		return false
	}
	if l.usual(list) {
		return true
	}
	var seen [maxNames]bool
	role := ""
	plain = true
	c := cursor{s: list.s, i: list.i}
	for c.open('{'); c.more('}'); {
		key := c.key()
		value := c.sound()
		i, ok := l.members.is(key)
		switch {
		case c.odd != "":
		case !ok:
			c.fail("odd-key")
		case i < 0:
		case seen[i]:
			c.fail("duplicate-key")
		default:
			seen[i] = true
			if i == 0 {
				role = value.Of(c.s)
			} else if first := c.s[value.Start]; first == '[' || first == '{' {
				plain = plain && l.members[i] == "tool_calls"
			}
		}
	}
	if c.odd == "" {
		if reason := l.glanceRole(role); reason != "" {
			c.fail(reason)
		}
	}
	list.i = c.i
	if c.odd != "" {
		list.fail(c.odd)
	}
	return plain
}

// usual steps over a message of the commonest shape, a known role and then a text, and reports whether it was one.
func (l *layout) usual(list *cursor) bool {
	const head, between = `{"role":"`, `","content":`
	s := list.s
	if !strings.HasPrefix(s[list.i:], head) {
		return false
	}
	role := list.i + len(head)
	end := strings.IndexByte(s[role:], '"')
	if end < 0 || !strings.HasPrefix(s[role+end:], between) {
		return false
	}
	switch name := s[role : role+end]; name {
	case "user", "assistant", "system": // of every format
	default:
		if _, ok := l.roles[name]; !ok {
			return false
		}
	}
	text := role + end + len(between)
	if text >= len(s) || s[text] != '"' {
		return false
	}
	behind := soundString(s, text)
	if behind < 0 || behind == len(s) || s[behind] != '}' {
		return false
	}
	list.i = behind + 1
	return true
}

func (l *layout) glanceRole(token string) string {
	if len(token) < 2 || token[0] != '"' {
		return "wrong-type"
	}
	if _, ok := l.roles[token[1:len(token)-1]]; ok {
		return ""
	}
	_, reason := readRole(token, chat.Span{End: len(token)}, l.roles)
	return reason
}
