//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package proxy

import (
	"errors"
	"syscall"
)

// peek looks at what has arrived on a connection without taking it and without waiting.
func peek(raw syscall.RawConn) arrival {
	found := nothing
	err := raw.Control(func(fd uintptr) {
		var one [1]byte
		n, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		switch {
		case n > 0:
			found = bytesWaiting
		case err == nil:
			found = hungUp
		case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.EINTR):
		default:
			found = hungUp
		}
	})
	if err != nil { // the descriptor is closed
		return hungUp
	}
	return found
}
