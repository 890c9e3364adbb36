package proxy

import "time"

// What follows lets the external tests reach the pure parts.

// Chunks is the decoder of the chunked coding.
type Chunks = chunks

// Decode moves data from src to dst.
func (c *Chunks) Decode(dst, src []byte) (wrote, read int, err error) { return c.decode(dst, src) }

// SetStall shortens the time for which a client may take nothing. It is called before the first Relay.
func (c *Client) SetStall(d time.Duration) { c.stall = d }

// Done reports that the last chunk's line has been read.
func (c *Chunks) Done() bool { return c.done() }

// AppendHead makes the upstream's request head.
func AppendHead(src, host, prefix, key string, length int64) string {
	return string(appendHead(nil, []byte(src), target{host: host, prefix: prefix, key: key, length: length}))
}

// Stuck feeds a header block to headEnd in reads of n bytes, into the memory of one buffer. early means that it was stuck
// before the last one.
func Stuck(text string, n int) (stuck, early bool) {
	var e headEnd
	buf := make([]byte, len(text)+1) // fasthttp reads on where there is room
	at := 0
	for e.begin(); at < len(text); {
		if e.stuck(buf[at:]) {
			return true, true
		}
		got := copy(buf[at:], text[at:min(at+n, len(text))])
		e.see(buf[at:][:got])
		at += got
	}
	return e.stuck(buf[at:]), false
}
