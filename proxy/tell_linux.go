package proxy

import (
	"syscall"
	"unsafe"
)

// canTell says that the connection's own descriptor can be written to: the kernel does the rest.
func (l *link) canTell() bool { return l.raw != nil && l.Conn == l.under }

// tell writes a request to a link that nothing may have arrived on, and waits until something has. Go's Read asks the kernel
// first, and again when it is woken; and before a link is used again it must be looked at. This is one visit to the
// descriptor: the runtime takes note of what arrives from its beginning on, so behind the look nothing is missed and the
// first read can be left out. It writes only what can be taken at once, and then does not wait: the rest has other ways.
func (l *link) tell(ex *exchange, first, rest []byte) (int, error) {
	l.told = told{ex: ex, first: first, rest: rest}
	err := l.raw.Read(l.visit)
	t := l.told
	l.told = told{}
	if t.err == nil && !t.visited {
		return 0, err // it is closed
	}
	return t.n, t.err // whatever else went wrong is for the one who reads the answer
}

// told is a request that a link is told.
type told struct {
	ex          *exchange
	first, rest []byte
	visited     bool
	n           int // bytes that were taken
	err         error
}

// atDescriptor is called with the descriptor, and again when something has arrived unless it returns true.
func (l *link) atDescriptor(fd uintptr) (done bool) {
	t := &l.told
	if t.visited {
		return true
	}
	t.visited = true
	if l.reused && peekAt(fd) != nothing {
		t.err = errStale
		return true
	}
	if t.n, t.err = writeAt(fd, t.first, t.rest); t.err != nil || t.n < len(t.first)+len(t.rest) {
		return true
	}
	t.ex.enters(awaited)
	return false
}

// writeAt writes both parts as far as they are taken at once.
func writeAt(fd uintptr, first, rest []byte) (int, error) {
	var parts [2]syscall.Iovec
	count := 0
	for _, p := range [2][]byte{first, rest} {
		if len(p) > 0 {
			parts[count].Base = unsafe.SliceData(p)
			parts[count].SetLen(len(p))
			count++
		}
	}
	n, _, errno := syscall.Syscall(syscall.SYS_WRITEV, fd, uintptr(unsafe.Pointer(&parts)), uintptr(count))
	switch errno {
	case 0:
		return int(n), nil
	case syscall.EAGAIN, syscall.EINTR:
		return 0, nil
	}
	return 0, errno
}
