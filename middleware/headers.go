package middleware

import (
	"bytes"
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
	given given
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

const overridePrefix = "x-recap-"

// ours reports whether a name is one of ours.
func ours(name []byte) bool {
	return len(name) > len(overridePrefix) && strings.EqualFold(string(name[:len(overridePrefix)]), overridePrefix)
}

var overrideNames = config.OverrideHeaders()

// overrideName returns a header's name as overrideNames has it, "" where it is none of them.
func overrideName(name []byte) string {
	for _, known := range overrideNames {
		if len(known) == len(name) && strings.EqualFold(string(name), known) {
			return known
		}
	}
	return ""
}

// given are the override headers of a request and their values, in the order of their first lines.
type given []override

type override struct {
	name   string
	values []string
}

// of returns the values of a header, by its name as overrideNames has it.
func (a given) of(name string) []string {
	for i := range a {
		if a[i].name == name {
			return a[i].values
		}
	}
	return nil
}

// add uses the memory of what was there before.
func (a given) add(name, value string) given {
	for i := range a {
		if a[i].name == name {
			a[i].values = append(a[i].values, value)
			return a
		}
	}
	if len(a) == cap(a) {
		return append(a, override{name, []string{value}})
	}
	a = a[:len(a)+1]
	last := &a[len(a)-1]
	last.name, last.values = name, append(last.values[:0], value)
	return a
}

// overrides returns our own headers, valid until free: what a request asks for, and the names that are no override's. The
// proxy keeps them all from the upstream.
func (r *requestHeaders) overrides() (ask given, others []string) {
	r.given = r.given[:0]
	if len(r.lines) == 0 { // a request that was not read from a connection
		for name, value := range r.h.All() {
			others = r.give(name, value, others)
		}
	}
	for i := range r.lines {
		others = r.give(r.lines[i].name, r.lines[i].value, others)
	}
	return r.given, others
}

// give sorts a line into the overrides or the others.
func (r *requestHeaders) give(name, value []byte, others []string) []string {
	if !ours(name) {
		return others
	}
	known := overrideName(name)
	if known == "" {
		return append(others, string(name))
	}
	r.given = r.given.add(known, string(bytes.TrimSpace(value)))
	return others
}
