package dialect

import (
	"github.com/tidwall/gjson"

	"recap/chat"
)

// glance reads body without what its messages say: the list is valid JSON, and each message is one that decode would
// not find odd by the names of its members and its role.
func (l *layout) glance(body string) (*chat.Chat, error) {
	return l.walk(body, func(c *cursor, _ *chat.Chat) chat.Span {
		start := c.i
		list := cursor{s: c.s, i: c.i}
		for list.open('['); list.more(']'); {
			l.glanceMessage(&list)
		}
		span := chat.Span{Start: start, End: list.i}
		// The walk has bounded the nesting, so gjson may recurse.
		if list.odd == "" && !gjson.Valid(span.Of(c.s)) {
			list.fail("invalid-json")
		}
		if list.odd != "" {
			c.fail(list.odd)
			return chat.Span{}
		}
		c.i = list.i
		return span
	}, nil)
}

// glanceMessage steps over one message.
func (l *layout) glanceMessage(list *cursor) {
	if list.peek() != '{' {
		list.fail("wrong-type")
		return
	}
	var seen [maxNames]bool
	role := ""
	c := cursor{s: list.s, i: list.i}
	for c.open('{'); c.more('}'); {
		key := c.key()
		value := c.value()
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
