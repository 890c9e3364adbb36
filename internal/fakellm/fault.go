package fakellm

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Break is how a connection ends before its answer does.
type Break uint8

// The breaks. Events are SSE events or NDJSON lines; a plain answer is one event.
const (
	BreakNone Break = iota
	// BreakHang sends nothing at all until the client leaves.
	BreakHang
	// BreakSilence stops after Fault.After events and holds the connection until the client leaves.
	BreakSilence
	// BreakReset resets the TCP connection after Fault.After events.
	BreakReset
	// BreakEOF ends the answer properly (framing complete) in the middle of the event after Fault.After.
	BreakEOF
	// BreakDrop closes the connection in the middle of the event after Fault.After, its framing unfinished.
	BreakDrop
	// BreakShort announces a Content-Length of 100 bytes more than are sent, then closes.
	BreakShort
)

// Content is what an answer says instead of the script's.
type Content uint8

// The contents.
const (
	ContentScript      Content = iota
	ContentErrorIn200          // 200 with an error object in the dialect's shape
	ContentErrorLine           // an error event after Fault.After events, then the end
	ContentInvalidJSON         // 200, application/json, cut in the middle
	ContentHTML                // 200, a page
	ContentEmpty               // a proper answer with no text
	ContentBlank               // a proper answer of white space
	ContentReasoning           // a proper answer with reasoning only
	ContentToolCall            // a proper answer that only calls a tool
	ContentLength              // the text, finished by its limit: finish reason "length"
)

// Fault is what goes wrong with one answer. Its parts combine. The zero Fault changes nothing.
type Fault struct {
	Status  int         // not 0: answered with Header and Body in place of the model's answer
	Header  http.Header // added to any answer
	Body    string
	Content Content
	Break   Break
	After   int // events sent before Break or ContentErrorLine strikes

	Gzip      bool          // body compressed, one flush an event
	Padding   int           // bytes of additional response headers, 1 KiB each
	Piece     int           // bytes a write, without regard to events; 0 = an event a write
	Bunch     int           // events a write; 0 = one
	NoNewline bool          // the last event lacks its line end
	Ping      bool          // an SSE comment before each event
	Sized     bool          // streams carry a Content-Length
	Identity  bool          // no Content-Length, not chunked: the end is the connection's end
	Close     bool          // the connection is closed CloseWait after the answer, with no Connection: close
	CloseWait time.Duration // see Close
}

// bendReply applies the contents that are still proper answers.
func (f *Fault) bendReply(r Reply) Reply {
	switch f.Content {
	case ContentEmpty:
		r.Text, r.Calls = "", nil
	case ContentBlank:
		r.Text, r.Calls = "  \n", nil
	case ContentReasoning:
		r = Reply{Reasoning: "Thinking about it: " + r.Text, Gap: r.Gap, Delay: r.Delay}
	case ContentToolCall:
		r = Reply{Calls: []ToolCall{{Name: "lookup", Args: `{"q":"everything"}`}}, Gap: r.Gap, Delay: r.Delay}
	case ContentLength:
		r.Finish = "length"
	}
	return r
}

// bendAnswer applies the contents that are no proper answers, and the status and headers.
func (f *Fault) bendAnswer(dialect string, a answer) answer {
	fail := errorBody(dialect, problem{status: 500, message: "the runner has stopped", kind: "server_error"})
	switch f.Content {
	case ContentErrorIn200:
		a = jsonAnswer(200, fail)
	case ContentInvalidJSON:
		whole := bytes.Join(a.events, nil)
		a = jsonAnswer(200, whole[:len(whole)/2])
	case ContentHTML:
		a = jsonAnswer(200, []byte("<!doctype html><title>502</title><h1>Bad gateway</h1>\n"))
		a.header.Set("Content-Type", "text/html")
	case ContentErrorLine:
		a.events = append(a.events[:min(f.After, len(a.events)):len(a.events)], frameEvent(a, fail))
	}
	if f.Status != 0 {
		a = jsonAnswer(f.Status, []byte(f.Body))
	}
	for name, values := range f.Header {
		a.header[http.CanonicalHeaderKey(name)] = values
	}
	for i := 0; i < f.Padding; i += 1024 {
		a.header.Set("X-Padding-"+strconv.Itoa(i/1024), strings.Repeat("p", min(1024, f.Padding-i)))
	}
	return a
}

// cut returns the events that are sent before the break.
func (f *Fault) cut(events [][]byte) [][]byte {
	switch f.Break {
	case BreakSilence, BreakReset:
		return events[:min(f.After, len(events))]
	case BreakEOF, BreakDrop:
		if f.After < len(events) {
			half := events[f.After][:len(events[f.After])/2]
			return append(append([][]byte(nil), events[:f.After]...), half)
		}
	}
	return events
}

// writes turns events into what goes out in single writes.
func (f *Fault) writes(events [][]byte) [][]byte {
	if f.Ping {
		for i, event := range events {
			events[i] = append([]byte(": ping\n\n"), event...)
		}
	}
	if last := len(events) - 1; f.NoNewline && last >= 0 {
		events[last] = bytes.TrimRight(events[last], "\n")
	}
	if f.Gzip {
		events = compress(events)
	}
	if f.Bunch > 1 {
		events = bunch(events, f.Bunch)
	}
	if f.Piece > 0 {
		events = pieces(bytes.Join(events, nil), f.Piece)
	}
	return events
}

func compress(events [][]byte) [][]byte {
	var buf bytes.Buffer
	zip := gzip.NewWriter(&buf)
	out := make([][]byte, len(events))
	for i, event := range events {
		_, _ = zip.Write(event)
		_ = zip.Flush()
		if i == len(events)-1 {
			_ = zip.Close()
		}
		out[i] = bytes.Clone(buf.Bytes())
		buf.Reset()
	}
	return out
}

func bunch(events [][]byte, size int) (out [][]byte) {
	for len(events) > 0 {
		n := min(size, len(events))
		out = append(out, bytes.Join(events[:n], nil))
		events = events[n:]
	}
	return out
}

func pieces(text []byte, size int) (out [][]byte) {
	for len(text) > 0 {
		n := min(size, len(text))
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}
