package proxy

import (
	"io"
	"net"
	"slices"
	"strconv"
)

// parcel is a request that is ready to go.
type parcel struct {
	first  []byte    // the head, and behind it as much of the body as fits well
	rest   []byte    // of the caller's bytes
	stream io.Reader // the rest of the client's; nil where there is none
	left   int64     // bytes in stream, or chunked
}

// load puts the beginning of a client's body behind the head: a small body whole, of a longer one what is there.
func (p *parcel) load(from net.Conn) error {
	n, got := len(p.first), 0
	if p.left <= gatherLimit {
		p.first = slices.Grow(p.first, int(p.left))[:n+int(p.left)] // what is read over need not be cleared
		if _, err := io.ReadFull(p.stream, p.first[n:]); err != nil {
			return bodyError{err}
		}
		p.stream = nil
		return nil
	}
	if room := p.first[n:cap(p.first)]; len(room) > gatherLimit {
		got, _ = gather(p.stream, from, room[:min(int64(len(room)), p.left)]) // upload meets the error again
		p.first = p.first[:n+got]
	}
	if p.left -= int64(got); p.left == 0 {
		p.stream = nil
	}
	return nil
}

// gather reads what is there, and waits only for the first byte.
func gather(stream io.Reader, from net.Conn, p []byte) (n int, err error) {
	n, err = stream.Read(p)
	own, ok := from.(*conn)
	if !ok {
		return n, err
	}
	own.hasty = true
	defer func() { own.hasty = false }()
	for more := n; err == nil && more > 0 && n < len(p); n += more {
		more, err = stream.Read(p[n:])
	}
	return n, err
}

// upload passes the client's body on as it comes: left bytes, or chunked. buf is memory to use.
func (ex *exchange) upload(stream io.Reader, left int64, buf []byte) error {
	if left == chunked {
		return ex.uploadChunks(stream, buf)
	}
	for left > 0 {
		n, err := gather(stream, ex.peer, buf[:min(int64(len(buf)), left)])
		left -= int64(n)
		ex.touch()
		if n > 0 {
			if _, err := ex.link.Conn.Write(buf[:n]); err != nil {
				return err
			}
			ex.touch()
		}
		switch {
		case err == io.EOF && left > 0: // fasthttp takes the end of the connection for the end of the body
			return bodyError{io.ErrUnexpectedEOF}
		case err != nil && err != io.EOF:
			return bodyError{err}
		}
	}
	return nil
}

// uploadChunks is upload for a body of unknown length.
func (ex *exchange) uploadChunks(stream io.Reader, buf []byte) error {
	const frame = 16 // room for a chunk's size line in front and its end behind
	for {
		n, err := stream.Read(buf[frame : len(buf)-frame])
		ex.touch()
		if n > 0 {
			if _, err := ex.link.Conn.Write(frameChunk(buf, frame, n)); err != nil {
				return err
			}
			ex.touch()
		}
		switch {
		case err == io.EOF:
			_, err = ex.link.Conn.Write([]byte("0\r\n\r\n"))
			return err
		case err != nil:
			return bodyError{err}
		}
	}
}

// frameChunk puts the size line in front of the n bytes at buf[at:] and the line end behind them.
func frameChunk(buf []byte, at, n int) []byte {
	var line [16]byte
	size := append(strconv.AppendInt(line[:0], int64(n), 16), crlf...)
	start := at - len(size)
	copy(buf[start:], size)
	end := at + n + copy(buf[at+n:], crlf)
	return buf[start:end]
}
