// Package proxy carries requests to an upstream and answers back: fasthttp's wire code on both sides, and around it
// what a proxy for slow streams needs.
//
//	client ── Server ── handler (middleware) ── Client.Relay ── link ── upstream
//	             │                                   │
//	          conn: flushes fixed-size streams,   exchange: one request and its answer, watched until
//	          drains before it closes             the last byte; cut when the client leaves or time is up
//
// A request body is either the caller's bytes (one Content-Length) or the client's own, streamed on. An answer goes
// to the client as it arrives: headers at once, then whatever the upstream has sent, never more than one read late.
// Nothing is added to it and nothing is made up at its end: an upstream that dies in the middle leaves the client with
// a chunked body without its last chunk, or with fewer bytes than Content-Length said.
//
// Connections to an upstream are looked at before they are used again (an upstream may have closed them meanwhile), and
// a request goes out a second time only if not one byte of it had been written, or if it is a GET, HEAD or OPTIONS.
//
// One goroutine per Client, the watch, looks at every open exchange ten times a second: has the client gone, is the
// first byte overdue, is the upstream silent for too long, or has the client long taken nothing? So a request costs no
// timer and no goroutine of its own.
package proxy
