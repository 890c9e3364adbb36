package dialect

import (
	"strings"
	"unicode/utf8"

	"recap/chat"
)

// maxDepth bounds nesting: gjson.Valid recurses, and a body of 64 MiB could hold enough brackets to end the process.
const maxDepth = 1000

// cursor walks over JSON text from piece to piece and never into one: it finds where values begin and end and
// checks the commas, colons and space between them. Whether a value is valid inside is for valid to say.
// Once odd is set the cursor stands still.
//
//	for c.open('{'); c.more('}'); {
//		key, value := c.key(), c.value()
//	}
type cursor struct {
	s       string
	i       int
	started bool // the container under the cursor has shown an element
	odd     string
}

// fail stops the cursor; the first reason counts.
func (c *cursor) fail(reason string) {
	if c.odd == "" {
		c.odd = reason
	}
}

func (c *cursor) space() {
	for c.i < len(c.s) {
		switch c.s[c.i] {
		case ' ', '\n', '\r', '\t':
			c.i++
		default:
			return
		}
	}
}

// peek skips space and returns the byte that follows, 0 at the end.
func (c *cursor) peek() byte {
	c.space()
	if c.i < len(c.s) {
		return c.s[c.i]
	}
	return 0
}

// open enters the container that begins with bracket.
func (c *cursor) open(bracket byte) {
	if c.peek() != bracket {
		c.fail("invalid-json")
		return
	}
	c.i++
	c.started = false
}

// more reports whether another element follows; at the end it steps behind the closing bracket.
func (c *cursor) more(bracket byte) bool {
	if c.odd != "" {
		return false
	}
	next := c.peek()
	if next == bracket {
		c.i++
		return false
	}
	if c.started {
		if next != ',' {
			c.fail("invalid-json")
			return false
		}
		c.i++
	}
	c.started = true
	return true
}

// key reads a member's name and the colon behind it.
func (c *cursor) key() string {
	from, end, plain := c.i, unsound, false
	if c.peek() == '"' {
		from = c.i
		end, plain = soundName(c.s, from)
	}
	if end < 0 || c.odd != "" {
		c.fail("invalid-json")
		return ""
	}
	if c.i = end; c.peek() != ':' {
		c.fail("invalid-json")
		return ""
	}
	c.i++
	name := c.s[from+1 : end-1]
	if !plain && strings.IndexByte(name, '\\') >= 0 {
		return chat.Unquote(c.s[from:end])
	}
	return name
}

// value steps over one value and returns its span, without the space around it.
func (c *cursor) value() chat.Span {
	c.space()
	start := c.i
	end := -1
	if c.odd == "" && start < len(c.s) {
		switch c.s[start] {
		case '"':
			end = stringEnd(c.s, start)
		case '{', '[':
			end = c.nest(start)
		default:
			end = scalarEnd(c.s, start)
		}
	}
	if end <= start {
		c.fail("invalid-json")
		return chat.Span{}
	}
	c.i = end
	return chat.Span{Start: start, End: end}
}

// sound steps over one value, all of which must be valid JSON, and returns its span.
func (c *cursor) sound() chat.Span {
	c.space()
	if c.odd != "" {
		return chat.Span{}
	}
	start := c.i
	switch end := soundValue(c.s, start, 0); end {
	case unsound:
		c.fail("invalid-json")
	case tooDeep:
		c.fail("too-deep")
	default:
		c.i = end
		return chat.Span{Start: start, End: end}
	}
	return chat.Span{}
}

// nest returns the offset behind the container at start, -1 when it has no end. It does not tell one kind of
// bracket from the other.
func (c *cursor) nest(start int) int {
	depth := 0
	for i := start; i < len(c.s); i++ {
		switch c.s[i] {
		case '"':
			end := stringEnd(c.s, i)
			if end < 0 {
				return -1
			}
			i = end - 1
		case '{', '[':
			if depth++; depth > maxDepth {
				c.fail("too-deep")
				return -1
			}
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// stringEnd returns the offset behind the string whose opening quote is at start, -1 when it has no end.
func stringEnd(s string, start int) int {
	for i := start + 1; ; i++ {
		n := strings.IndexByte(s[i:], '"')
		if n < 0 {
			return -1
		}
		i += n
		slashes := 0
		for s[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i + 1
		}
	}
}

// scalarEnd returns the offset behind the number or word at start.
func scalarEnd(s string, start int) int {
	for i := start; i < len(s); i++ {
		switch s[i] {
		case ',', ':', '}', ']', '{', '[', '"', ' ', '\n', '\r', '\t':
			return i
		}
	}
	return len(s)
}

// valid reports whether text is one JSON value. It is safe for any nesting.
func valid(text string) bool {
	end := soundValue(text, spaceEnd(text, 0), 0)
	return end >= 0 && spaceEnd(text, end) == len(text)
}

// whole reports whether text is one value from its beginning to its end; whether it is valid inside is not looked at.
func whole(text string) bool {
	c := cursor{s: text}
	c.value()
	return c.odd == "" && c.peek() == 0 && c.i == len(text)
}

// names are the members that one kind of object is read for.
type names []string

// is returns the index of key in n, -1 for a member that is not read. A key that differs from ours only in case is
// odd: some servers would read it.
func (n names) is(key string) (int, bool) {
	for i, name := range n {
		if key == name {
			return i, true
		}
	}
	for _, name := range n {
		if folds(key, name) {
			return -1, false
		}
	}
	return -1, true
}

// folds is strings.EqualFold for a name of lower-case ASCII, and cheap where they have nothing in common.
func folds(key, name string) bool {
	if len(key) < len(name) || name == "" || key[0] < utf8.RuneSelf && key[0]|0x20 != name[0] {
		return false
	}
	return strings.EqualFold(key, name)
}

// members reads the object at span: spans[i] becomes that of the member n[i], zero when absent. No key may come
// twice. Without a reason in return, text must have been valid JSON.
func (n names) members(text string, at chat.Span, spans []chat.Span) (reason string) {
	c := cursor{s: text, i: at.Start}
	var others map[string]struct{}
	for c.open('{'); c.more('}'); {
		key := c.key()
		value := c.value()
		i, ok := n.is(key)
		if !ok {
			c.fail("odd-key")
		}
		if i >= 0 {
			if spans[i] != (chat.Span{}) {
				c.fail("duplicate-key")
			}
			spans[i] = value
			continue
		}
		if _, twice := others[key]; twice {
			c.fail("duplicate-key")
		}
		if others == nil {
			others = map[string]struct{}{}
		}
		others[key] = struct{}{}
	}
	return c.odd
}
