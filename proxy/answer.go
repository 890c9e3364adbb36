package proxy

import (
	"bytes"
	"io"
	"net"
	"slices"

	"github.com/valyala/fasthttp"
)

// retryLimit is the longest error answer that Call.Retry is asked about.
const retryLimit = 64 << 10

// run takes an exchange from the request to an answer that is ready to be written, or says why there is none.
func (ex *exchange) run(ctx *fasthttp.RequestCtx) error {
	if err := ex.enter(); err != nil {
		return err
	}
	if err := ex.ask(ctx, ex.call.Body); err != nil {
		return err
	}
	b := newBody(ex, &ctx.Response.Header, ctx.IsHead())
	switch h := &ctx.Response.Header; {
	case ex.call.Retry == nil || ex.call.Body == nil:
	case worthRetry(h):
		b = ex.reconsider(ctx, b)
	case ex.call.Early > 0 && h.StatusCode() == fasthttp.StatusOK:
		b = ex.foresee(ctx, b)
	}
	if err := b.spoilt(); err != nil {
		return err
	}
	ex.deliver(ctx, b)
	return nil
}

// worthRetry picks the errors that Call.Retry understands.
func worthRetry(h *fasthttp.ResponseHeader) bool {
	status := h.StatusCode()
	return (status < 200 || status > 299) && bytes.Contains(h.ContentType(), []byte("json")) && h.ContentLength() <= retryLimit
}

// reconsider reads an error answer and asks whether to send something else. Whatever goes wrong on the way, the answer
// that was read is what the client gets.
func (ex *exchange) reconsider(ctx *fasthttp.RequestCtx, first *body) *body {
	first.readAhead(retryLimit)
	if !first.eof || len(first.ahead) > retryLimit {
		return first
	}
	seen, err := DecodeBody(string(first.ahead), string(ctx.Response.Header.ContentEncoding()), 16*retryLimit)
	if err != nil {
		return first
	}
	return ex.again(ctx, first, []byte(seen))
}

// again sends what Retry gives for an answer that was read to its end; where it gives nothing, or that fails, first stands.
func (ex *exchange) again(ctx *fasthttp.RequestCtx, first *body, seen []byte) *body {
	h := &ctx.Response.Header
	var next []byte
	var again bool
	if !contain(func() { next, again = ex.call.Retry(h.StatusCode(), seen) }) || !again || next == nil {
		return first
	}
	var saved fasthttp.ResponseHeader
	h.CopyTo(&saved)
	if ex.ask(ctx, next) != nil {
		saved.CopyTo(h)
		return first
	}
	second := newBody(ex, h, ctx.IsHead())
	if second.spoilt() != nil {
		ex.drop(false)
		saved.CopyTo(h)
		return first
	}
	return second
}

// readAhead collects up to limit bytes and one more, before anything goes to the client.
func (b *body) readAhead(limit int) {
	var got []byte
	piece := make([]byte, pieceSize)
	for len(got) <= limit {
		n, err := b.next(piece)
		got = append(got, piece[:n]...)
		if err != nil {
			break
		}
	}
	b.ahead = got
}

// deliver makes the answer ctx's response: headers at once, then the body as it comes.
func (ex *exchange) deliver(ctx *fasthttp.RequestCtx, b *body) {
	h := &ctx.Response.Header
	stripAnswer(h)
	if !ctx.Request.Header.IsHTTP11() {
		h.Del(fasthttp.HeaderTrailer) // which comes after chunks, and there will be none
	}
	if ex.call.Header != nil {
		contain(func() { ex.call.Header(h, h.StatusCode()) })
	}
	if ex.early {
		ctx.SetConnectionClose()
		lingering(ctx.Conn())
	}
	ex.outcome.Status = h.StatusCode()
	ex.enters(answered)
	size := b.left
	if size >= 0 {
		size += int64(len(b.ahead))
	}
	part, whole := b.ready()
	switch {
	case bodiless(ctx, h) || size == 0:
		ctx.SetUserValue(exchangeKey{}, ex) // closed when the answer has been written
	case size < 0 && !ctx.Request.Header.IsHTTP11():
		ex.deliverRaw(ctx, b)
	case size < 0:
		ctx.Response.ImmediateHeaderFlush = !part
		ctx.Response.SetBodyStream(b, -1)
	default:
		ctx.Response.ImmediateHeaderFlush = !whole
		ctx.Response.SetBodyStream(fixed{b}, int(size))
	}
}

// exchangeKey is under what an exchange without a stream waits for the end of its answer.
type exchangeKey struct{}

// bodiless reports answers that have no body whatever their headers say.
func bodiless(ctx *fasthttp.RequestCtx, h *fasthttp.ResponseHeader) bool {
	status := h.StatusCode()
	return ctx.IsHead() || status == fasthttp.StatusNoContent || status == fasthttp.StatusNotModified
}

// deliverRaw answers an HTTP/1.0 client whose answer has no known length: it knows no chunks, so the end of the
// connection is the end of the body, and a reset tells that it was cut short.
func (ex *exchange) deliverRaw(ctx *fasthttp.RequestCtx, b *body) {
	h := &ctx.Response.Header
	h.SetConnectionClose()
	head := bytes.Clone(h.Header())
	b.header = new(fasthttp.ResponseHeader) // h goes with ctx, before the body's end
	ctx.HijackSetNoResponse(true)
	ctx.Hijack(func(hijacked net.Conn) {
		var c net.Conn = hijacked
		if u, ok := hijacked.(interface{ UnsafeConn() net.Conn }); ok {
			c = u.UnsafeConn()
		}
		err := ErrClosed
		contain(func() {
			if _, err = c.Write(head); err == nil {
				_, err = b.WriteTo(struct{ io.Writer }{c})
			}
		})
		if err != nil {
			resetOnClose(c)
		}
		b.CloseWithError(err)
	})
}

// stripAnswer removes what belongs to the upstream's connection. Trailer stays: fasthttp writes the trailers again (not for
// HTTP/1.0).
func stripAnswer(h *fasthttp.ResponseHeader) {
	h.SetProtocol(nil) // the upstream may speak HTTP/1.0, we do not
	var drop []string
	for name, value := range h.All() {
		if equalFold(name, "connection") {
			for _, token := range appendTokens(nil, value) {
				if !equalFold(token, "content-length") && !equalFold(token, "trailer") {
					drop = append(drop, string(token))
				}
			}
		}
		if hopByHop(name) && !equalFold(name, "trailer") && !slices.Contains(drop, string(name)) {
			drop = append(drop, string(name))
		}
	}
	for _, name := range drop {
		h.Del(name)
	}
}

// fail answers with an error of the proxy's own.
func (ex *exchange) fail(ctx *fasthttp.RequestCtx, err error) {
	err = ex.why(err)
	if stoppedSending(err) {
		err = ErrClientGone
	}
	name, times := ex.call.Upstream, Timeouts{}
	if ex.up != nil {
		times = ex.up.times
	}
	f := explain(name, times, err)
	ex.outcome.Err = f
	if err == ErrClientGone {
		ex.outcome.Err = err
		f.status = statusClientGone
	}
	ex.outcome.Status = f.status
	shape := ex.call.ErrorBody
	if shape == nil || !contain(func() { writeError(ctx, f, shape) }) {
		writeError(ctx, f, nil)
	}
	if ex.call.Header != nil {
		contain(func() { ex.call.Header(&ctx.Response.Header, f.status) })
	}
	if n := ctx.Request.Header.ContentLength(); ex.call.Body == nil && (n == chunked || n > gatherLimit) || ex.why(nil) != nil {
		// The client may be in the middle of its body, or the cut has left a deadline on its connection.
		ctx.SetConnectionClose()
		lingering(ctx.Conn())
	}
	ctx.SetUserValue(exchangeKey{}, ex)
}

// statusClientGone is what logs call a request whose client left; nobody receives it.
const statusClientGone = 499
