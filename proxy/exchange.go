package proxy

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"
)

// Call is one relay of a request to an upstream. The functions run on the request's goroutine or, Ended, on the one
// that writes the answer; a panic in any of them is contained and costs only its own effect.
type Call struct {
	// Upstream is the Name of one of the upstreams.
	Upstream string
	// Body is sent instead of the client's body, with one Content-Length; nil streams the client's own body on, which
	// then must not have been read. It is read until Relay returns and never written to.
	Body []byte
	// Header may change the headers before they go to the client, those of the proxy's own errors too.
	Header func(h *fasthttp.ResponseHeader, status int)
	// Tap sees the answer's bytes, as the upstream sent them, after they were handed to the client. It must not keep the
	// slice. After an error of its own it sees no more.
	Tap io.Writer
	// Retry is asked once, where Body is set, when the answer is a JSON error of at most 64 KiB and nothing has gone to the client. If ok,
	// next is sent in its place; else the answer is relayed as it is. body is decoded if it was compressed.
	Retry func(status int, body []byte) (next []byte, ok bool)
	// Early makes Retry be asked about a 200 as well, where its body begins as an error and ends soon: so long, at the
	// most, its headers are held back for the first bytes. Zero passes on the headers at once.
	Early time.Duration
	// Ended is called exactly once, after the last byte was handed to the client or when the exchange has failed.
	Ended func(Outcome)
	// ErrorBody shapes the proxy's own errors; nil gives {"error":{"message","type","code"}}.
	ErrorBody func(status int, code, message string) []byte
}

// Outcome is how an exchange went. It has no name of its own, so that a package that must not import this one can write
// down the same type: a function that takes the one takes the other.
type Outcome = struct {
	Status     int  // what the client got; 499 where it left before the headers
	Complete   bool // the upstream's answer reached its end and was written
	ClientGone bool
	Err        error // nil where Complete
	FirstByte  time.Duration
	Total      time.Duration
	Bytes      int64 // of the answer's body, as written to the client
}

// exchange is one request and its answer, from Relay to Ended.
type exchange struct {
	client  *Client
	up      *upstream
	call    Call
	peer    net.Conn        // the client's connection; nil in handlers without one
	raw     syscall.RawConn // of peer
	place   int             // in the watch
	met     bool            // the watch has had it in its hands
	seen    bool            // the watch has looked once
	slot    bool            // holds one of Limits.Concurrent
	start   time.Duration   // by the client's clock; 0 where nobody hears how long it took
	resent  bool            // the request has gone out a second time
	early   bool            // the upstream stopped reading before it had the whole request
	outcome Outcome         // filled on the way, by the goroutine that has the exchange
	first   body            // memory for the answer's body
	parts   [2][]byte       // of a request, and
	pieces  net.Buffers     // what is left of them

	moved atomic.Int64 // the watch's clock when a byte last moved
	phase atomic.Int32 // what it waits for: says how long nothing may move

	mu    sync.Mutex
	link  *link
	abort context.CancelFunc // ends a dial or the wait in the queue
	cause error              // why the exchange was cut
	ended bool
	free  bool // ended, and the watch never met it
}

// exchanges keeps those that are over for the next ones.
var exchanges = sync.Pool{New: func() any { return new(exchange) }}

func newExchange(c *Client, call Call) *exchange {
	ex := exchanges.Get().(*exchange)
	ex.client, ex.up, ex.call, ex.place = c, c.byName[call.Upstream], call, -1
	if call.Ended != nil {
		ex.start = c.clock.now()
	}
	return ex
}

// recycle is the last thing that happens to an exchange that nobody else knows.
func (ex *exchange) recycle() {
	if ex.free {
		*ex = exchange{}
		exchanges.Put(ex)
	}
}

// touch notes that something moved.
func (ex *exchange) touch() { ex.moved.Store(ex.client.watch.now()) }

const (
	awaited   int32 = iota // an answer; or a place, or a connection, which have limits of their own
	sending                // the request is on its way
	answered               // the client takes the headers, and then what there is of the body
	listening              // the upstream has to say more of the answer
)

// enters begins a phase. The clock goes first: the watch must not hold the time of the last phase against this one.
func (ex *exchange) enters(phase int32) {
	ex.touch()
	ex.phase.Store(phase)
}

// turn says whose move it is once the headers have gone out, the upstream's (listening) or the client's (answered).
func (ex *exchange) turn(phase int32) {
	if ex.phase.Load() >= answered {
		ex.enters(phase)
	}
}

// patience is how long nothing may move, and what to call it if nothing does.
func (ex *exchange) patience() (time.Duration, error) {
	switch ex.phase.Load() {
	case awaited:
		return ex.up.times.FirstByte, errFirstByte
	case answered:
		return ex.client.stall, errStalled
	}
	return ex.up.times.Idle, errIdle
}

// since reads the clock: the time from the start of the exchange.
func (ex *exchange) since() time.Duration { return ex.client.clock.now() - ex.start }

// look is the watch's visit.
func (ex *exchange) look(now int64) {
	if limit, late := ex.patience(); now-ex.moved.Load() > int64(limit) {
		ex.cut(late)
		return
	}
	if ex.seen && gone(ex.raw) {
		ex.cut(ErrClientGone)
	}
	ex.seen = true
}

// cut ends the exchange from outside: whoever is blocked on one of its connections gets an error.
func (ex *exchange) cut(cause error) {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if ex.ended || ex.cause != nil {
		return
	}
	ex.cause = cause
	if ex.link != nil {
		ex.link.under.Close() // not TLS's own Close, which may wait
	}
	if ex.abort != nil {
		ex.abort()
	}
	if ex.peer == nil {
		return
	}
	past := time.Unix(1, 0)
	ex.peer.SetReadDeadline(past)    // an upload that waits for its client
	if ex.phase.Load() >= answered { // no error can be told any more
		ex.peer.SetWriteDeadline(past) // a client that takes nothing
	}
}

// hold makes l the exchange's link. It fails, and closes l, where the exchange has been cut meanwhile.
func (ex *exchange) hold(l *link) error {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if ex.cause != nil {
		l.close()
		return ex.cause
	}
	ex.link = l
	return nil
}

// drop takes the link from the exchange: keep gives it back for other requests, else it is closed.
func (ex *exchange) drop(keep bool) {
	ex.mu.Lock()
	l, cut := ex.link, ex.cause != nil
	ex.link = nil
	ex.mu.Unlock()
	switch {
	case l == nil:
	case keep && !cut:
		ex.up.pool.put(l, time.Duration(ex.client.watch.now()))
	default:
		l.close()
	}
}

// dialing makes cut reach a dial or a wait until the returned function is called.
func (ex *exchange) dialing() (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ex.mu.Lock()
	ex.abort = cancel
	if ex.cause != nil {
		cancel()
	}
	ex.mu.Unlock()
	return ctx, func() {
		ex.mu.Lock()
		ex.abort = nil
		ex.mu.Unlock()
		cancel()
	}
}

// why returns the reason of a cut in place of the error it led to.
func (ex *exchange) why(err error) error {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if ex.cause != nil {
		return ex.cause
	}
	return err
}

// end closes the exchange and reports it, once.
func (ex *exchange) end(complete bool, err error) {
	ex.mu.Lock()
	if ex.ended {
		ex.mu.Unlock()
		return
	}
	ex.ended = true
	if ex.cause != nil && !complete {
		err = ex.cause
	}
	ex.mu.Unlock()
	ex.free = ex.client.watch.remove(ex)
	if ex.link != nil { // what could be kept has been given back before
		ex.drop(false)
	}
	if ex.slot {
		<-ex.client.slots
	}
	ex.outcome.Complete = complete
	ex.outcome.Err = err
	ex.outcome.ClientGone = errors.Is(err, ErrClientGone)
	if ex.call.Ended != nil {
		ex.outcome.Total = ex.since()
		contain(func() { ex.call.Ended(ex.outcome) })
	}
}

// Close ends an exchange whose answer is no stream; fasthttp calls it when the answer has been written.
func (ex *exchange) Close() error {
	ex.end(ex.outcome.Err == nil, ex.outcome.Err)
	ex.recycle()
	return nil
}

// contain runs f and swallows a panic in it: a fault of an observer must not cost the client its answer.
func contain(f func()) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	f()
	return true
}
