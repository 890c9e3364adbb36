package proxy

import (
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// readLimit is until when reads of a client's connection may wait. The connection's own timer is dear to set and is
// set several times for each request, nearly always to a later time. So it is left alone then: it goes off early, and
// the read that it ends goes on until the time that counts.
//
// The phase is apart from the lock: it changes with every request, and nearly always nothing else does.
type readLimit struct {
	phase atomic.Int64 // nanoseconds of a limit that begins with the next read; 0: none
	lax   atomic.Bool  // it may as well begin when the timer goes off
	armed atomic.Bool  // the timer is on

	mu    sync.Mutex
	until time.Time // zero: no limit
	timer time.Time // what the connection's timer is set to; zero: off
}

// begin starts a pending phase. It is called before each read.
func (l *readLimit) begin(c net.Conn) {
	if l.phase.Load() == 0 || l.lax.Load() && l.armed.Load() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.start(time.Now())
	l.arm(c)
}

// start makes a pending phase the limit.
func (l *readLimit) start(now time.Time) {
	if phase := l.phase.Swap(0); phase > 0 {
		l.until = now.Add(time.Duration(phase))
	}
}

// arm sets the timer where it would go off too late.
func (l *readLimit) arm(c net.Conn) error {
	if l.until.IsZero() || !l.timer.IsZero() && !l.until.Before(l.timer) {
		return nil
	}
	return l.wind(c)
}

// wind sets the timer to the limit.
func (l *readLimit) wind(c net.Conn) error {
	l.timer = l.until
	l.armed.Store(!l.timer.IsZero())
	return c.SetReadDeadline(l.until)
}

// early reports that the timer went off before the limit, and sets it anew.
func (l *readLimit) early(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.start(now)
	if !l.until.IsZero() && !now.Before(l.until) {
		return false
	}
	return l.wind(c) == nil
}

// next makes d the limit from the next read on. Where lax, it may be longer by what the timer has left, and the clock
// need not be read.
func (l *readLimit) next(d time.Duration, lax bool) {
	l.lax.Store(lax)
	l.phase.Store(int64(d))
}

// set makes t the limit.
func (l *readLimit) set(c net.Conn, t time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.phase.Store(0)
	l.until = t
	return l.arm(c)
}

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) {
	if c.hasty && (c.raw == nil || peek(c.raw) == nothing) {
		return 0, nil // gather stops here
	}
	if c.head.stuck(p) {
		return 0, errBareLF
	}
	c.limit.begin(c.Conn)
	for {
		n, err := c.Conn.Read(p)
		if err == nil || n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) || !c.limit.early(c.Conn) {
			c.head.see(p[:n])
			return n, err
		}
	}
}

// SetReadDeadline implements net.Conn.
func (c *conn) SetReadDeadline(t time.Time) error { return c.limit.set(c.Conn, t) }

// SetDeadline implements net.Conn.
func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// phases gives a connection its limits: header for the first request's headers with the wait for them, and for those
// of a later request from their first byte on; keep for the wait in between. fasthttp would set the timer three times
// for each request.
func phases(header, keep time.Duration) func(net.Conn, fasthttp.ConnState) {
	return func(nc net.Conn, state fasthttp.ConnState) {
		c, ok := nc.(*conn)
		if !ok {
			return
		}
		switch state {
		case fasthttp.StateNew:
			c.limit.next(header, false)
			c.head.begin()
		case fasthttp.StateActive:
			c.head.goOn()
			if c.served {
				c.limit.next(header, false)
			}
			c.served = true
		case fasthttp.StateIdle:
			c.limit.next(keep, keep >= header)
			c.head.begin()
		}
	}
}

// unlimited takes the limit off a client's reads until its next request.
func unlimited(ctx *fasthttp.RequestCtx) {
	if own, ok := ctx.Conn().(*conn); ok {
		own.SetReadDeadline(time.Time{})
		return
	}
	ctx.SetReadDeadline(time.Time{})
}
