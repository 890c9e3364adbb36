package proxy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unsafe"

	"github.com/valyala/fasthttp"
)

// ErrTooLarge is BodyReader's and DecodeBody's error for more bytes than allowed.
var ErrTooLarge = errors.New("read body: longer than the limit (limits.body)")

// ErrEncoding is DecodeBody's error for a coding it does not know.
var ErrEncoding = errors.New("decode body: unknown content encoding")

// bodyPause is how long a client may pause within a request body that is read into memory.
const bodyPause = time.Minute

// BodyReader reads a request's body once, as the client sent it, still encoded if it was (see DecodeBody). It is an io.Reader
// that ends with io.EOF behind a whole body. A body longer than the limit gives ErrTooLarge, without reading it where
// Content-Length says so; the connection then closes after the answer, in a way that lets the client read it. Other
// errors mean that the client stopped in the middle. After an error the request cannot be relayed any more.
type BodyReader struct {
	ctx      *fasthttp.RequestCtx
	from     io.Reader
	declared int64 // negative = not
	limit    int64
	read     int64
	deadline time.Time
}

// OpenBody returns ctx's body, of limit bytes at most (64 MiB where limit is not positive).
func OpenBody(ctx *fasthttp.RequestCtx, limit int64) *BodyReader {
	b := &BodyReader{ctx: ctx, limit: orElse(limit, defaultBody)}
	if b.from = ctx.RequestBodyStream(); b.from != nil {
		b.declared = int64(ctx.Request.Header.ContentLength())
		return b
	}
	whole := ctx.Request.Body() // a server that does not stream has it
	b.from, b.declared = bytes.NewReader(whole), int64(len(whole))
	return b
}

// Read implements io.Reader.
func (b *BodyReader) Read(p []byte) (int, error) {
	if b.declared > b.limit {
		return 0, refuse(b.ctx, ErrTooLarge)
	}
	if b.declared >= 0 {
		p = p[:min(int64(len(p)), b.declared-b.read)]
	}
	n, err := b.from.Read(p)
	b.read += int64(n)
	switch {
	case b.read > b.limit:
		return 0, refuse(b.ctx, ErrTooLarge)
	case err == io.EOF && (b.declared < 0 || b.read == b.declared):
		return n, io.EOF
	case err == io.EOF:
		return 0, refuse(b.ctx, fmt.Errorf("read body: %w", io.ErrUnexpectedEOF))
	case err != nil:
		return 0, refuse(b.ctx, fmt.Errorf("read body: %w", err))
	}
	if now := time.Now(); b.read != b.declared && b.deadline.Sub(now) < bodyPause/2 {
		b.deadline = now.Add(bodyPause)
		b.ctx.SetReadDeadline(b.deadline)
	}
	return n, nil
}

// refuse closes the connection after the answer and passes err through.
func refuse(ctx *fasthttp.RequestCtx, err error) error {
	ctx.SetConnectionClose()
	lingering(ctx.Conn())
	return err
}

// Bytes views a body as the bytes that Call.Body wants, without a copy. They must not be written to.
func Bytes(body string) []byte {
	if body == "" {
		return []byte{}
	}
	return unsafe.Slice(unsafe.StringData(body), len(body))
}

// DecodeBody undoes one content coding (gzip, br, deflate, zstd; "" and identity are none), so that a body can be read.
// More than limit bytes give ErrTooLarge, a coding it does not know or several of them ErrEncoding.
func DecodeBody(body, encoding string, limit int64) (string, error) {
	encoding = strings.ToLower(strings.TrimSpace(encoding))
	switch encoding {
	case "", "identity":
		return body, nil
	case "x-gzip":
		encoding = "gzip"
	case "gzip", "br", "deflate", "zstd":
	default:
		return "", ErrEncoding
	}
	var req fasthttp.Request
	req.Header.SetContentEncoding(encoding)
	req.SetBodyRaw(Bytes(body))
	plain, err := req.BodyUncompressedWithLimit(int(orElse(limit, defaultBody)))
	switch {
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		return "", ErrTooLarge
	case err != nil:
		return "", fmt.Errorf("decode body: broken %s data", encoding)
	}
	return string(bytes.Clone(plain)), nil
}
