package proxy

import (
	"errors"
	"math"
)

// chunks decodes the chunked transfer coding a piece at a time. It never waits for bytes that are not there: data of a
// chunk is handed out although the line end behind it is still on its way. It stops behind the line of the last chunk,
// where the trailer section begins.
type chunks struct {
	state chunkState
	left  int64 // data bytes still to come in this chunk
	digit bool  // the size has at least one digit
}

type chunkState uint8

const (
	chunkSize   chunkState = iota // in the hexadecimal size
	chunkExt                      // behind a ';' or blank, ignored up to the line's end
	chunkSizeLF                   // the LF of the size line
	chunkData
	chunkDataCR
	chunkDataLF
	chunkDone
)

var errChunk = errors.New("broken chunk in the answer")

// decode moves data from src to dst and returns how much it wrote and how much it read. It stops when either is used up
// or the last chunk's line has been read (done).
func (c *chunks) decode(dst, src []byte) (wrote, read int, err error) {
	for read < len(src) && c.state != chunkDone {
		if c.state != chunkData {
			if err := c.frame(src[read]); err != nil {
				return wrote, read, err
			}
			read++
			continue
		}
		n := copy(dst[wrote:], src[read:min(int64(len(src)), int64(read)+c.left)])
		if n == 0 {
			return wrote, read, nil
		}
		wrote, read, c.left = wrote+n, read+n, c.left-int64(n)
		if c.left == 0 {
			c.state = chunkDataCR
		}
	}
	return wrote, read, nil
}

// begins reports whether src can be the beginning of a chunked body, as far as its first size line.
func begins(src []byte) bool {
	var c chunks
	for _, b := range src {
		if c.state == chunkData || c.done() {
			break
		}
		if c.frame(b) != nil {
			return false
		}
	}
	return true
}

func (c *chunks) done() bool { return c.state == chunkDone }

// frame takes one byte of what is around the data. A line may end in a bare LF, as most readers allow.
func (c *chunks) frame(b byte) error {
	switch c.state {
	case chunkSize:
		return c.size(b)
	case chunkExt:
		if b == '\n' {
			return c.begin()
		}
		return nil
	case chunkSizeLF:
		if b == '\n' {
			return c.begin()
		}
	case chunkDataCR:
		if b == '\r' {
			c.state = chunkDataLF
			return nil
		}
		fallthrough
	case chunkDataLF:
		if b == '\n' {
			c.state, c.digit = chunkSize, false
			return nil
		}
	}
	return errChunk
}

func (c *chunks) size(b byte) error {
	v := int64(-1)
	switch {
	case b >= '0' && b <= '9':
		v = int64(b - '0')
	case b|0x20 >= 'a' && b|0x20 <= 'f':
		v = int64(b|0x20-'a') + 10
	}
	switch {
	case v >= 0 && c.left <= (math.MaxInt64-v)/16:
		c.left, c.digit = c.left*16+v, true
	case v >= 0 || !c.digit:
		return errChunk
	case b == '\r':
		c.state = chunkSizeLF
	case b == '\n':
		return c.begin()
	case b == ';' || b == ' ' || b == '\t':
		c.state = chunkExt
	default:
		return errChunk
	}
	return nil
}

// begin acts on a complete size line.
func (c *chunks) begin() error {
	c.state = chunkData
	if c.left == 0 {
		c.state = chunkDone
	}
	return nil
}
