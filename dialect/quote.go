package dialect

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
	"unsafe"
)

// appendString appends text as a JSON string. It escapes what JSON asks for and nothing else; bytes that are not
// UTF-8 become U+FFFD.
func appendString(dst []byte, text string) []byte {
	return append(appendInner(append(dst, '"'), text), '"')
}

// appendInner is appendString without the quotes.
func appendInner(dst []byte, text string) []byte {
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	for {
		end := escapeStart(text)
		dst = append(dst, text[:end]...)
		if end == len(text) {
			return dst
		}
		dst = appendEscape(dst, text[end])
		text = text[end+1:]
	}
}

// escapeStart returns the offset of the first byte that JSON wants escaped, the length where there is none.
func escapeStart(text string) int {
	b, i := unsafe.Slice(unsafe.StringData(text), len(text)), 0
	for ; i+8 <= len(b); i += 8 {
		if found := special(binary.LittleEndian.Uint64(b[i:])); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

func appendEscape(dst []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}
