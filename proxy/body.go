package proxy

import (
	"bufio"
	"bytes"
	"io"
	"sync"

	"github.com/valyala/fasthttp"
)

// body is the answer's body on its way from the upstream's link to the client. It hands out what is there and waits
// only where nothing is, so every event goes out when it comes, and a burst of them goes out together.
type body struct {
	ex     *exchange
	link   *link                    // nil once the upstream's part is over
	header *fasthttp.ResponseHeader // takes the trailers
	ahead  []byte                   // read before the headers went out
	held   []byte                   // what is being read ahead
	left   int64                    // bytes to come; chunked, or untilClose
	chunks chunks
	keep   bool // the link can carry another request afterwards
	eof    bool
	err    error
	deaf   bool // the tap has failed
}

// untilClose is the framing of an answer that ends with its connection.
const untilClose = -2

// bulk is how much must be left of a body of known length for it to be read in large pieces.
const bulk = 4 * pieceSize

// pieceSize leaves room for a chunk's frame in the server's write buffer, so that a piece is one system call.
const pieceSize = writeBuffer - 32

var pieces = sync.Pool{New: func() any { b := make([]byte, pieceSize); return &b }}

// newBody takes over the exchange's link. A body that cannot be there has no byte to come.
func newBody(ex *exchange, h *fasthttp.ResponseHeader, head bool) *body {
	b := &ex.first
	if b.ex != nil {
		b = new(body) // the first is that of an error which may still be relayed
	}
	b.ex, b.link, b.header, b.left = ex, ex.link, h, int64(h.ContentLength())
	status := h.StatusCode()
	if head || status == fasthttp.StatusNoContent || status == fasthttp.StatusNotModified {
		b.left = 0
	}
	b.keep = b.left != untilClose && !h.ConnectionClose() && !ex.early
	if b.left == 0 {
		b.finish()
	}
	return b
}

// finish gives the link back as soon as the upstream has said everything.
func (b *body) finish() {
	b.eof = true
	b.link = nil
	b.ex.drop(b.keep)
}

// ready reports that at least a part of the body can be had without waiting, and whole that all of it can.
func (b *body) ready() (part, whole bool) {
	if b.eof {
		return true, true
	}
	n := b.link.br.Buffered()
	return n+len(b.ahead) > 0, b.left >= 0 && int64(n) >= b.left
}

// Read implements io.Reader. It waits for the first byte only.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.next(p)
	b.hear(p[:n])
	b.ex.outcome.Bytes += int64(n)
	return n, err
}

// WriteTo implements io.WriterTo: it holds no buffer while it waits.
func (b *body) WriteTo(w io.Writer) (total int64, err error) {
	for err == nil {
		scratches := &pieces
		if b.left > bulk {
			scratches = &uploads
		} else {
			b.wait()
		}
		var n int
		n, err = b.move(w, scratches)
		total += int64(n)
	}
	if err == io.EOF {
		err = nil
	}
	return total, err
}

// SupportsBodyWriteTo tells fasthttp that WriteTo does what Read does.
func (b *body) SupportsBodyWriteTo() bool { return true }

// move passes one piece on. The client gets it before the tap does.
func (b *body) move(w io.Writer, scratches *sync.Pool) (int, error) {
	scratch := scratches.Get().(*[]byte)
	defer scratches.Put(scratch)
	n, err := b.next(*scratch)
	if n == 0 {
		return 0, err
	}
	piece := (*scratch)[:n]
	if _, err := w.Write(piece); err != nil {
		return 0, err
	}
	b.ex.outcome.Bytes += int64(n)
	b.hear(piece)
	return n, nil
}

// wait blocks until something has arrived, or nothing will.
func (b *body) wait() {
	if len(b.ahead) > 0 || b.eof || b.err != nil || b.link.br.Buffered() > 0 {
		return
	}
	b.ex.turn(listening)
	if _, err := b.link.br.Peek(1); err != nil {
		b.lost(err)
	}
	b.ex.turn(answered)
}

// lost takes the end of the upstream's connection: proper only where that is the framing.
func (b *body) lost(err error) {
	switch {
	case err == io.EOF && b.left == untilClose:
		b.finish()
	case err == io.EOF:
		b.err = b.ex.why(io.ErrUnexpectedEOF)
	default:
		b.err = b.ex.why(err)
	}
}

// next fills p with what is there, at least one byte, or gives the reason why there is none: io.EOF at the proper end.
func (b *body) next(p []byte) (n int, err error) {
	if len(b.ahead) > 0 {
		n = copy(p, b.ahead)
		b.ahead = b.ahead[n:]
		return n, nil
	}
	b.ex.turn(listening)
	for n == 0 && !b.eof && b.err == nil && len(p) > 0 {
		if b.left == chunked {
			n = b.decode(p)
		} else {
			n = b.plain(p)
		}
	}
	b.ex.turn(answered)
	switch {
	case n > 0 || len(p) == 0:
		return n, nil
	case b.err != nil:
		return 0, b.err
	}
	return 0, io.EOF
}

// plain reads a body without a coding.
func (b *body) plain(p []byte) int {
	if b.left >= 0 && int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.link.br.Read(p)
	if b.left >= 0 {
		b.left -= int64(n)
	}
	switch {
	case b.left == 0:
		b.finish()
	case err != nil:
		b.lost(err)
	}
	return n
}

// decode reads a chunked body as far as it has arrived.
func (b *body) decode(p []byte) (n int) {
	if b.wait(); b.err != nil {
		return 0
	}
	br := b.link.br
	for n < len(p) && br.Buffered() > 0 && !b.chunks.done() {
		src, _ := br.Peek(br.Buffered())
		wrote, read, err := b.chunks.decode(p[n:], src)
		br.Discard(read)
		n += wrote
		if err != nil {
			b.err = b.ex.why(err)
			return n
		}
	}
	if b.chunks.done() && (n == 0 || endsHere(br)) {
		b.trailers()
	}
	return n
}

// endsHere reports that the trailer section is there and empty, so that reading it does not hold up data.
func endsHere(br *bufio.Reader) bool {
	if br.Buffered() < len(crlf) {
		return false
	}
	next, _ := br.Peek(len(crlf))
	return bytes.Equal(next, crlf)
}

// trailers reads what follows the last chunk.
func (b *body) trailers() {
	switch err := b.header.ReadTrailer(b.link.br); {
	case err == nil:
		b.finish()
	case err == io.EOF:
		b.lost(err)
	default:
		b.err = b.ex.why(errChunk)
	}
}

// hear lets the tap see a piece.
func (b *body) hear(p []byte) {
	if b.ex.call.Tap == nil || b.deaf || len(p) == 0 {
		return
	}
	ok := contain(func() {
		_, err := b.ex.call.Tap.Write(p)
		b.deaf = err != nil
	})
	b.deaf = b.deaf || !ok
}

// CloseWithError implements fasthttp.ReadCloserWithError: the answer has been written, or writing it failed with err.
func (b *body) CloseWithError(err error) error {
	switch {
	case b.err != nil:
		b.ex.end(false, b.err)
	case err != nil || !b.eof:
		b.ex.end(false, ErrClientGone) // a write failed: nobody is there to read
	default:
		b.ex.end(true, nil)
	}
	b.ex.recycle()
	return nil
}

// fixed is a body of known length. It hides WriteTo from fasthttp, whose writer would collect a whole buffer of such a
// body before it flushes; conn.ReadFrom finds it again.
type fixed struct{ b *body }

// Read implements io.Reader.
func (f fixed) Read(p []byte) (int, error) { return f.b.Read(p) }

// CloseWithError implements fasthttp.ReadCloserWithError.
func (f fixed) CloseWithError(err error) error { return f.b.CloseWithError(err) }

var (
	_ fasthttp.BodyWriterTo        = (*body)(nil)
	_ fasthttp.ReadCloserWithError = (*body)(nil)
	_ fasthttp.ReadCloserWithError = fixed{}
)
