// Package middleware holds what stands between the listener and the proxy, one file each: recover, access log, and
// the compactor, which is where chats are read, decided on and rewritten.
//
//	client ─▶ Recover ─▶ AccessLog ─▶ Compactor ─▶ relay ─▶ upstream
//
// HTTP-shaped concerns are middlewares; chat-shaped ones are steps of the one decision that compaction.Decide
// makes.
package middleware

import "github.com/valyala/fasthttp"

// Middleware wraps a handler.
type Middleware func(next fasthttp.RequestHandler) fasthttp.RequestHandler

// Chain wraps end in all of ms; the first one is the outermost. An empty chain is end itself.
func Chain(end fasthttp.RequestHandler, ms ...Middleware) fasthttp.RequestHandler {
	for i := len(ms) - 1; i >= 0; i-- {
		end = ms[i](end)
	}
	return end
}
