package middleware

import (
	"crypto/rand"
	"encoding/hex"
	"strconv"

	"github.com/valyala/fasthttp"
)

const maxRequestID = 128

// processID keeps the ids of two processes apart.
var processID = func() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	return hex.EncodeToString(b[:])
}()

// RequestID names a request in the log and the events: the client's X-Request-Id where it is printable and short, else
// one of our own. Nothing is added to what goes upstream (promise P1).
func RequestID(ctx *fasthttp.RequestCtx) string {
	return requestID(ctx.Request.Header.Peek("X-Request-Id"), ctx.ID())
}

func requestID(given []byte, number uint64) string {
	if label(given, maxRequestID) {
		return string(given)
	}
	var space [32]byte
	return string(strconv.AppendUint(append(append(space[:0], processID...), '-'), number, 36))
}

// label reports whether text is printable ASCII of 1 to limit characters.
func label(text []byte, limit int) bool {
	if len(text) == 0 || len(text) > limit {
		return false
	}
	for _, c := range text {
		if c < 0x20 || c > 0x7e {
			return false
		}
	}
	return true
}
