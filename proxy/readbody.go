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

// ErrTooLarge is ReadBody's and DecodeBody's error for more bytes than allowed.
var ErrTooLarge = errors.New("read body: longer than the limit (limits.body)")

// ErrEncoding is DecodeBody's error for a coding it does not know.
var ErrEncoding = errors.New("decode body: unknown content encoding")

const (
	// firstGrab bounds what is set aside on the word of a Content-Length alone.
	firstGrab = 1 << 20
	// bodyPause is how long a client may pause within a request body that is read into memory.
	bodyPause = time.Minute
)

// ReadBody reads the request's body once, into one buffer that nobody else has: the string stays valid after the
// handler has returned. It is what the client sent, still encoded if it was (see DecodeBody). A body longer than limit
// bytes (64 MiB where limit is not positive) gives ErrTooLarge, without reading it where Content-Length says so; the
// connection then closes after the answer, in a way that lets the client read it. Other errors mean that the client
// stopped in the middle. After an error the request cannot be relayed any more.
func ReadBody(ctx *fasthttp.RequestCtx, limit int64) (string, error) {
	limit = orElse(limit, defaultBody)
	stream := ctx.RequestBodyStream()
	if stream == nil {
		if body := ctx.Request.Body(); int64(len(body)) <= limit {
			return string(body), nil
		}
		return "", refuse(ctx, ErrTooLarge)
	}
	declared := int64(ctx.Request.Header.ContentLength())
	if declared > limit {
		return "", refuse(ctx, ErrTooLarge)
	}
	buf := unwritten(firstCap(declared))
	var deadline time.Time
	for {
		n, err := stream.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case int64(len(buf)) > limit:
			return "", refuse(ctx, ErrTooLarge)
		case err == io.EOF && (declared < 0 || int64(len(buf)) == declared):
			return unsafe.String(unsafe.SliceData(buf), len(buf)), nil
		case err == io.EOF:
			return "", refuse(ctx, fmt.Errorf("read body: %w", io.ErrUnexpectedEOF))
		case err != nil:
			return "", refuse(ctx, fmt.Errorf("read body: %w", err))
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
	return max(min(declared, firstGrab), 1)
}

// grown makes room: at once for all that was declared, now that the client has shown that it means it.
func grown(buf []byte, declared int64) []byte {
	size := int64(2 * cap(buf))
	if declared > 0 {
		size = declared
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
