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

// glanceMessage steps over one message and reports whether it is plain: nothing in it is an array of parts or pictures, nor of
// another type than reading would take. What calls of tools look like inside is not looked at, nor whether a member that
// nobody reads is there twice: a chat that is odd only there counts as plain until it is read.
func (l *layout) glanceMessage(list *cursor) (plain bool) {
	if list.peek() != '{' {
		if valid(list.value().Of(list.s)) {
			list.fail("wrong-type")
		}
		list.fail("invalid-json")
		return false
	}
	if usual(list) {
		return true
	}
	var seen [maxNames]bool
	role, calls := "", false
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
			} else if first := c.s[value.Start]; l.members[i] == "tool_calls" {
				calls = first == '['
				plain = plain && (calls || first == 'n')
			} else {
				plain = plain && (first == '"' || first == 'n')
			}
		}
	}
	if c.odd == "" {
		if reason := l.glanceRole(role); reason != "" {
			c.fail(reason)
		}
	}
	plain = plain && (!calls || role == `"assistant"`)
	list.i = c.i
	if c.odd != "" {
		list.fail(c.odd)
	}
	return plain
}

// usual steps over a message of one of the commonest shapes, and reports whether it was one: a text, a call of tools and its
// result, as clients write them. The roles and names in it are those of every format.
func usual(list *cursor) bool {
	s := list.s
	i := behind(s, list.i, `{"role":"`)
	if i < 0 || i == len(s) {
		return false
	}
	assistant := s[i] == 'a'
	switch s[i] {
	case 'u':
		i = behind(s, i, `user","content":"`)
	case 's':
		i = behind(s, i, `system","content":"`)
	case 'a':
		i = behind(s, i, `assistant","content":`)
		if calls := behind(s, i, `null,"tool_calls":[`); calls > 0 {
			return list.closes(soundArray(s, calls-1, 1))
		}
		i = behind(s, i, `"`)
	case 't':
		if i = behind(s, i, `tool","tool_call_id":"`); i > 0 {
			i = behind(s, soundString(s, i-1), `,"content":"`)
		}
	default:
		return false
	}
	if i < 0 {
		return false
	}
	end := soundString(s, i-1)
	if calls := behind(s, end, `,"tool_calls":[`); calls > 0 && assistant {
		end = soundArray(s, calls-1, 1)
	}
	return list.closes(end)
}

// behind returns the offset behind text, where that stands at i, else a negative number.
func behind(s string, i int, text string) int {
	if i < 0 || !strings.HasPrefix(s[i:], text) {
		return unsound
	}
	return i + len(text)
}

// closes steps behind the brace at end, if there is one.
func (c *cursor) closes(end int) bool {
	if end < 0 || end >= len(c.s) || c.s[end] != '}' {
		return false
	}
	c.i = end + 1
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
