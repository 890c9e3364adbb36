package proxy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strings"
	"time"
	"unsafe"

	"github.com/valyala/fasthttp"
)

// ErrTooLarge is ReadBodyInto's and DecodeBody's error for more bytes than allowed.
var ErrTooLarge = errors.New("read body: longer than the limit (limits.body)")

// ErrEncoding is DecodeBody's error for a coding it does not know.
var ErrEncoding = errors.New("decode body: unknown content encoding")

const (
	// firstGrab bounds what is set aside on the word of a Content-Length alone.
	firstGrab = 1 << 20
	// bodyPause is how long a client may pause within a request body that is read into memory.
	bodyPause = time.Minute
)

// ReadBodyInto reads the request's body once, into space where a body of the declared length fits, and else into memory
// of its own, whose capacity is the caller's too: nobody else has it, and it stays valid after the handler has returned.
// It is what the client sent, still encoded if it was (see DecodeBody). A body longer than limit bytes (64 MiB where limit
// is not positive) gives ErrTooLarge, without reading it where Content-Length says so; the connection then closes after
// the answer, in a way that lets the client read it. Other errors mean that the client stopped in the middle. After an
// error the request cannot be relayed any more.
func ReadBodyInto(ctx *fasthttp.RequestCtx, limit int64, space []byte) ([]byte, error) {
	limit = orElse(limit, defaultBody)
	stream := ctx.RequestBodyStream()
	if stream == nil {
		if body := ctx.Request.Body(); int64(len(body)) <= limit {
			return append(space[:0], body...), nil
		}
		return nil, refuse(ctx, ErrTooLarge)
	}
	declared := int64(ctx.Request.Header.ContentLength())
	if declared > limit {
		return nil, refuse(ctx, ErrTooLarge)
	}
	buf := space[:0]
	if declared < 0 || int64(cap(buf)) < max(declared, 1) {
		buf = unwritten(firstCap(declared))
	}
	var deadline time.Time
	for {
		room := buf[len(buf):cap(buf)]
		if declared >= 0 {
			room = room[:min(int64(len(room)), declared-int64(len(buf)))]
		}
		n, err := stream.Read(room)
		buf = buf[:len(buf)+n]
		switch {
		case int64(len(buf)) > limit:
			return nil, refuse(ctx, ErrTooLarge)
		case err == io.EOF && (declared < 0 || int64(len(buf)) == declared):
			return buf, nil
		case err == io.EOF:
			return nil, refuse(ctx, fmt.Errorf("read body: %w", io.ErrUnexpectedEOF))
		case err != nil:
			return nil, refuse(ctx, fmt.Errorf("read body: %w", err))
		case int64(len(buf)) == declared:
			continue // the next read says EOF and touches nothing
		}
		if len(buf) == cap(buf) {
			buf = grown(buf, declared)
		}
		if now := time.Now(); deadline.Sub(now) < bodyPause/2 {
			deadline = now.Add(bodyPause)
			ctx.SetReadDeadline(deadline)
		}
	}
}

// firstCap is the first size of the buffer. A chunked body has room for one byte over what it holds, so that a full
// buffer is never taken for the end.
func firstCap(declared int64) int64 {
	if declared < 0 {
		return uploadBuffer
	}
	return roomy(max(min(declared, firstGrab), 1))
}

// roomy is a size with some room, so that the memory of a body fits the next ones of its chat. What is not written to costs
// address space alone.
func roomy(size int64) int64 {
	step := int64(1) << max(bits.Len64(uint64(size))-2, 10)
	return (size + step) / step * step
}

// grown makes room: at once for all that was declared, now that the client has shown that it means it.
func grown(buf []byte, declared int64) []byte {
	size := int64(2 * cap(buf))
	if declared > 0 {
		size = roomy(declared)
	}
	return append(unwritten(size), buf...)
}

// unwritten makes an empty slice of a capacity without clearing its memory, which for a long body costs as much as a
// tenth of reading it. Only strings.Builder gives such memory away. What has not been read into is never looked at.
func unwritten(size int64) []byte {
	var b strings.Builder
	b.Grow(int(size))
	b.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(b.String()), size)[:0]
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
