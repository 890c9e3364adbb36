package middleware

import (
	"io"
	"unsafe"

	"github.com/valyala/fasthttp"

	"recap/dialect"
)

const (
	// askFrom is how much of a body must be there before anybody asks whether it is known, in bytes. More comes at once
	// mostly.
	askFrom = 32 << 10
	// pieceSize is in what pieces a body is compared at least, in bytes: they fit the processor's cache, and are more than the
	// buffer of the client's connection, so that they are read past that.
	pieceSize = 80 << 10
	// firstGrab bounds what is set aside on the word of a Content-Length alone, in bytes.
	firstGrab = 1 << 20
	// chunkedGrab is the first size of the memory for a body of unknown length.
	chunkedGrab = 32 << 10
)

// body reads the request's body. It is a view into memory that is used again when the exchange is over, unless kept is set
// before.
func (x *exchange) body(ctx *fasthttp.RequestCtx) (string, error) {
	in := intake{size: max(ctx.Request.Header.ContentLength(), 0)}
	if g, ok := x.d.(dialect.Glancer); ok && in.size >= dialect.KeptFrom && len(ctx.Request.Header.ContentEncoding()) == 0 {
		x.belong()
		in.known, in.tenant = g, x.mark
	}
	if err := in.from(x.c.Open(ctx, x.c.Config.Limits.Body)); err != nil {
		in.drop()
		return "", err
	}
	var body string
	body, x.space, x.loan = in.done()
	return body, nil
}

// intake is a body on its way in. One that goes on with a known conversation is only compared with what is kept of that, a
// piece at a time, while the piece is in the processor's cache; what comes behind is read to where it will be kept. Any
// other body is read into memory of its own.
type intake struct {
	known  dialect.Glancer // nil = nobody is asked
	asked  bool
	tenant uint64
	size   int // as declared, 0 = unknown
	got    int // bytes so far

	own    []byte // of the body; beside a loan the newest piece
	loan   dialect.Loan
	same   int    // bytes of the loan's text that came
	behind []byte // memory behind that text
	more   int    // bytes in there
}

// from reads all of a body.
func (i *intake) from(r io.Reader) error {
	i.own = spaces.room(i.first())
	for i.size == 0 || i.got < i.size {
		n, err := r.Read(i.room())
		i.got += n
		i.took(n)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// first is how much memory a body gets at first.
func (i *intake) first() int {
	switch {
	case i.size == 0:
		return chunkedGrab
	case i.known != nil:
		return min(i.size, pieceSize)
	}
	return min(i.size, firstGrab)
}

// room is where the next bytes go.
func (i *intake) room() []byte {
	switch {
	case i.comparing():
		return i.own[:cap(i.own)]
	case i.loan.Lent():
		if i.more == len(i.behind) {
			i.extend(i.size - i.same)
		}
		return i.behind[i.more:]
	}
	if len(i.own) == cap(i.own) {
		i.grow()
	}
	return i.own[len(i.own):cap(i.own)]
}

// comparing reports whether what comes next should be known.
func (i *intake) comparing() bool { return i.same < len(i.loan.Text()) }

// grow makes room: at once for all that was declared, once the client has shown that it means it.
func (i *intake) grow() {
	size := 2 * cap(i.own)
	switch {
	case i.size > 0 && cap(i.own) < firstGrab:
		size = min(i.size, firstGrab)
	case i.size > 0:
		size = i.size
	}
	next := append(spaces.room(size), i.own...)
	spaces.put(i.own)
	i.own = next
}

// took is told of n bytes in room.
func (i *intake) took(n int) {
	switch {
	case i.comparing():
		i.compare(i.own[:n])
	case i.loan.Lent():
		i.more += n
	default:
		i.own = i.own[:len(i.own)+n]
		if i.known != nil && !i.asked && (i.got >= askFrom || i.got == i.size) {
			i.ask()
		}
	}
}

// ask looks for the conversation of a body by its beginning.
func (i *intake) ask() {
	i.loan = i.known.Lend(i.tenant, view(i.own), i.size)
	i.asked = true
	switch {
	case i.loan.Lent():
		i.agree(i.own)
	case cap(i.own) < i.size: // the rest of it in large pieces, too
		i.grow()
	}
}

// compare takes a piece that should be the same as in the loan's text, as far as that goes.
func (i *intake) compare(piece []byte) {
	rest := i.loan.Text()[i.same:]
	if n := min(len(piece), len(rest)); string(piece[:n]) != rest[:n] {
		i.part(piece)
		return
	}
	i.agree(piece)
}

// agree takes a piece that is the same as in the loan's text, as far as that goes.
func (i *intake) agree(piece []byte) {
	n := min(len(piece), len(i.loan.Text())-i.same)
	if i.same += n; !i.comparing() {
		i.extend(max(min(i.size-i.same, firstGrab), len(piece)-n))
		i.more = copy(i.behind, piece[n:])
	}
}

// extend makes size bytes of memory behind the loan's text, with what is there already.
func (i *intake) extend(size int) {
	before := i.behind[:i.more]
	i.behind = i.loan.Room(size)
	copy(i.behind, before)
}

// part takes a body whose next piece is another than in the loan's text to memory of its own.
func (i *intake) part(piece []byte) {
	own := append(spaces.room(i.size), i.loan.Text()[:i.same]...)
	own = append(own, piece...)
	i.loan.Return(false)
	spaces.put(i.own)
	i.own = own
}

// done returns the body, and what is the exchange's of it: a loan, or else memory of its own.
func (i *intake) done() (body string, own []byte, loan dialect.Loan) {
	if i.comparing() { // it ended before its declared size
		i.part(nil)
	}
	if i.loan.Lent() {
		spaces.put(i.own)
		return view(i.loan.Body(i.more)), nil, i.loan
	}
	body = view(i.own)
	if i.known != nil {
		if loan = i.known.Offer(i.own); loan.Lent() {
			return body, nil, loan
		}
	}
	return body, i.own, dialect.Loan{}
}

// drop gives up a body that did not come whole.
func (i *intake) drop() {
	i.loan.Return(false)
	spaces.put(i.own)
}

func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
