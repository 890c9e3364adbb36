package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"

	"github.com/valyala/fasthttp"
)

// failure is why an exchange got no answer from its upstream: what the client is told, and the cause for Outcome.Err.
// Its words name the upstream and the class of the cause; bytes that came from a peer are never in them.
type failure struct {
	status     int
	code       string // stable, for programs
	message    string
	retryAfter string // seconds, "" for none
	cause      error
}

// Error implements error.
func (f *failure) Error() string { return f.message }

// Unwrap gives the cause to errors.Is and errors.As.
func (f *failure) Unwrap() error { return f.cause }

var (
	// ErrClientGone is the error of an Outcome whose client left before the answer's end.
	ErrClientGone = errors.New("relay: client went away")
	// ErrClosed is the error of an Outcome that Client.Close cut.
	ErrClosed = errors.New("relay: proxy is shutting down")

	errFirstByte = errors.New("no answer in time")
	errIdle      = errors.New("nothing moved in time")
	errStalled   = fmt.Errorf("%w: took no byte for %s", ErrClientGone, clientStall)
	errQueue     = errors.New("too many requests at once")
	errStale     = errors.New("connection was closed while it was not used")
	errNoAnswer  = errors.New("connection closed before an answer")
	errBadAnswer = errors.New("not an HTTP answer")
	errBigHeader = errors.New("answer's headers too long")
	errUpgrade   = errors.New("upstream switched protocols unasked")
)

// dialError marks what went wrong before there was a connection.
type dialError struct{ error }

// Unwrap gives the cause to errors.Is and errors.As.
func (e dialError) Unwrap() error { return e.error }

// bodyError marks what went wrong while the client's own body was read.
type bodyError struct{ error }

// Unwrap gives the cause to errors.Is and errors.As.
func (e bodyError) Unwrap() error { return e.error }

// explain turns an error into what the client is told.
func explain(name string, t Timeouts, err error) *failure {
	say := func(status int, code, format string, args ...any) *failure {
		return &failure{
			status: status, code: code, cause: err,
			message: fmt.Sprintf("upstream %q: ", name) + fmt.Sprintf(format, args...),
		}
	}
	var dial dialError
	var body bodyError
	switch {
	case errors.As(err, &body):
		return &failure{status: 400, code: "request_body", message: "request body could not be read", cause: err}
	case errors.Is(err, errUnknown):
		return say(502, "unknown_upstream", "%s", errUnknown)
	case errors.Is(err, ErrClosed):
		return &failure{status: 503, code: "shutting_down", message: ErrClosed.Error(), cause: err, retryAfter: "1"}
	case errors.Is(err, errQueue):
		f := say(503, "proxy_busy", "too many requests at once (limits.concurrent)")
		f.retryAfter = "1"
		return f
	case errors.Is(err, errFirstByte):
		return say(504, "upstream_timeout", "no answer within %s (timeouts.firstByte)", t.FirstByte)
	case errors.Is(err, errIdle):
		return say(504, "upstream_timeout", "nothing moved for %s (timeouts.idle)", t.Idle)
	case errors.As(err, &dial):
		return explainDial(say, t, err)
	case errors.Is(err, errBigHeader):
		return say(502, "upstream_bad_answer", "answer's headers are longer than the limit (limits.header)")
	case errors.Is(err, errBadAnswer), errors.Is(err, errUpgrade), errors.Is(err, errChunk):
		return say(502, "upstream_bad_answer", "%s", err)
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return say(502, "upstream_closed", "connection reset before an answer")
	}
	return say(502, "upstream_closed", "%s", errNoAnswer)
}

type sayFunc func(status int, code, format string, args ...any) *failure

// explainDial names the class of a failed connect.
func explainDial(say sayFunc, t Timeouts, err error) *failure {
	var lookup *net.DNSError
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return say(502, "upstream_unreachable", "connection refused")
	case errors.As(err, &lookup) && lookup.IsNotFound:
		return say(502, "upstream_unreachable", "host name not found")
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return say(504, "upstream_timeout", "no connection within %s (timeouts.connect)", t.Connect)
	case errors.As(err, &lookup):
		return say(502, "upstream_unreachable", "host name lookup failed")
	case tlsCause(err) != "":
		return say(502, "upstream_tls", "TLS: %s", tlsCause(err))
	}
	return say(502, "upstream_unreachable", "no connection")
}

// tlsCause says what is wrong with a certificate or a handshake, and which knob mends it; "" where TLS is not the cause.
func tlsCause(err error) string {
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var host x509.HostnameError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var verify *tls.CertificateVerificationError
	switch {
	case errors.As(err, &unknown):
		return "certificate signed by an unknown authority (caFile)"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "certificate has expired or is not yet valid"
	case errors.As(err, &host):
		return "certificate is not valid for this host name"
	case errors.As(err, &record):
		return "the upstream does not speak TLS on this port"
	case errors.As(err, &invalid), errors.As(err, &verify):
		return "certificate is not valid"
	case errors.As(err, &alert):
		return "handshake refused"
	}
	return ""
}

// stoppedSending reports a client that closed its connection within its own request.
func stoppedSending(err error) bool {
	var body bodyError
	return errors.As(err, &body) && (errors.Is(err, io.ErrUnexpectedEOF) || isClosed(err))
}

// isClosed tells an orderly or abrupt close by the peer from everything else.
func isClosed(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// plainError is the error body where no dialect gave one.
func plainError(_ int, code, message string) []byte {
	body, err := json.Marshal(map[string]any{"error": map[string]string{"message": message, "type": "proxy_error", "code": code}})
	if err != nil { // three strings always marshal
		return []byte(`{"error":{"message":"internal error"}}`)
	}
	return body
}

// writeError makes ctx's response a JSON error. A nil shape gives the plain form.
func writeError(ctx *fasthttp.RequestCtx, f *failure, shape func(status int, code, message string) []byte) {
	if shape == nil {
		shape = plainError
	}
	body := shape(f.status, f.code, f.message)
	resp := &ctx.Response
	resp.Reset() // an answer that was read and then given up may still be in it
	resp.SetStatusCode(f.status)
	resp.Header.SetContentType("application/json")
	if f.retryAfter != "" {
		resp.Header.Set(fasthttp.HeaderRetryAfter, f.retryAfter)
	}
	resp.SetBody(body)
}
