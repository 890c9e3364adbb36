package proxy

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// Client relays requests to its upstreams. Its methods may be used from many goroutines.
type Client struct {
	limits Limits
	wait   time.Duration
	stall  time.Duration // clientStall
	byName map[string]*upstream
	slots  chan struct{} // nil: no limit
	clock  clock
	watch  *watch
	once   sync.Once
}

// upstream is one inference service with its connections.
type upstream struct {
	base   string
	target target
	times  Timeouts
	pool   *pool
}

// New checks the upstreams and makes a Client for them; nothing is dialled yet. Errors name the upstream and the key.
// The Client must be closed.
func New(ups []Upstream, o Options) (*Client, error) {
	c := &Client{
		limits: o.Limits, wait: orElse(o.Wait, defaultWait), stall: clientStall,
		clock:  clock{time.Now()},
		byName: make(map[string]*upstream, len(ups)),
	}
	c.limits.Header = orElse(o.Limits.Header, defaultHeader)
	if o.Limits.Concurrent > 0 {
		c.slots = make(chan struct{}, o.Limits.Concurrent)
	}
	for _, up := range ups {
		if _, twice := c.byName[up.Name]; twice {
			return nil, fmt.Errorf("upstream %q: name is there twice", up.Name)
		}
		built, err := newUpstream(up, o)
		if err != nil {
			return nil, err
		}
		built.pool.clock = c.clock
		c.byName[up.Name] = built
	}
	c.watch = startWatch(c.clock)
	return c, nil
}

func newUpstream(up Upstream, o Options) (*upstream, error) {
	u, err := parseBase(up)
	if err != nil {
		return nil, err
	}
	if strings.ContainsAny(up.APIKey, "\r\n\x00") {
		return nil, fmt.Errorf("upstream %q: apiKey holds a line end", up.Name)
	}
	times := up.Timeouts.withDefaults()
	d, err := newDialer(up, u, times.Connect)
	if err != nil {
		return nil, err
	}
	keep := plainIdleConn
	if d.tls != nil {
		keep = tlsIdleConn
	}
	origin := url.URL{Scheme: u.Scheme, Host: u.Host}
	prefix := strings.TrimRight(u.EscapedPath(), "/")
	return &upstream{
		base:   origin.String() + prefix,
		target: target{host: u.Host, prefix: prefix, key: up.APIKey},
		times:  times,
		pool:   &pool{dial: d.dial, keep: orElse(o.IdleConn, keep)},
	}, nil
}

// Close closes unused connections and cuts the exchanges that are still open. It may be called twice.
func (c *Client) Close() error {
	c.once.Do(func() {
		c.watch.close()
		for _, up := range c.byName {
			up.pool.close()
		}
	})
	return nil
}

// URL returns where a path (with its query) leads at an upstream, by the rule of Join.
func (c *Client) URL(upstream, pathAndQuery string) (string, error) {
	up, ok := c.byName[upstream]
	if !ok {
		return "", fmt.Errorf("upstream %q: %w", upstream, errUnknown)
	}
	return Join(up.base, pathAndQuery), nil
}

var (
	errUnknown = errors.New("no such upstream")
	errPanic   = errors.New("relay: panic")
)

// Relay sends ctx's request to an upstream and makes the answer ctx's response. It returns when the headers of the
// answer have arrived; the body streams when the handler has returned. What was set on ctx.Response before is lost:
// use Call.Header. A relay that fails leaves an error in the response, never none.
func (c *Client) Relay(ctx *fasthttp.RequestCtx, call Call) {
	ex := newExchange(c, call)
	if ex.up == nil {
		ex.fail(ctx, errUnknown)
		return
	}
	ex.peer = ctx.Conn()
	ex.raw = rawOf(ex.peer)
	if ex.call.Body == nil && ctx.Request.IsBodyStream() && ctx.Request.Header.ContentLength() != 0 {
		unlimited(ctx) // the watch bounds the pauses of an upload, not its length
	}
	c.watch.add(ex)
	defer func() {
		if r := recover(); r != nil {
			ex.end(false, errPanic)
			panic(r) // somebody above logs it
		}
	}()
	if err := ex.run(ctx); err != nil {
		ex.fail(ctx, err)
	}
}

// enter waits for one of Limits.Concurrent places.
func (ex *exchange) enter() error {
	if ex.client.slots == nil {
		return nil
	}
	select {
	case ex.client.slots <- struct{}{}:
		ex.slot = true
		return nil
	default:
	}
	ctx, done := ex.dialing()
	defer done()
	timer := time.NewTimer(ex.client.wait)
	defer timer.Stop()
	select {
	case ex.client.slots <- struct{}{}:
		ex.slot = true
		return nil
	case <-timer.C:
		return errQueue
	case <-ctx.Done():
		return ex.why(errQueue)
	}
}
