package dialect

import (
	"bytes"
	"strings"
	"sync"
	"unsafe"
)

const (
	maxLine  = 64 << 10  // bytes kept of one line or event of a stream
	maxPlain = 256 << 10 // bytes kept of an answer that is one JSON body
)

// framing says how JSON objects lie in an answer.
type framing uint8

const (
	framePlain  framing = iota + 1 // one JSON body
	frameLines                     // one object a line (NDJSON)
	frameEvents                    // server-sent events
)

// tap observes one answer. What it knows is a function of the bytes alone, however they were cut into chunks.
type tap struct {
	framing framing
	open    bool // the framing is a guess that the first byte may overturn
	reader  *reader
	report  Report

	buf    []byte // an unfinished line, or the plain body
	over   bool   // the unfinished line or the plain body is too long to be kept
	event  []byte // data lines of an unfinished event
	spoilt bool   // a part of the unfinished event was too long, or something stands behind a plain body
	plain  balance
	whole  int // bytes of a plain body that came whole, and of the space behind it; it is not kept, 0 = it did not
}

// newTap returns a tap for an answer of that content type. Types that say nothing are settled by the first byte,
// with otherwise as the framing of what begins with a brace.
func newTap(contentType string, otherwise framing, objects *reader) Tap {
	t := taps.Get().(*tap)
	t.reader = objects
	if t.framing = framingOf(contentType); t.framing == 0 {
		media, _, _ := strings.Cut(contentType, ";")
		t.framing = framingOf(strings.ToLower(strings.TrimSpace(media)))
	}
	if t.framing == 0 {
		t.framing, t.open = otherwise, true
	}
	return t
}

// framingOf returns the framing of a content type that is as we write it, 0 for any other.
func framingOf(media string) framing {
	switch media {
	case "text/event-stream":
		return frameEvents
	case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/json-lines":
		return frameLines
	case "application/json":
		return framePlain
	}
	return 0
}

// taps keeps those that are over for the next answers.
var taps = sync.Pool{New: func() any { return new(tap) }}

// Free implements Tap.
func (t *tap) Free() {
	buf, event := t.buf[:0], t.event[:0]
	if cap(buf) > maxLine {
		buf = nil
	}
	*t = tap{buf: buf, event: event}
	taps.Put(t)
}

// Write never fails and keeps nothing of p.
func (t *tap) Write(p []byte) (int, error) {
	n := len(p)
	if t.open {
		p = t.settle(p)
	}
	if t.framing == framePlain {
		t.body(p)
	} else {
		t.lines(p)
	}
	return n, nil
}

// settle looks at the first byte that is not space and returns what begins with it: the space before means nothing
// in any framing, and belongs to none yet.
func (t *tap) settle(p []byte) []byte {
	p = bytes.TrimLeft(p, " \r\n\t")
	if len(p) == 0 {
		return nil
	}
	t.open = false
	switch p[0] {
	case 'd', 'e', 'i', 'r', ':': // data, event, id, retry, a comment
		t.framing = frameEvents
	}
	return p
}

func (t *tap) lines(p []byte) {
	for len(p) > 0 {
		n := bytes.IndexByte(p, '\n')
		if n < 0 {
			t.keep(p)
			return
		}
		if line := p[:n]; len(t.buf) == 0 && !t.over && n <= maxLine {
			t.line(line) // nothing is copied when a line comes whole
		} else {
			t.keep(line)
			t.endLine()
		}
		p = p[n+1:]
	}
}

// keep adds to the unfinished line, as far as there is room.
func (t *tap) keep(p []byte) {
	if t.over || len(t.buf)+len(p) > maxLine {
		t.over = true
		return
	}
	t.buf = append(t.buf, p...)
}

// endLine takes the line that was kept. One that is too long is not looked at, nor is the event it belongs to.
func (t *tap) endLine() {
	if t.over {
		t.spoilt = true
	} else {
		t.line(t.buf)
	}
	t.buf, t.over = t.buf[:0], false
}

// line takes one line without its line feed.
func (t *tap) line(line []byte) {
	line = bytes.TrimSuffix(line, []byte{'\r'})
	switch {
	case t.framing == frameLines:
		t.object(line)
	case len(line) > 0:
		t.field(line)
	default:
		t.endEvent()
	}
}

// field takes one field of an event; only data counts.
func (t *tap) field(line []byte) {
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	if !ok {
		return
	}
	data = bytes.TrimPrefix(data, []byte{' '})
	if t.spoilt || len(t.event)+len(data)+1 > maxLine {
		t.spoilt = true
		return
	}
	if len(t.event) > 0 {
		t.event = append(t.event, '\n')
	}
	t.event = append(t.event, data...)
}

func (t *tap) endEvent() {
	if !t.spoilt && len(t.event) > 0 {
		t.object(t.event)
	}
	t.event, t.spoilt = t.event[:0], false
}

// object takes one whole line or event.
func (t *tap) object(object []byte) {
	if bytes.Equal(object, []byte("[DONE]")) {
		t.report.Done = true
		return
	}
	t.reader.take(object, &t.report)
}

// body takes a piece of a plain answer. One that comes whole is read where it lies; when it grows too long only its end
// is watched for.
func (t *tap) body(p []byte) {
	switch {
	case t.whole > 0:
		t.behind(p)
	case len(t.buf) == 0 && !t.over && len(p) <= maxPlain && t.readWhole(unsafe.String(unsafe.SliceData(p), len(p))):
		t.whole, t.plain = len(p), balance{started: true}
	case !t.over && len(t.buf)+len(p) <= maxPlain:
		t.buf = append(t.buf, p...)
	default:
		if !t.over {
			t.plain.feed(t.buf)
			t.buf, t.over = nil, true
		}
		t.plain.feed(p)
	}
}

// behind takes what follows a plain body that came whole: more than space makes it none.
func (t *tap) behind(p []byte) {
	t.whole += len(p)
	t.plain.feed(p)
	t.spoilt = t.spoilt || spaceEnd(string(p), 0) < len(p)
	t.over = t.whole > maxPlain
}

// readWhole reads text if it is one JSON object. Nothing of it is kept.
func (t *tap) readWhole(text string) bool {
	if text = strings.TrimSpace(text); !strings.HasPrefix(text, "{") || !strings.HasSuffix(text, "}") {
		return false
	}
	before := t.report
	if !t.reader.read(text, &t.report) && !whole(text) {
		t.report = before
		return false
	}
	t.report.Done = true
	return true
}

// Report reads what is unfinished as if it ended here: last lines often come without their line feed.
func (t *tap) Report() Report {
	if t.framing == framePlain && t.whole > 0 && !t.over && !t.spoilt {
		return t.report
	}
	rest := *t // what it appends lies behind what t sees
	switch {
	case t.framing != framePlain:
		rest.endLine()
		if t.framing == frameEvents {
			rest.endEvent()
		}
	case t.over:
		rest.report = Report{Done: t.plain.closed()}
	case t.whole > 0 && t.spoilt:
		rest.report = Report{}
	case t.whole == 0 && len(t.buf) > 0:
		rest.readWhole(string(t.buf))
	}
	return rest.report
}

// balance follows the brackets of one JSON value over any pieces.
type balance struct {
	depth           int
	started         bool
	text, backslash bool // inside a string, behind a backslash in it
}

func (b *balance) feed(p []byte) {
	for i := 0; i < len(p); i++ {
		c := p[i]
		switch {
		case b.backslash:
			b.backslash = false
		case b.text && c == '\\':
			b.backslash = true
		case c == '"':
			b.text = !b.text
		case b.text:
		case c == '{' || c == '[':
			b.depth, b.started = b.depth+1, true
		case c == '}' || c == ']':
			b.depth--
		}
	}
}

// closed reports whether a whole object or array was seen.
func (b *balance) closed() bool { return b.started && b.depth == 0 && !b.text }
