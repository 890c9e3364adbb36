package fakellm

import (
	"bytes"
	"net"
	"net/http"
	"strconv"
	"time"
)

// deliver sends an answer, or as much of it as the fault allows.
func (x *exchange) deliver(a answer) {
	f := &x.fault
	if !x.wait(a.delay) {
		return
	}
	if f.Break == BreakHang {
		x.hang()
		return
	}
	writes := f.writes(f.cut(a.events))
	x.head(a, writes)
	if !x.send(writes, a.gap) {
		return
	}
	switch f.Break {
	case BreakNone, BreakEOF, BreakShort:
		x.note(func(rec *Recorded) { rec.Ended = time.Now() })
	case BreakSilence:
		x.hang()
	case BreakReset, BreakDrop:
		x.breakOff(f.Break == BreakReset)
	}
	x.closeLater()
}

// head sends status and headers. A plain answer has a Content-Length; one that breaks off has the length that the
// whole would have had.
func (x *exchange) head(a answer, writes [][]byte) {
	f := &x.fault
	for name, values := range a.header {
		x.w.Header()[name] = values
	}
	if f.Gzip {
		x.w.Header().Set("Content-Encoding", "gzip")
	}
	size := len(bytes.Join(writes, nil))
	if f.Break == BreakDrop || f.Break == BreakReset || f.Break == BreakSilence {
		size = max(size, len(bytes.Join(a.events, nil)))
	}
	if f.Break == BreakShort {
		size += 100
	}
	switch {
	case f.Identity:
		x.w.Header().Set("Transfer-Encoding", "identity")
	case !a.stream || f.Sized || f.Break == BreakShort:
		x.w.Header().Set("Content-Length", strconv.Itoa(size))
	}
	x.w.WriteHeader(a.status)
	x.note(func(rec *Recorded) { rec.Status = a.status })
	x.flush()
}

func (x *exchange) flush() { _ = http.NewResponseController(x.w).Flush() }

// send writes and flushes one by one, false when the client left.
func (x *exchange) send(writes [][]byte, gap time.Duration) bool {
	for i, text := range writes {
		if i > 0 && !x.wait(gap) {
			return false
		}
		if x.r.Method == http.MethodHead {
			continue
		}
		if _, err := x.w.Write(text); err != nil {
			x.left()
			return false
		}
		x.flush()
	}
	return true
}

// breakOff closes the connection with the answer unfinished, by a reset or by an ordinary end.
func (x *exchange) breakOff(reset bool) {
	conn, _, err := x.w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok && reset {
		x.wait(20 * time.Millisecond) // a reset overtakes what the peer has not read yet
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// closeLater closes the connection some time after the answer, unannounced.
func (x *exchange) closeLater() {
	conn, ok := x.r.Context().Value(connKey{}).(net.Conn)
	if !x.fault.Close || !ok {
		return
	}
	x.handlers.Go(func() {
		timer := time.NewTimer(x.fault.CloseWait)
		defer timer.Stop()
		select {
		case <-timer.C:
			_ = conn.Close()
		case <-x.done:
		}
	})
}
