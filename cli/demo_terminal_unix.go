//go:build linux || darwin || freebsd

package cli

import (
	"os"
	"syscall"
	"unsafe"
)

// terminalWidth returns the width of a terminal in cells, false where file is none.
func terminalWidth(file *os.File) (int, bool) {
	var size struct{ rows, columns, x, y uint16 }
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, file.Fd(), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size)))
	if errno != 0 {
		return 0, false
	}
	if size.columns == 0 { // a terminal that does not know
		return 80, true
	}
	return int(size.columns), true
}
