package dialect

import "unicode/utf8"

// appendString appends text as a JSON string. It escapes what JSON asks for and nothing else; bytes that are not
// UTF-8 become U+FFFD.
func appendString(dst []byte, text string) []byte {
	return append(appendInner(append(dst, '"'), text), '"')
}

// appendInner is appendString without the quotes.
func appendInner(dst []byte, text string) []byte {
	from := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(append(dst, text[from:i]...), "\uFFFD"...)
				from = i + 1
			}
			i += size
			continue
		}
		if c < ' ' || c == '"' || c == '\\' {
			dst = appendEscape(append(dst, text[from:i]...), c)
			from = i + 1
		}
		i++
	}
	return append(dst, text[from:]...)
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
