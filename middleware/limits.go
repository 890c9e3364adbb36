package middleware

import (
	"github.com/valyala/fasthttp"
)

// Limits lets at most concurrent requests into next at once and answers 503 with Retry-After to more; 0 means no
// limit. A stream counts until its answer has started.
func Limits(concurrent int) Middleware {
	return func(next fasthttp.RequestHandler) fasthttp.RequestHandler {
		if concurrent <= 0 {
			return next
		}
		slots := make(chan struct{}, concurrent)
		return func(ctx *fasthttp.RequestCtx) {
			select {
			case slots <- struct{}{}:
				defer func() { <-slots }()
				next(ctx)
			default:
				ctx.SetStatusCode(fasthttp.StatusServiceUnavailable)
				ctx.Response.Header.Set("Retry-After", "1")
				ctx.SetContentType("application/json")
				ctx.SetBodyString(`{"error":{"message":"recap: too many requests at once; see limits.concurrent",` +
					`"type":"api_error","param":null,"code":null}}`)
			}
		}
	}
}
