package proxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/valyala/fasthttp"
)

// ServerOptions are the settings of a Server; the zero value is fine.
type ServerOptions struct {
	Limits Limits
	// HeaderTimeout bounds the time for a request's headers and the wait for the first request of a connection; 30 s.
	HeaderTimeout time.Duration
	// KeepAlive bounds the wait for the next request of a connection; 5 min.
	KeepAlive time.Duration
	// Refused, if set, hears of requests that were answered before the handler saw them, or instead of it: headers too
	// long (431), requests that cannot be read (400, 408), protocol switches (501), panics (500). It must not block.
	Refused func(remote net.Addr, status int, reason string)
}

const (
	defaultHeaderTimeout = 30 * time.Second
	defaultKeepAlive     = 5 * time.Minute
	// writeBuffer is the server's buffer for answers; an event and its chunk frame fit.
	writeBuffer = 8 << 10
)

// Server is fasthttp's server with the settings a proxy needs.
type Server struct {
	http    *fasthttp.Server
	conns   connSet
	refused func(remote net.Addr, status int, reason string)
}

// NewServer makes a server that gives requests to h. Bodies are streams (OpenBody, or a relay with Call.Body nil).
func NewServer(h fasthttp.RequestHandler, o ServerOptions) *Server {
	s := &Server{refused: o.Refused}
	if s.refused == nil {
		s.refused = func(net.Addr, int, string) {}
	}
	s.http = &fasthttp.Server{
		Handler:      s.guard(h),
		ErrorHandler: s.unreadable,
		Logger:       silent{},

		StreamRequestBody:            true,
		DisablePreParseMultipartForm: true,
		ReadBufferSize:               orElse(o.Limits.Header, defaultHeader),
		WriteBufferSize:              writeBuffer,
		ConnState:                    phases(orElse(o.HeaderTimeout, defaultHeaderTimeout), orElse(o.KeepAlive, defaultKeepAlive)),

		// An answer has the headers its upstream gave it, and no others.
		NoDefaultServerHeader: true,
		NoDefaultDate:         true,
		NoDefaultContentType:  true,
		SecureErrorLogMessage: true,
		LazyRequestTime:       true, // nobody asks for it
		CloseOnShutdown:       true,
	}
	return s
}

// silent keeps fasthttp from logging: what it would say may hold bytes of a request.
type silent struct{}

// Printf implements fasthttp.Logger.
func (silent) Printf(string, ...any) {}

// Listen opens an address: host:port, :port, [::]:port or unix:/path. A socket file that nobody listens on any more is
// replaced.
func Listen(addr string) (net.Listener, error) {
	path, isUnix := strings.CutPrefix(addr, "unix:")
	if !isUnix {
		ln, err := net.Listen("tcp", addr)
		if err != nil {
			return nil, fmt.Errorf("listen: %w", err)
		}
		return ln, nil
	}
	if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeSocket != 0 {
		if c, err := net.Dial("unix", path); err == nil {
			c.Close()
			return nil, fmt.Errorf("listen on %s: another process listens there", path)
		}
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("listen: remove old socket: %w", err)
		}
	}
	ln, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return ln, nil
}

// Serve answers the connections of ln until Shutdown, then returns nil. It may be called for several listeners.
func (s *Server) Serve(ln net.Listener) error {
	return s.http.Serve(listener{Listener: ln, set: &s.conns})
}

// Shutdown closes the listeners and waits for open answers to end. When ctx is over it cuts them, so that their clients
// can tell, and returns ctx's error.
func (s *Server) Shutdown(ctx context.Context) error {
	err := s.http.ShutdownWithContext(ctx)
	for !s.conns.empty() { // fasthttp does not wait for the connections of HTTP/1.0 streams
		select {
		case <-ctx.Done():
			s.conns.cut()
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	return err
}

// guard answers what must not reach a handler, and keeps a panic in it from ending the process.
func (s *Server) guard(h fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		defer func() {
			if recover() != nil {
				s.refuse(ctx, 500, "internal_error", "internal error")
			}
		}()
		head := &ctx.Request.Header
		switch {
		case head.ConnectionClose() && twoFramings(head.RawHeaders()):
			s.refuse(ctx, 400, "bad_request", "request has both Content-Length and Transfer-Encoding")
		case head.IsConnect():
			s.refuse(ctx, 501, "not_implemented", "CONNECT is not supported")
		case wantsWebSocket(head):
			s.refuse(ctx, 501, "not_implemented", "WebSocket is not supported: use HTTP streaming")
		default:
			h(ctx)
		}
	}
}

func (s *Server) refuse(ctx *fasthttp.RequestCtx, status int, code, message string) {
	writeError(ctx, &failure{status: status, code: code, message: message}, nil)
	ctx.SetConnectionClose()
	lingering(ctx.Conn())
	s.refused(ctx.RemoteAddr(), status, message)
}

// unreadable answers requests that fasthttp could not read.
func (s *Server) unreadable(ctx *fasthttp.RequestCtx, err error) {
	var small *fasthttp.ErrSmallBuffer
	var timeout net.Error
	switch {
	case errors.As(err, &small):
		s.refuse(ctx, 431, "header_too_large", "request headers are longer than the limit (limits.header)")
	case errors.Is(err, errBareLF):
		s.refuse(ctx, 400, "bad_request", errBareLF.Error())
	case errors.As(err, &timeout) && timeout.Timeout():
		s.refuse(ctx, 408, "request_timeout", "request headers did not arrive in time")
	default:
		s.refuse(ctx, 400, "bad_request", "request is not valid HTTP")
	}
}

// twoFramings finds Content-Length beside Transfer-Encoding, a way to smuggle a second request past a proxy.
func twoFramings(raw []byte) bool {
	return headerLine(raw, "content-length") && headerLine(raw, "transfer-encoding")
}

// headerLine reports whether a raw header block has a line of that name.
func headerLine(raw []byte, lower string) bool {
	for len(raw) > 0 {
		var line []byte
		line, raw, _ = bytes.Cut(raw, []byte("\n"))
		if len(line) > len(lower) && equalFold(line[:len(lower)], lower) && line[len(lower)] == ':' {
			return true
		}
	}
	return false
}

// wantsWebSocket is about the one protocol switch that clients insist on, always with a GET. Others (h2c, which Java's client offers with
// every first request) may be ignored by a server, and are.
func wantsWebSocket(h *fasthttp.RequestHeader) bool {
	if !h.IsGet() || !h.ConnectionUpgrade() {
		return false
	}
	return strings.Contains(strings.ToLower(string(h.Peek(fasthttp.HeaderUpgrade))), "websocket")
}
