package middleware

import (
	"bytes"
	"iter"
	"strings"
	"sync"

	"github.com/valyala/fasthttp"

	"recap/config"
)

// requestHeaders are the lines of a request's head, split once: a chat request is asked for some forty names, most of
// which are not there.
type requestHeaders struct {
	h     *fasthttp.RequestHeader
	lines []headerLine
	sizes uint64 // a bit for each length of a name, those over 63 share the last
	space [40]headerLine
}

type headerLine struct{ name, value []byte }

var headPool = sync.Pool{New: func() any { return new(requestHeaders) }}

// newRequestHeaders splits the head of h, until free. fasthttp's own iterators are no way in: they rewrite the Cookie
// line as they pass.
func newRequestHeaders(h *fasthttp.RequestHeader) *requestHeaders {
	r := headPool.Get().(*requestHeaders)
	r.h, r.lines, r.sizes = h, r.space[:0], 0
	rest := h.RawHeaders()
	for len(rest) > 0 {
		var line []byte
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			line, rest = rest[:end], rest[end+1:]
		} else {
			line, rest = rest, nil
		}
		if colon := bytes.IndexByte(line, ':'); colon > 0 {
			r.lines = append(r.lines, headerLine{line[:colon], line[colon+1:]})
			r.sizes |= sizeBit(colon)
		}
	}
	return r
}

func (r *requestHeaders) free() {
	r.h, r.lines = nil, nil
	headPool.Put(r)
}

func sizeBit(size int) uint64 { return 1 << min(size, 63) }

// value returns the first value of a header, "" where it is not there. Case does not matter.
func (r *requestHeaders) value(name string) string { return string(r.bytes(name)) }

// bytes is value as a view.
func (r *requestHeaders) bytes(name string) []byte {
	if len(r.lines) == 0 {
		return r.h.Peek(name) // a request that was not read from a connection
	}
	if r.sizes&sizeBit(len(name)) == 0 {
		return nil
	}
	for i := range r.lines {
		if l := &r.lines[i]; len(l.name) == len(name) && strings.EqualFold(string(l.name), name) {
			return bytes.TrimSpace(l.value)
		}
	}
	return nil
}

// names goes through the names of all lines, as views.
func (r *requestHeaders) names() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if len(r.lines) == 0 {
			for name := range r.h.All() {
				if !yield(name) {
					return
				}
			}
		}
		for i := range r.lines {
			if !yield(r.lines[i].name) {
				return
			}
		}
	}
}

const overridePrefix = "x-recap-"

// overrides reports whether any of our own headers may be there.
func (r *requestHeaders) overrides() bool {
	if len(r.lines) == 0 {
		return true
	}
	for i := range r.lines {
		n := r.lines[i].name
		if len(n) > len(overridePrefix) && strings.EqualFold(string(n[:len(overridePrefix)]), overridePrefix) {
			return true
		}
	}
	return false
}

var overrideNames = config.OverrideHeaders()

// taken are override headers and their values, in the order of their first lines.
type taken []struct {
	name   string
	values []string
}

// of returns the values of a header, by its name as overrideNames has it.
func (t taken) of(name string) []string {
	for i := range t {
		if t[i].name == name {
			return t[i].values
		}
	}
	return nil
}

// takeOverrides takes our own headers off a request and returns their values; nil where there are none. Whatever else
// begins with X-Recap- is kept from the upstream by the proxy.
func (r *requestHeaders) takeOverrides() (ours taken) {
	for _, name := range overrideNames {
		if len(r.lines) > 0 && r.sizes&sizeBit(len(name)) == 0 || r.bytes(name) == nil && r.h.Peek(name) == nil {
			continue
		}
		var values []string
		for _, value := range r.h.PeekAll(name) {
			values = append(values, string(value))
		}
		ours = append(ours, struct {
			name   string
			values []string
		}{name, values})
		r.h.Del(name)
	}
	return ours
}
