package proxy

import (
	"bufio"
	"context"
	"crypto/tls"
	"net"
	"sync"
	"syscall"
	"time"
)

// readBuffer is what a connection reads ahead. A longer header block gets a larger buffer, only then (link.grow).
const readBuffer = 8 << 10

// link is one connection to an upstream. One exchange has it at a time.
type link struct {
	net.Conn
	under  net.Conn        // the TCP connection, under TLS too
	raw    syscall.RawConn // of under; nil where there is none
	br     *bufio.Reader   // reads from the link itself
	head   headEnd         // of the answer at hand
	small  *bufio.Reader   // the buffer of the usual size, while br is a larger one on top of it
	reused bool
	since  time.Duration // unused since, by the watch's clock: good to a tick
	told   told
	visit  func(fd uintptr) bool // atDescriptor, bound once
}

// pool keeps the unused links of one upstream, the latest used on top.
type pool struct {
	dial  func(context.Context) (net.Conn, error)
	keep  time.Duration
	clock clock

	mu     sync.Mutex
	unused []*link
	closed bool
	timer  *time.Timer
}

var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, readBuffer) }}

func newLink(conn net.Conn) *link {
	l := &link{Conn: conn, under: conn, br: readers.Get().(*bufio.Reader)}
	l.br.Reset(l)
	if secure, ok := conn.(*tls.Conn); ok {
		l.under = secure.NetConn()
	}
	l.raw = rawOf(l.under)
	l.visit = l.atDescriptor
	return l
}

// Read implements net.Conn.
func (l *link) Read(p []byte) (int, error) {
	if l.head.stuck(p) {
		return 0, errBareLF
	}
	n, err := l.Conn.Read(p)
	l.head.see(p[:n])
	return n, err
}

// fit reports whether an unused link can carry another request: nothing may have arrived on it meanwhile, neither the
// upstream's goodbye nor bytes that belong to no request.
func (l *link) fit() bool { return l.raw == nil || peek(l.raw) == nothing }

// grow gives the link a buffer of size bytes; what has been read stays in it.
func (l *link) grow(size int) {
	l.head.look() // the block goes on in other memory
	l.small = l.br
	l.br = bufio.NewReaderSize(l.br, size)
}

// close closes the connection and keeps the buffer. Nobody may read from the link any more.
func (l *link) close() {
	l.Conn.Close()
	if l.small != nil {
		l.br, l.small = l.small, nil
	}
	if l.br != nil {
		l.br.Reset(nil)
		readers.Put(l.br)
		l.br = nil
	}
}

// take returns an unused link that is not too old now, or nil. Whether it is fit is for whoever writes to it.
func (p *pool) take(now time.Duration) *link {
	for {
		p.mu.Lock()
		n := len(p.unused) - 1
		if n < 0 {
			p.mu.Unlock()
			return nil
		}
		l := p.unused[n]
		p.unused[n] = nil
		p.unused = p.unused[:n]
		p.mu.Unlock()
		if now-l.since < p.keep && l.br.Buffered() == 0 {
			l.reused = true
			return l
		}
		l.close()
	}
}

// open dials.
func (p *pool) open(ctx context.Context) (*link, error) {
	conn, err := p.dial(ctx)
	if err != nil {
		return nil, err
	}
	return newLink(conn), nil
}

// put keeps a link for the next request; it has been unused from now on.
func (p *pool) put(l *link, now time.Duration) {
	if l.small != nil && l.br.Buffered() == 0 { // back to the usual size
		l.br, l.small = l.small, nil
	}
	l.since = now
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || l.small != nil {
		l.close()
		return
	}
	p.unused = append(p.unused, l)
	if p.timer == nil {
		p.timer = time.AfterFunc(p.keep, p.sweep)
	}
}

// sweep closes the links that have been unused for too long.
func (p *pool) sweep() {
	p.mu.Lock()
	defer p.mu.Unlock()
	old, now := 0, p.clock.now()
	for old < len(p.unused) && now-p.unused[old].since >= p.keep {
		p.unused[old].close()
		old++
	}
	rest := copy(p.unused, p.unused[old:])
	clear(p.unused[rest:])
	p.unused = p.unused[:rest]
	p.timer = nil
	if rest > 0 && !p.closed {
		p.timer = time.AfterFunc(p.keep-(now-p.unused[0].since), p.sweep)
	}
}

func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	if p.timer != nil {
		p.timer.Stop()
	}
	for _, l := range p.unused {
		l.close()
	}
	p.unused = nil
}
