package proxy

// What follows lets the external tests reach the pure parts.

// Chunks is the decoder of the chunked coding.
type Chunks = chunks

// Decode moves data from src to dst.
func (c *Chunks) Decode(dst, src []byte) (wrote, read int, err error) { return c.decode(dst, src) }

// Done reports that the last chunk's line has been read.
func (c *Chunks) Done() bool { return c.done() }

// AppendHead makes the upstream's request head.
func AppendHead(src, host, prefix, key string, length int64) string {
	return string(appendHead(nil, []byte(src), target{host: host, prefix: prefix, key: key, length: length}))
}
