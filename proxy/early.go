package proxy

import (
	"bytes"
	"errors"
	"os"
	"time"

	"github.com/valyala/fasthttp"
)

const (
	// signLength is how much of an answer's beginning is looked at for a sign of an error, in bytes.
	signLength = 512
	// restWait is how long an answer that begins as an error may take to end.
	restWait = time.Second
)

// foresee looks at the first bytes of an answer that calls itself a success, if they come in time, and asks about one
// that holds an error, as reconsider does about the others: some servers answer 200 before they have looked at the
// prompt. Nothing has gone to the client then. An answer that begins otherwise is passed on at once.
func (ex *exchange) foresee(ctx *fasthttp.RequestCtx, first *body) *body {
	h := &ctx.Response.Header
	if len(h.ContentEncoding()) > 0 || !first.arrives(ex.call.Early) || !failing(first.begins()) {
		return first
	}
	scratch := pieces.Get().(*[]byte)
	defer pieces.Put(scratch)
	for n := 0; !first.eof && first.err == nil; {
		n, _ = first.next(*scratch)
		first.held = append(first.held, (*scratch)[:n]...)
		if !failing(first.held) || len(first.held) > retryLimit || !first.arrives(restWait) {
			break
		}
	}
	first.ahead, first.held = first.held, nil
	if !first.eof || len(first.ahead) > retryLimit || !failing(first.ahead) {
		return first
	}
	return ex.again(ctx, first, first.ahead)
}

// spoilt says why nothing of the body can be had, as far as that is known before the headers go out: then the client can
// still be told.
func (b *body) spoilt() error {
	switch {
	case b.eof || len(b.ahead) > 0:
		return nil
	case b.err != nil:
		return b.err
	case b.left == chunked && b.chunks == chunks{}:
		if src, _ := b.link.br.Peek(b.link.br.Buffered()); !begins(src) {
			return errChunk
		}
	}
	return nil
}

// begins is what has arrived of the body, without taking it, as far as a sign of an error may stand in it.
func (b *body) begins() []byte {
	if b.eof || b.err != nil {
		return nil
	}
	begin, _ := b.link.br.Peek(min(b.link.br.Buffered(), signLength))
	if b.left == chunked {
		_, begin, _ = bytes.Cut(begin, []byte(crlf)) // behind the chunk's size
	}
	return begin
}

// failing reports whether an answer that begins like this may be an error: it names one as JSON or as an event does,
// which no text within an answer can.
func failing(begin []byte) bool {
	begin = begin[:min(len(begin), signLength)]
	for _, sign := range [...]string{"event: error", "event:error"} {
		if bytes.HasPrefix(begin, []byte(sign)) {
			return true
		}
	}
	for {
		_, after, found := bytes.Cut(begin, []byte(`"error"`))
		if !found {
			return false
		}
		value := bytes.TrimLeft(after, ": \t")
		if !bytes.HasPrefix(value, []byte("null")) {
			return true
		}
		begin = after
	}
}

// arrives waits up to d for a byte of the body and reports whether there is one to be had without waiting, or the end.
func (b *body) arrives(d time.Duration) bool {
	if b.eof || b.err != nil || b.link.br.Buffered() > 0 {
		return true
	}
	conn := b.link.Conn
	if conn.SetReadDeadline(time.Now().Add(d)) != nil {
		return false
	}
	_, err := b.link.br.Peek(1)
	if conn.SetReadDeadline(time.Time{}) != nil || isTimeout(err) {
		return false
	}
	if err != nil {
		b.lost(err)
	}
	return true
}

func isTimeout(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }
