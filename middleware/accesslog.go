package middleware

import (
	"context"
	"log/slog"
	"time"

	"github.com/valyala/fasthttp"
)

// AccessLog writes one line per request when its handler returns; a stream is still running then, its end is told by
// the compactor's own line. Query strings are left out: some services carry keys in them. A log that does not write such
// lines is not asked about each.
func AccessLog(log *slog.Logger) Middleware {
	return func(next fasthttp.RequestHandler) fasthttp.RequestHandler {
		if !log.Enabled(context.Background(), slog.LevelDebug) {
			return next
		}
		return func(ctx *fasthttp.RequestCtx) {
			start := time.Now()
			method, path := string(ctx.Method()), string(ctx.Path())
			next(ctx)
			log.Debug("request", "id", RequestID(ctx), "method", method, "path", path,
				"status", ctx.Response.StatusCode(), "ms", time.Since(start).Milliseconds())
		}
	}
}
