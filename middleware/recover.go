package middleware

import (
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/valyala/fasthttp"
)

// Recover answers 500 where a handler panics: fasthttp itself would let the process die. What panicked is logged
// by its type and place, never by its text, which may quote a message.
func Recover(log *slog.Logger) Middleware {
	return func(next fasthttp.RequestHandler) fasthttp.RequestHandler {
		return func(ctx *fasthttp.RequestCtx) {
			defer func() {
				if p := recover(); p != nil {
					log.Error("handler panicked", "type", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
					ctx.Response.Reset()
					ctx.SetConnectionClose()
					ctx.SetStatusCode(fasthttp.StatusInternalServerError)
					ctx.SetContentType("application/json")
					ctx.SetBodyString(`{"error":{"message":"recap: internal error","type":"api_error","param":null,"code":null}}`)
				}
			}()
			next(ctx)
		}
	}
}
