package tokens

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// viewOf returns b as a string without copying; b must not change while the string is used.
func viewOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// unescape appends what the inside of a JSON string token stands for.
func unescape(dst []byte, inner string) []byte {
	for {
		at := strings.IndexByte(inner, '\\')
		if at < 0 || at+1 >= len(inner) {
			return append(dst, inner...)
		}
		dst = append(dst, inner[:at]...)
		var width int
		dst, width = unescapeOne(dst, inner[at:])
		inner = inner[at+width:]
	}
}

// short maps the letter of a two-character escape to what it stands for.
var short = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescapeOne appends what the escape at the start of text stands for and returns its width in bytes.
func unescapeOne(dst []byte, text string) ([]byte, int) {
	if c := short[text[1]]; c != 0 {
		return append(dst, c), 2
	}
	r, ok := hex4(text)
	if !ok {
		return append(dst, text[:2]...), 2
	}
	if utf16.IsSurrogate(r) {
		if low, ok := hex4(text[6:]); ok {
			if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
				return utf8.AppendRune(dst, both), 12
			}
		}
		r = utf8.RuneError
	}
	return utf8.AppendRune(dst, r), 6
}

// hex4 reads \uXXXX at the start of text.
func hex4(text string) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(text[2:6], 16, 16)
	return rune(n), err == nil
}

// minDataURL is the size in bytes from which a data: URL counts as big.
const minDataURL = 4096

// findDataURL returns where the first big data: URL of text starts and ends, both len(text) when there is none.
func findDataURL(text string) (start, end int) {
	for from := 0; len(text)-from >= minDataURL; {
		at := strings.Index(text[from:], ";base64,")
		if at < 0 {
			break
		}
		at += from
		end = at + len(";base64,")
		for end < len(text) && inBase64[text[end]] {
			end++
		}
		head := max(at-maxMediaType, 0)
		if start = strings.LastIndex(text[head:at], "data:"); start >= 0 && end-at >= minDataURL {
			return head + start, end
		}
		from = end
	}
	return len(text), len(text)
}

// maxMediaType is the longest media type with parameters that is looked for, in bytes.
const maxMediaType = 100

var inBase64 = func() (t [256]bool) {
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_" {
		t[c] = true
	}
	return t
}()
