package proxy

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

const (
	// gatherLimit is up to where copying a body behind its head is cheaper than a second piece in the system call.
	gatherLimit = 4 << 10
	// uploadBuffer and bulkBuffer are the pieces in which a streamed request body is passed on, a short and a long one.
	uploadBuffer = 32 << 10
	bulkBuffer   = 512 << 10
	// maxInterim bounds the 1xx answers before the real one.
	maxInterim = 100
)

var (
	heads   = buffers(2 * gatherLimit)
	uploads = buffers(uploadBuffer)
	bulks   = buffers(bulkBuffer)
)

func buffers(size int) sync.Pool {
	return sync.Pool{New: func() any { b := make([]byte, size); return &b }}
}

// ask sends the request and reads the answer's headers into ctx.Response. body nil streams the client's own.
func (ex *exchange) ask(ctx *fasthttp.RequestCtx, body []byte) error {
	for {
		ex.early = false
		ex.enters(sending)
		sendErr := ex.send(ctx, body)
		if sendErr != nil && !ex.early {
			return sendErr
		}
		ex.enters(awaited)
		silent, err := ex.readHead(&ctx.Response.Header)
		if err == nil {
			return nil
		}
		if sendErr != nil {
			err = sendErr
		}
		again := silent && ex.link.reused && !ex.resent && repeatable(ctx)
		ex.drop(false)
		if !again || ex.why(nil) != nil {
			return ex.why(err)
		}
		ex.resent = true
	}
}

// repeatable tells whether sending a request again can do no harm even though the upstream may have seen it: a POST
// costs minutes of somebody's GPU and may have effects.
func repeatable(ctx *fasthttp.RequestCtx) bool {
	h := &ctx.Request.Header
	return (h.IsGet() || h.IsHead() || h.IsOptions()) && h.ContentLength() != chunked && h.ContentLength() <= 0
}

// send writes the request to a link of its own. early is set where the upstream stopped reading: it may have answered.
func (ex *exchange) send(ctx *fasthttp.RequestCtx, body []byte) error {
	length := bodyLength(ctx, body)
	scratches := scratchFor(body, length)
	scratch := scratches.Get().(*[]byte)
	defer scratches.Put(scratch)
	p, err := ex.compose(ctx, (*scratch)[:0], body, length)
	if err != nil {
		return err
	}
	for fresh := ex.resent; ; {
		if err := ex.connect(fresh); err != nil {
			return err
		}
		var wrote int64
		if wrote, err = ex.write(&p); err == nil || wrote > 0 || !ex.link.reused || ex.why(nil) != nil {
			break
		}
		// Not one byte was taken, so the upstream cannot have seen the request: any method may go again.
		fresh = err != errStale
		ex.drop(false)
	}
	if err == nil && p.stream != nil {
		err = ex.upload(p.stream, p.left, *scratch)
	}
	if err != nil {
		err = ex.why(err)
		ex.early = !isBodyError(err) && ex.why(nil) == nil
	}
	return err
}

// scratchFor picks the memory to put a request together in.
func scratchFor(body []byte, length int64) *sync.Pool {
	switch {
	case body != nil || length >= noBody && length <= gatherLimit && length != chunked:
		return &heads
	case length <= uploadBuffer:
		return &uploads
	}
	return &bulks
}

// compose makes the parcel, the first part in dst's memory where it fits.
func (ex *exchange) compose(ctx *fasthttp.RequestCtx, dst, body []byte, length int64) (p parcel, err error) {
	h := &ctx.Request.Header
	h.SetNoDefaultContentType(true) // no header that the client did not send
	to := ex.up.target
	to.length = length
	p.first = appendHead(dst, h.Header(), to)
	switch {
	case body != nil && len(body) <= gatherLimit:
		p.first = append(p.first, body...)
		return p, nil
	case body != nil:
		p.rest = body
		return p, nil
	}
	stream := ctx.RequestBodyStream()
	if stream == nil || length == noBody || length == 0 {
		p.first = append(p.first, ctx.Request.Body()...) // a server that does not stream has the body here
		return p, nil
	}
	p.stream, p.left = stream, length
	if length > 0 {
		err = p.load(ctx.Conn())
	}
	return p, err
}

// bodyLength says how the request's body is framed towards the upstream.
func bodyLength(ctx *fasthttp.RequestCtx, body []byte) int64 {
	h := &ctx.Request.Header
	n := int64(h.ContentLength())
	switch {
	case body != nil:
		return int64(len(body))
	case n < 0 && n != chunked:
		return noBody
	case n == 0 && !h.IsPost() && !h.IsPut() && !h.IsPatch():
		return noBody // fasthttp says 0 where the client said nothing
	case n != chunked || ctx.Request.IsBodyStream():
		return n
	}
	return int64(len(ctx.Request.Body()))
}

// connect gives the exchange a link: an unused one, or a new connection.
func (ex *exchange) connect(fresh bool) error {
	if !fresh {
		if l := ex.up.pool.take(time.Duration(ex.client.watch.now())); l != nil {
			return ex.hold(l)
		}
	}
	ctx, done := ex.dialing()
	defer done()
	l, err := ex.up.pool.open(ctx)
	if err != nil {
		return ex.why(err)
	}
	return ex.hold(l)
}

// write sends both parts, in one system call where the connection can. Behind a whole request it waits for the answer.
func (ex *exchange) write(p *parcel) (wrote int64, err error) {
	l, first, rest := ex.link, p.first, p.rest
	if p.stream == nil && l.canTell() {
		n, err := l.tell(ex, first, rest)
		if err != nil || n == len(first)+len(rest) {
			return int64(n), err
		}
		wrote, first, rest = int64(n), first[min(n, len(first)):], rest[max(n-len(first), 0):]
	} else if l.reused && !l.fit() {
		return 0, errStale
	}
	ex.parts = [2][]byte{first, rest}
	ex.pieces = ex.parts[:]
	if len(rest) == 0 {
		ex.pieces = ex.pieces[:1]
	}
	n, err := ex.pieces.WriteTo(l.Conn)
	ex.touch()
	return wrote + n, err
}

// readHead reads the headers of the answer, past any 1xx ones. silent means that not one byte came.
func (ex *exchange) readHead(h *fasthttp.ResponseHeader) (silent bool, err error) {
	l := ex.link
	defer func() { l.head.open = false }()
	for i := 0; i < maxInterim; i++ {
		if l.head.begin(); l.br.Buffered() > 0 {
			l.head.goOn()
		}
		err := h.Read(l.br)
		if tooSmall(err) && l.small == nil {
			l.grow(ex.client.limits.Header)
			err = h.Read(l.br)
		}
		switch {
		case tooSmall(err):
			return false, errBigHeader
		case err == io.EOF: // what fasthttp makes of every error before the first byte
			return i == 0 && l.br.Buffered() == 0, errNoAnswer
		case isClosed(err):
			return false, errNoAnswer
		case err != nil:
			return false, errBadAnswer // its text would hold bytes of the answer
		case h.StatusCode() == fasthttp.StatusSwitchingProtocols:
			return false, errUpgrade
		case h.StatusCode() >= 200:
			if ex.call.Ended != nil {
				ex.outcome.FirstByte = ex.since()
			}
			ex.touch()
			return false, nil
		}
	}
	return false, errBadAnswer
}

// tooSmall reports headers that are longer than the buffer.
func tooSmall(err error) bool {
	if err == nil {
		return false
	}
	var small *fasthttp.ErrSmallBuffer
	return errors.As(err, &small)
}

// isBodyError reports a fault of the client's body.
func isBodyError(err error) bool {
	var own bodyError
	return errors.As(err, &own)
}
