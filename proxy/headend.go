package proxy

import (
	"bytes"
	"errors"
)

// errBareLF is about a header block that fasthttp would wait for without end.
var errBareLF = errors.New("header lines must end with CR LF, not with LF alone")

// headEnd looks at a header block while it is read. fasthttp takes only CR LF CR LF for its end, so a peer that ends
// lines with LF alone has said everything and would be waited for until its time is up. The zero value looks at nothing.
//
// What a read has brought is looked at before the next one, and only if that goes on in the same memory: then nothing of the
// block has been taken from the buffer, so it is not complete. Nearly every block comes in one read and is never looked at.
type headEnd struct {
	open  bool    // its end has not been seen
	fresh bool    // nothing has been read since it began
	bare  bool    // an empty line after a bare LF was there
	last  []byte  // what the last read has brought
	tail  [6]byte // the last bytes that were looked at, and room for the next ones
	kept  int     // of tail, at most 3
}

// blank ends a header block for fasthttp.
var blank = []byte("\r\n\r\n")

// begin is called before the first read of a block.
func (e *headEnd) begin() { *e = headEnd{open: true, fresh: true} }

// goOn is called when a block's first byte is there. Where it came with what was before it, the block is not looked at.
func (e *headEnd) goOn() { e.open = e.open && !e.fresh }

// see takes note of what a read has brought.
func (e *headEnd) see(p []byte) {
	if e.open && len(p) > 0 {
		e.fresh, e.last = false, p
	}
}

// stuck is asked before a read into p. It says that reading on would bring nothing: the block has ended in a way that
// fasthttp does not see.
func (e *headEnd) stuck(p []byte) bool {
	if n := len(e.last); e.open && n > 0 {
		e.open = n < cap(e.last) && len(p) > 0 && &e.last[:n+1][n] == &p[0]
		e.look()
	}
	return e.open && e.bare
}

// look looks at what the last read has brought, unless that was done.
func (e *headEnd) look() {
	p := e.last
	if !e.open || len(p) == 0 {
		return
	}
	e.last = nil
	seam := append(e.tail[:e.kept], p[:min(len(p), 3)]...)
	if bytes.Contains(p, blank) || bytes.Contains(seam, blank) {
		e.open = false
		return
	}
	e.bare = e.bare || bareEnd(p) || bareEnd(seam)
	last := p
	if len(p) < 3 {
		last = seam
	}
	e.kept = copy(e.tail[:3], last[max(0, len(last)-3):])
}

// bareEnd finds an empty line after a line that ended in whatever way; CR LF CR LF has been looked for before.
func bareEnd(b []byte) bool {
	return bytes.Contains(b, []byte("\n\n")) || bytes.Contains(b, []byte("\n\r\n"))
}
