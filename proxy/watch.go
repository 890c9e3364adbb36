package proxy

import (
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// arrival is what peek found on a connection.
type arrival uint8

const (
	nothing      arrival = iota // open and silent
	bytesWaiting                // bytes that nobody has read
	hungUp                      // the peer has closed its side, or the connection is broken
)

// tick is how often the watch looks. A client that left is noticed at the second look at the latest, so a request that
// is over within a tick costs no system call.
const tick = 100 * time.Millisecond

// watch looks after the open exchanges of a Client: it cuts those whose client has gone or whose time is up. It sleeps
// while there are none.
type watch struct {
	mu    sync.Mutex
	open  []*exchange
	idle  bool
	wake  chan struct{}
	stop  chan struct{}
	done  chan struct{}
	exact clock
	clock atomic.Int64 // of exact, good to one tick
}

// clock counts from its beginning: half the price of time.Now, which asks for the date as well.
type clock struct{ begin time.Time }

func (c clock) now() time.Duration { return time.Since(c.begin) }

func startWatch(exact clock) *watch {
	w := &watch{
		idle: true, exact: exact,
		wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	go w.run()
	return w
}

// now is cheap and coarse.
func (w *watch) now() int64 { return w.clock.Load() }

func (w *watch) add(ex *exchange) {
	w.mu.Lock()
	wake := w.idle
	if wake {
		w.idle = false
		w.clock.Store(int64(w.exact.now()))
	}
	ex.place = len(w.open)
	w.open = append(w.open, ex)
	ex.moved.Store(w.now())
	w.mu.Unlock()
	if wake {
		w.wake <- struct{}{} // has room: only the one that ends the idle time sends
	}
}

// remove reports whether ex is nobody else's now: a watch that has met it may still look at it.
func (w *watch) remove(ex *exchange) (free bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	last := len(w.open) - 1
	if ex.place < 0 || ex.place > last || w.open[ex.place] != ex {
		return false
	}
	w.open[ex.place] = w.open[last]
	w.open[ex.place].place = ex.place
	w.open[last] = nil
	w.open = w.open[:last]
	ex.place = -1
	return !ex.met
}

// all returns the open exchanges in buf's memory; with none it goes to sleep.
func (w *watch) all(buf []*exchange) []*exchange {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.idle = len(w.open) == 0
	for _, ex := range w.open {
		ex.met = true
	}
	return append(buf[:0], w.open...)
}

func (w *watch) run() {
	defer close(w.done)
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	var open []*exchange
	for {
		select {
		case <-w.stop:
			return
		case <-ticker.C:
		}
		w.clock.Store(int64(w.exact.now()))
		open = w.all(open)
		for i, ex := range open {
			contain(func() { ex.look(w.now()) })
			open[i] = nil
		}
		if len(open) > 0 {
			continue
		}
		ticker.Stop()
		select {
		case <-w.stop:
			return
		case <-w.wake:
			ticker.Reset(tick)
		}
	}
}

// close ends the watch; exchanges still open are cut.
func (w *watch) close() {
	close(w.stop)
	<-w.done
	for _, ex := range w.all(nil) {
		ex.cut(ErrClosed)
	}
}

// gone says whether the peer has left.
func gone(raw syscall.RawConn) bool { return raw != nil && peek(raw) == hungUp }
