// Package dashboard is the admin listener: health, metrics, events and the API over checkpoints and sessions. It is a
// listener of its own, so that nothing of the upstream's path space is hidden. It has no pages to look at: GET / lists
// in text what there is.
package dashboard

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"recap/cache"
	"recap/stats"
)

// Options says what the listener shows. Store and Stats are needed, the rest may be absent.
type Options struct {
	Token   string // "" = none; then only loopback names are answered to
	Version string
	Store   cache.Store
	Stats   *stats.Stats

	// Ready returns why the proxy cannot serve, empty = it can. It must not wait.
	Ready func() []string
	// Explain says what would be done to a chat request. What it returns is sent as JSON, its error with status 400.
	Explain func(context.Context, Question) (any, error)
	// Measure returns the size of a text in tokens, by the fixed measure. Without it texts cannot be edited.
	Measure func(string) int

	Heartbeat time.Duration // between comments on a silent event stream; 0 = 15 s
	MaxBody   int           // bytes; 0 = 64 MiB
}

// Question is a chat request to be explained.
type Question struct {
	Path   string // of the chat API, with its query; "" = not said
	Body   string
	Header *fasthttp.RequestHeader // of the request, without what let it in here
}

// Admin is the listener.
type Admin struct {
	o        Options
	server   *fasthttp.Server
	ctx      context.Context // ends with Shutdown; event streams hang on it
	quit     context.CancelFunc
	draining atomic.Bool
}

// New returns an Admin that does not serve yet.
func New(o Options) *Admin {
	if o.Heartbeat <= 0 {
		o.Heartbeat = 15 * time.Second
	}
	if o.MaxBody <= 0 {
		o.MaxBody = 64 << 20
	}
	a := &Admin{o: o}
	a.ctx, a.quit = context.WithCancel(context.Background())
	a.server = &fasthttp.Server{
		Handler:               a.Handler(),
		ErrorHandler:          malformed,
		ReadBufferSize:        32 << 10, // the limit of the headers too
		MaxRequestBodySize:    o.MaxBody,
		ReadTimeout:           time.Minute, // of one request; writing has no limit, for event streams
		IdleTimeout:           2 * time.Minute,
		NoDefaultServerHeader: true,
		Logger:                silent{}, // what it would log holds what clients sent
	}
	return a
}

// silent drops what fasthttp has to say.
type silent struct{}

func (silent) Printf(string, ...any) {}

// Serve answers on ln until Shutdown. It returns nil then.
func (a *Admin) Serve(ln net.Listener) error { return a.server.Serve(ln) }

// Drain makes /readyz say no. Everything else goes on.
func (a *Admin) Drain() { a.draining.Store(true) }

// Shutdown ends event streams, lets other requests finish and closes the listener; it waits no longer than ctx.
func (a *Admin) Shutdown(ctx context.Context) error {
	a.Drain()
	a.quit()
	err := a.server.ShutdownWithContext(ctx)
	if errors.Is(err, net.ErrClosed) { // the caller closed the listener first
		err = nil
	}
	return err
}

// Handler returns what answers requests, for a server of the caller's. It never panics.
func (a *Admin) Handler() fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		defer func() {
			if recover() != nil { // fasthttp would end the process
				a.o.Stats.Panic()
				ctx.Response.Reset()
				fail(ctx, 500, "internal", "the request could not be answered")
			}
		}()
		a.route(ctx)
	}
}

// malformed answers what is no request.
func malformed(ctx *fasthttp.RequestCtx, err error) {
	var small *fasthttp.ErrSmallBuffer
	switch {
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		fail(ctx, 413, "too-large", "the body is too large")
	case errors.As(err, &small):
		fail(ctx, 431, "too-large", "the headers are too large")
	default:
		fail(ctx, 400, "bad-request", "this is no HTTP request")
	}
}
