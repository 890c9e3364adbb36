package dialect

import (
	"strings"
	"sync"

	"recap/chat"
)

const (
	// glanceAhead are the messages by which a long body must be known for a glance to go on, see Glancer.
	glanceAhead = 16
	// KeptFrom is from which size on, in bytes, keeping a body costs less than glancing at all of the next one. A shorter one
	// is kept where it goes on with one that was read.
	KeptFrom = 4 << 10
)

// glance reads body without what its messages say: the list is valid JSON, and each message is one that decode would
// not find odd by the names of its members and its role. What a known body began with is not looked at again.
func (l *layout) glance(body string, tenant uint64, unread int) (*chat.Chat, bool, error) {
	r := readings.Get().(*reading)
	defer r.free()
	r.l, r.ch, r.tenant, r.glance, r.unread = l, glanced.Get().(*chat.Chat), tenant, true, unread
	r.ch.Body = body
	if err := r.walk(body); err != nil || r.far {
		FreeGlance(r.ch)
		return nil, false, err
	}
	if r.list.plain && (len(body) >= KeptFrom || r.list.known != nil) {
		r.keep()
	}
	return r.ch, r.list.plain, nil
}

// glanced keeps chats that were glanced at for the next glances.
var glanced = sync.Pool{New: func() any { return new(chat.Chat) }}

// FreeGlance lets the memory of a chat that Glance returned be used for another one: whoever calls it has no chat any more.
// It does nothing to a chat with messages, nor to none.
func FreeGlance(c *chat.Chat) {
	if c != nil && len(c.Messages) == 0 {
		*c = chat.Chat{Extras: c.Extras[:0]}
		glanced.Put(c)
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
