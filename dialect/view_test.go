package dialect_test

import "unsafe"

// inside reports whether part shares whole's memory.
func inside(whole, part string) bool {
	start := uintptr(unsafe.Pointer(unsafe.StringData(whole)))
	at := uintptr(unsafe.Pointer(unsafe.StringData(part)))
	return len(part) > 0 && at >= start && at < start+uintptr(len(whole))
}
