package middleware

import (
	"math/bits"
	"strings"
	"sync"
	"unsafe"
)

// spaces keeps memory of bodies, by the power of two that it has room for.
var spaces memories

type memories [maxSpace - minSpace + 1]sync.Pool

// The memory that is kept: from 1 KiB to 8 MiB, as exponents of two.
const minSpace, maxSpace = 10, 23

// take returns memory for size bytes, nil where none is at hand.
func (m *memories) take(size int) []byte {
	if size <= 0 || size > 1<<maxSpace {
		return nil
	}
	at := max(bits.Len(uint(size-1)), minSpace)
	for next := at - 1; next <= min(at+1, maxSpace); next++ { // a half that is large enough, the fitting one, twice as much
		if next < minSpace {
			continue
		}
		if space, _ := m[next-minSpace].Get().(*[]byte); space != nil {
			if cap(*space) >= size {
				found := *space
				*space = nil
				empty.Put(space)
				return found
			}
			m[next-minSpace].Put(space)
		}
	}
	return nil
}

func (m *memories) put(space []byte) {
	at := bits.Len(uint(cap(space))) - 1
	if at < minSpace || at > maxSpace {
		return
	}
	held := empty.Get().(*[]byte)
	*held = space
	m[at-minSpace].Put(held)
}

// empty are the holders of memory that has been taken, so that putting some back needs none.
var empty = sync.Pool{New: func() any { return new([]byte) }}

// room returns an empty slice for size bytes: what take has, or new.
func (m *memories) room(size int) []byte {
	if space := m.take(size); space != nil {
		return space[:0]
	}
	return unwritten(roomy(size))
}

// roomy is a size with room for some turns more, an eighth to three: the memory of a body fits the next ones of its chat. What
// is not written to costs address space alone.
func roomy(size int) int {
	size += size / 8
	step := 1 << max(bits.Len(uint(size))-3, 10)
	return (size + step) / step * step
}

// unwritten makes an empty slice of a capacity without clearing its memory, which for a long body costs as much as a
// tenth of reading it. Only strings.Builder gives such memory away. What has not been read into is never looked at.
func unwritten(size int) []byte {
	var b strings.Builder
	b.Grow(size)
	b.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(b.String()), size)[:0]
}
