package middleware

import (
	"crypto/rand"
	"encoding/hex"

	"github.com/valyala/fasthttp"
)

type contextKey struct{ name string }

var requestIDKey = contextKey{"request id"}

const maxRequestID = 128

// RequestID gives each request a name for the log and the events: the client's X-Request-Id where it is printable and
// short, else a random one. Nothing is added to what goes upstream (promise P1).
func RequestID() Middleware {
	return func(next fasthttp.RequestHandler) fasthttp.RequestHandler {
		return func(ctx *fasthttp.RequestCtx) {
			id := string(ctx.Request.Header.Peek("X-Request-Id"))
			if !label(id, maxRequestID) {
				id = newRequestID()
			}
			ctx.SetUserValue(requestIDKey, id)
			next(ctx)
		}
	}
}

// RequestIDOf returns the name that RequestID gave, "" where it did not run.
func RequestIDOf(ctx *fasthttp.RequestCtx) string {
	id, _ := ctx.UserValue(requestIDKey).(string)
	return id
}

func newRequestID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	return hex.EncodeToString(b[:])
}

// label reports whether text is printable ASCII of 1 to limit characters.
func label(text string, limit int) bool {
	if text == "" || len(text) > limit {
		return false
	}
	for i := range len(text) {
		if text[i] < 0x20 || text[i] > 0x7e {
			return false
		}
	}
	return true
}
