package proxy

import (
	"bytes"
	"strconv"
)

// target is where a request goes and what its head must say there.
type target struct {
	host   string // Host header
	prefix string // path of the base URL, no slash at its end
	key    string // replaces the client's credentials; "" leaves them
	length int64  // Content-Length; chunked or noBody
}

const (
	chunked = -1
	noBody  = -2
)

// appendHead appends the request line and the headers for the upstream. src is the client's head as fasthttp writes it;
// method, values, order, cookies and repeated headers stay as they are. Left out is what belongs to one connection
// (the hop-by-hop headers, those that Connection names, Expect), the framing (it is written anew), Host and everything
// called X-Recap-*.
func appendHead(dst, src []byte, to target) []byte {
	line, headers, _ := bytes.Cut(src, crlf)
	method, rest, _ := bytes.Cut(line, space)
	path, _, _ := bytes.Cut(rest, space)
	dst = append(append(dst, method...), ' ')
	dst = appendPath(dst, to.prefix, path)
	dst = append(append(append(dst, " HTTP/1.1\r\nHost: "...), to.host...), crlf...)
	dst, keyed := appendHeaders(dst, headers, to.key, nil)
	if !keyed {
		dst = appendKey(dst, []byte("Authorization"), to.key)
	}
	switch {
	case to.length >= 0:
		dst = strconv.AppendInt(append(dst, "Content-Length: "...), to.length, 10)
		dst = append(dst, crlf...)
	case to.length == chunked:
		dst = append(dst, "Transfer-Encoding: chunked\r\n"...)
	}
	return append(dst, crlf...)
}

// appendHeaders appends the header lines that go on, and reports that no key is missing. Lines that stay together are
// copied together. listed are the names that Connection lists: it is met on the way, and where it lists any, which is
// rare, the way begins again.
func appendHeaders(dst, headers []byte, key string, listed [][]byte) (_ []byte, keyed bool) {
	keyed = key == ""
	begin, start, at := len(dst), 0, 0 // of what is appended, of the run to copy, of the line
	for at < len(headers) {
		next := lineEnd(headers, at)
		name := headers[at : at+max(bytes.IndexByte(headers[at:next], ':'), 0)]
		what := fateOf(name)
		if what == connects && listed == nil {
			if listed = connectionTokens(headers); listed != nil {
				return appendHeaders(dst[:begin], headers, key, listed)
			}
		}
		drop := what == ends || what == connects || len(listed) > 0 && contains(listed, name)
		replace := what == opens && !drop && key != ""
		if drop || replace {
			dst = append(dst, headers[start:at]...)
			start = next
		}
		if replace {
			dst = appendKey(dst, name, key)
			keyed = true
		}
		at = next
	}
	return append(dst, headers[start:]...), keyed
}

// fate is what becomes of a request's header line.
type fate uint8

const (
	goesOn   fate = iota
	ends          // it is about this hop alone, or the proxy writes it itself
	connects      // Connection: it ends, and names others that do
	opens         // it carries a credential
)

// fateOf looks at the length of a name first: most have one that is nobody's.
func fateOf(name []byte) fate {
	switch len(name) {
	case 0:
		return ends
	case 4, 6, 14:
		if ownRequestHeader(name) {
			return ends
		}
		return goesOn
	case 7, 9, 13:
		if credential(name) {
			return opens
		}
	case 10:
		if equalFold(name, "connection") {
			return connects
		}
	}
	if hopByHop(name) || ownRequestHeader(name) {
		return ends
	}
	return goesOn
}

// lineEnd returns where the line after the one at b[at:] begins.
func lineEnd(b []byte, at int) int {
	if n := bytes.IndexByte(b[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(b)
}

var space = []byte(" ")

var crlf = []byte("\r\n")

// appendPath joins the client's request target to the prefix. OPTIONS * asks about the server, not about a path of it.
func appendPath(dst []byte, prefix string, path []byte) []byte {
	if prefix == "" && len(path) > 0 && path[0] == '/' || string(path) == "*" {
		return append(dst, path...)
	}
	return appendJoined(dst, prefix, string(path))
}

// appendKey writes the configured key in the form the header wants it.
func appendKey(dst, name []byte, key string) []byte {
	dst = append(append(dst, name...), ": "...)
	if equalFold(name, "authorization") {
		dst = append(dst, "Bearer "...)
	}
	return append(append(dst, key...), crlf...)
}

// credential names the headers that carry a client's key. Which of them a client uses tells what its upstream's API
// reads, so a configured key goes where the client's was; Authorization is for clients that sent none.
func credential(name []byte) bool {
	return equalFold(name, "authorization") || equalFold(name, "x-api-key") || equalFold(name, "api-key")
}

// hopByHop reports headers that end at each hop.
func hopByHop(name []byte) bool {
	switch len(name) {
	case 2:
		return equalFold(name, "te")
	case 7:
		return equalFold(name, "trailer") || equalFold(name, "upgrade")
	case 10:
		return equalFold(name, "connection") || equalFold(name, "keep-alive")
	case 16:
		return equalFold(name, "proxy-connection")
	case 17:
		return equalFold(name, "transfer-encoding")
	case 18:
		return equalFold(name, "proxy-authenticate")
	case 19:
		return equalFold(name, "proxy-authorization")
	}
	return false
}

// ownRequestHeader reports headers that the proxy writes itself, or keeps to itself.
func ownRequestHeader(name []byte) bool {
	if len(name) >= 8 && equalFold(name[:8], "x-recap-") {
		return true
	}
	switch len(name) {
	case 4:
		return equalFold(name, "host")
	case 6:
		return equalFold(name, "expect")
	case 14:
		return equalFold(name, "content-length")
	}
	return false
}

// connectionTokens returns the header names that Connection lists, beyond the usual two.
func connectionTokens(headers []byte) (names [][]byte) {
	const lower = "connection"
	for at := 0; at < len(headers); {
		next := lineEnd(headers, at)
		if line := headers[at:next]; len(line) > len(lower) && line[len(lower)] == ':' && equalFold(line[:len(lower)], lower) {
			names = appendTokens(names, line[len(lower)+1:])
		}
		at = next
	}
	return names
}

func appendTokens(names [][]byte, value []byte) [][]byte {
	for len(value) > 0 {
		var token []byte
		token, value, _ = bytes.Cut(value, []byte(","))
		token = bytes.TrimSpace(token)
		if len(token) > 0 && !equalFold(token, "close") && !equalFold(token, "keep-alive") {
			names = append(names, token)
		}
	}
	return names
}

func contains(names [][]byte, name []byte) bool {
	for _, n := range names {
		if bytes.EqualFold(n, name) {
			return true
		}
	}
	return false
}

// equalFold compares a name with a lower-case word; ASCII only, no allocation.
func equalFold(name []byte, lower string) bool {
	if len(name) != len(lower) {
		return false
	}
	for i := range name {
		c := name[i]
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
