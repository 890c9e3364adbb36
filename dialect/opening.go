package dialect

import (
	"strings"

	"github.com/tidwall/gjson"

	"recap/chat"
)

// opening returns the first message of c that is no system one: "" where there is none.
func (l *layout) opening(c *chat.Chat) string {
	list := cursor{s: c.Body, i: c.List.Start}
	for list.open('['); list.more(']'); {
		list.space()
		from := list.i
		if !usual(&list) {
			list.value()
		}
		if list.odd != "" {
			return ""
		}
		if raw := c.Body[from:list.i]; l.role(raw) != chat.System {
			return raw
		}
	}
	return ""
}

// role is that of a message which was glanced at.
func (l *layout) role(raw string) chat.Role {
	const head = `{"role":"`
	if name, ok := strings.CutPrefix(raw, head); ok {
		if end := strings.IndexByte(name, '"'); end > 0 {
			if role, ok := l.roles[name[:end]]; ok {
				return role
			}
		}
	}
	return l.roles[gjson.Get(raw, "role").String()]
}

// readOpening reads what opening returned, as a chat of its own: the glance has found it to be valid JSON.
func (l *layout) readOpening(message string) (*chat.Chat, error) {
	facts, reason := l.read(message)
	if reason != "" {
		return nil, &Odd{Reason: reason}
	}
	return &chat.Chat{Body: message, Messages: []chat.Message{{Raw: message, Facts: facts}}, Count: 1}, nil
}

// NewPrint names a text in this process: two texts with one print are not to be expected, nor can they be found.
func NewPrint(text string) Print { return openingSeed.print(text) }

var openingSeed = newSeed()
