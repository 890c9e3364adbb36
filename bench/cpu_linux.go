package main

import (
	"syscall"
	"time"
	"unsafe"
)

// cpuTime returns the CPU time that all threads of a process have used, from the kernel's clock for it: to the nanosecond,
// where /proc counts ticks of 10 ms.
func cpuTime(pid int) (time.Duration, error) {
	const sched = 2 // CPUCLOCK_SCHED in the clock's lowest three bits, the inverted pid above
	clock := uintptr(^pid<<3 | sched)
	var t syscall.Timespec
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&t)), 0); errno != 0 {
		return 0, errno
	}
	return time.Duration(t.Nano()), nil
}
