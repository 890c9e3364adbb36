package proxy

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// lingerTime and lingerBytes bound how long a client that is still sending is listened to after a refusal.
	lingerTime  = 5 * time.Second
	lingerBytes = 256 << 20
)

// conn is a client's connection.
type conn struct {
	net.Conn
	raw    syscall.RawConn
	set    *connSet
	linger atomic.Bool // see lingering
	limit  readLimit
	head   headEnd
	hasty  bool // reads do not wait; used by the goroutine that reads
	served bool // a request has begun; used by the goroutine that serves
	once   sync.Once
}

// connSet knows the open connections of a server, so that a shutdown can cut them.
type connSet struct {
	mu   sync.Mutex
	open map[*conn]struct{}
}

func (s *connSet) add(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[*conn]struct{}{}
	}
	s.open[c] = struct{}{}
}

func (s *connSet) remove(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
}

func (s *connSet) empty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open) == 0
}

// cut closes every connection under the feet of whoever uses it.
func (s *connSet) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.open {
		c.linger.Store(false)
		c.Conn.Close()
	}
}

// listener makes conns.
type listener struct {
	net.Listener
	set *connSet
}

// Accept implements net.Listener.
func (l listener) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: nc, set: l.set, raw: rawOf(nc)}
	l.set.add(c)
	return c, nil
}

// rawOf gives the descriptor to look at; nil where a connection has none.
func rawOf(c net.Conn) syscall.RawConn {
	if own, ok := c.(*conn); ok {
		return own.raw
	}
	sys, ok := c.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := sys.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}

// ReadFrom implements io.ReaderFrom. fasthttp's buffered writer comes here for the body of an answer of known length,
// once the headers are out: every piece is written when it is there, where the buffered writer would wait until it is
// full.
func (c *conn) ReadFrom(r io.Reader) (int64, error) {
	if limited, ok := r.(*io.LimitedReader); ok {
		if f, ok := limited.R.(fixed); ok {
			n, err := f.b.WriteTo(c.Conn)
			limited.N -= n
			return n, err
		}
	}
	return io.Copy(struct{ io.Writer }{c.Conn}, r)
}

// Close implements net.Conn.
func (c *conn) Close() error {
	var err error
	c.once.Do(func() {
		if c.linger.Load() {
			c.drain()
		}
		err = c.Conn.Close()
		c.set.remove(c)
	})
	return err
}

// drain lets a client that is still sending read the answer it got: closing at once would reset the connection, and the
// reset throws away what the client has not read yet.
func (c *conn) drain() {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return
	}
	if c.Conn.SetReadDeadline(time.Now().Add(lingerTime)) != nil {
		return
	}
	io.CopyN(io.Discard, c.Conn, lingerBytes) // until the client closes, too much came, or it took too long
}

// lingering marks a client's connection so that it is drained before it is closed.
func lingering(c net.Conn) {
	if own, ok := c.(*conn); ok {
		own.linger.Store(true)
	}
}

// resetOnClose makes the close of a connection visible as a fault to the client: the only way to tell where an answer
// has no framing.
func resetOnClose(c net.Conn) {
	if own, ok := c.(*conn); ok {
		c = own.Conn
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
}
