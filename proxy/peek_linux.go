package proxy

import (
	"syscall"
	"unsafe"
)

// peek looks at what has arrived on a connection without taking it and without waiting. It is called for every request,
// and since it never blocks the scheduler need not hear of it: hence the raw system call.
func peek(raw syscall.RawConn) arrival {
	found := nothing
	err := raw.Control(func(fd uintptr) { found = peekAt(fd) })
	if err != nil { // the descriptor is closed
		return hungUp
	}
	return found
}

func peekAt(fd uintptr) arrival {
	var one [1]byte
	n, _, errno := syscall.RawSyscall6(syscall.SYS_RECVFROM, fd, uintptr(unsafe.Pointer(&one[0])), 1,
		syscall.MSG_PEEK|syscall.MSG_DONTWAIT, 0, 0)
	switch {
	case errno == syscall.EAGAIN || errno == syscall.EINTR:
		return nothing
	case errno != 0 || n == 0:
		return hungUp
	}
	return bytesWaiting
}
