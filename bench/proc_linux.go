package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
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

// residentBytes returns the memory of a process that is in RAM, the pages of its program included.
func residentBytes(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	kilobytes := int64(-1)
	for line := range bytes.Lines(text) {
		fields := bytes.Fields(line)
		if len(fields) == 3 && string(fields[0]) == "VmRSS:" {
			kilobytes, err = strconv.ParseInt(string(fields[1]), 10, 64)
		}
	}
	if kilobytes < 0 || err != nil {
		return 0, fmt.Errorf("read /proc/%d/status: no VmRSS in it", pid)
	}
	return kilobytes << 10, nil
}

// family returns a process and those that it started.
func family(pid int) []int {
	pids := []int{pid}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return pids
	}
	for _, field := range bytes.Fields(text) {
		if child, err := strconv.Atoi(string(field)); err == nil {
			pids = append(pids, child)
		}
	}
	return pids
}

// machine tells what the figures were measured on.
func machine() string {
	name := "an unknown processor"
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range bytes.Lines(text) {
		if key, value, ok := bytes.Cut(line, []byte(":")); ok && string(bytes.TrimSpace(key)) == "model name" {
			name = string(bytes.TrimSpace(value))
			break
		}
	}
	var release syscall.Utsname
	_ = syscall.Uname(&release)
	var kernel []byte
	for _, c := range release.Release {
		if c == 0 {
			break
		}
		kernel = append(kernel, byte(c))
	}
	return name + ", Linux " + string(kernel)
}

// loadAverage is how many threads wanted to run over the last minute, on average, ours included.
func loadAverage() string {
	text, _ := os.ReadFile("/proc/loadavg")
	one, _, _ := bytes.Cut(text, []byte(" "))
	return string(one)
}
