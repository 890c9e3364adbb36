package dialect

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// What sound's readers return instead of an end.
const (
	unsound = -1 // not JSON
	tooDeep = -2 // nested deeper than maxDepth
)

// soundValue steps over the JSON value at s[i:] and looks at each of its bytes: it returns the offset behind it, or why
// there is none. What it takes is what gjson.Valid and encoding/json take, in one pass where stepping over a value and
// asking gjson costs three.
func soundValue(s string, i, depth int) int {
	if i >= len(s) {
		return unsound
	}
	switch s[i] {
	case '"':
		return soundString(s, i)
	case '{':
		return soundObject(s, i, depth+1)
	case '[':
		return soundArray(s, i, depth+1)
	case 't':
		return soundWord(s, i, "true")
	case 'f':
		return soundWord(s, i, "false")
	case 'n':
		return soundWord(s, i, "null")
	}
	return soundNumber(s, i)
}

func soundWord(s string, i int, word string) int {
	if len(s)-i < len(word) || s[i:i+len(word)] != word {
		return unsound
	}
	return i + len(word)
}

// soundObject reads the object whose brace is at i.
func soundObject(s string, i, depth int) int {
	if depth > maxDepth {
		return tooDeep
	}
	i = spaceEnd(s, i+1)
	if i < len(s) && s[i] == '}' {
		return i + 1
	}
	for i < len(s) && s[i] == '"' {
		if i = soundString(s, i); i < 0 {
			return unsound
		}
		if i = spaceEnd(s, i); i >= len(s) || s[i] != ':' {
			return unsound
		}
		if i = soundValue(s, spaceEnd(s, i+1), depth); i < 0 {
			return i
		}
		if i = spaceEnd(s, i); i >= len(s) {
			return unsound
		}
		if s[i] == '}' {
			return i + 1
		}
		if s[i] != ',' {
			return unsound
		}
		i = spaceEnd(s, i+1)
	}
	return unsound
}

// soundArray reads the array whose bracket is at i.
func soundArray(s string, i, depth int) int {
	if depth > maxDepth {
		return tooDeep
	}
	i = spaceEnd(s, i+1)
	if i < len(s) && s[i] == ']' {
		return i + 1
	}
	for {
		if i = soundValue(s, i, depth); i < 0 {
			return i
		}
		if i = spaceEnd(s, i); i >= len(s) {
			return unsound
		}
		if s[i] == ']' {
			return i + 1
		}
		if s[i] != ',' {
			return unsound
		}
		i = spaceEnd(s, i+1)
	}
}

// spaceEnd returns the offset of the first byte from i on that is no space.
func spaceEnd(s string, i int) int {
	for i < len(s) && s[i] <= ' ' && (s[i] == ' ' || s[i] == '\n' || s[i] == '\r' || s[i] == '\t') {
		i++
	}
	return i
}

// soundString reads the string whose opening quote is at i.
func soundString(s string, i int) int {
	b := unsafe.Slice(unsafe.StringData(s), len(s))
	i++
	if i+8 <= len(b) { // most strings are names, and end soon
		if found := special(binary.LittleEndian.Uint64(b[i:])); found != 0 {
			i += bits.TrailingZeros64(found) / 8
			if b[i] == '"' {
				return i + 1
			}
		} else {
			i += 8
		}
	}
	if blocks {
		return soundBlocks(b, i)
	}
	return soundWords(b, i)
}

// soundName is soundString for the name of a member; plain tells that it certainly holds no escape.
func soundName(s string, i int) (end int, plain bool) {
	b := unsafe.Slice(unsafe.StringData(s), len(s))
	for at := i + 1; at+8 <= len(b); at += 8 {
		if found := special(binary.LittleEndian.Uint64(b[at:])); found != 0 {
			if at += bits.TrailingZeros64(found) / 8; b[at] == '"' {
				return at + 1, true
			}
			break
		}
	}
	return soundString(s, i), false
}

// Where a word of eight bytes holds one below 0x20, (w - ones*0x20) &^ w has a high bit set; the lowest such bit is
// exact, those above it may be the borrow's.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special has a bit for each quote, backslash and control character in a word of eight bytes: the high bit of its byte. Only
// the lowest bit counts.
func special(w uint64) uint64 {
	quote, slash := w^ones*'"', w^ones*'\\'
	return ((w-ones*0x20)&^w | (quote-ones)&^quote | (slash-ones)&^slash) & highs
}

// soundWords reads a string on from i, outside of an escape, eight bytes at a time between quotes, escapes and control
// characters.
func soundWords(b []byte, i int) int {
	for i < len(b) {
		if i+8 <= len(b) {
			found := special(binary.LittleEndian.Uint64(b[i:]))
			if found == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(found) / 8
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c == '\\':
			if i = escapeEnd(b, i); i < 0 {
				return unsound
			}
		case c < ' ':
			return unsound
		default:
			i++
		}
	}
	return unsound
}

// shortEscapes are the bytes that make an escape with the backslash before them.
var shortEscapes = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// escapeEnd returns the offset behind the escape whose backslash is at i.
func escapeEnd(s []byte, i int) int {
	if i+1 >= len(s) {
		return unsound
	}
	if shortEscapes[s[i+1]] {
		return i + 2
	}
	if s[i+1] == 'u' && i+6 <= len(s) && hex(s[i+2]) && hex(s[i+3]) && hex(s[i+4]) && hex(s[i+5]) {
		return i + 6
	}
	return unsound
}

func hex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// soundNumber reads the number at i.
func soundNumber(s string, i int) int {
	if i < len(s) && s[i] == '-' {
		i++
	}
	switch {
	case i >= len(s) || s[i] < '0' || s[i] > '9':
		return unsound
	case s[i] == '0':
		i++
	default:
		i = digitsEnd(s, i)
	}
	if i < len(s) && s[i] == '.' {
		end := digitsEnd(s, i+1)
		if end == i+1 {
			return unsound
		}
		i = end
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		end := digitsEnd(s, i)
		if end == i {
			return unsound
		}
		i = end
	}
	return i
}

func digitsEnd(s string, i int) int {
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	return i
}
