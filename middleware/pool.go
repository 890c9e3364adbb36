package middleware

import (
	"math/bits"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/valyala/fasthttp"

	"recap/chat"
	"recap/dialect"
)

// calls are what a relay asks an exchange, bound once: an exchange is used again, and so are they.
type calls struct {
	ctx    *fasthttp.RequestCtx // until the handler returns
	header func(h *fasthttp.ResponseHeader, status int)
	retry  func(status int, seen []byte) (next []byte, ok bool)
	ended  func(Outcome)
	shape  func(status int, code, message string) []byte
	creds  func() http.Header
}

// exchanges keeps those that are over for the next ones.
var exchanges sync.Pool

// newExchange returns an exchange that the handler holds, see release.
func newExchange(c *Compactor, d dialect.Dialect) *exchange {
	x, ok := exchanges.Get().(*exchange)
	if !ok {
		x = &exchange{}
		x.bind()
	}
	c.atWork.Add(1)
	x.c, x.d, x.start, x.claims = c, d, time.Now(), 1
	return x
}

func (x *exchange) bind() {
	x.calls = calls{
		header: x.answers,
		retry:  x.again,
		ended: func(o Outcome) {
			defer x.release()
			x.c.Stats.Relaying(-x.relaying)
			x.ended(o)
		},
		shape: func(status int, code, message string) []byte { return x.d.Error(status, code, message) },
		creds: x.credentials,
	}
}

// release is called by whoever has held x: the handler, and the relay from its beginning until the answer has ended. The
// last of them makes x free for another request, so nothing that runs on may have it: it takes what it needs.
func (x *exchange) release() {
	if atomic.AddInt32(&x.claims, -1) > 0 {
		return
	}
	if borrowed := x.chat != nil && len(x.chat.Messages) > 0 && x.chat.Borrowed; !borrowed && !x.kept {
		spaces.put(x.space)
		spaces.put(x.sentBody)
	}
	if x.tap.inner != nil {
		x.tap.inner.Free()
	}
	dialect.FreeGlance(x.chat)
	dialect.FreeGlance(x.glanced)
	c, bound := x.c, x.calls
	bound.ctx = nil
	*x = exchange{calls: bound}
	exchanges.Put(x)
	c.atWork.Add(-1)
}

// leave drops what goes with the handler.
func (x *exchange) leave() {
	x.head.free()
	x.head, x.calls.ctx = nil, nil
}

// body reads the request's body. It is a view into memory that is used again when the exchange is over, unless kept is set
// before.
func (x *exchange) body(ctx *fasthttp.RequestCtx) (string, error) {
	size := ctx.Request.Header.ContentLength()
	body, err := x.c.Read(ctx, x.c.Config.Limits.Body, spaces.take(size))
	if err != nil {
		return "", err
	}
	x.space = body
	return unsafe.String(unsafe.SliceData(body), len(body)), nil
}

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
				return *space
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
	m[at-minSpace].Put(&space)
}

// planned is about how many bytes a chat's body has once p is applied to it: texts grow as they are quoted.
func planned(c *chat.Chat, p *chat.Plan) int {
	size := len(c.Body)
	for _, i := range p.Drop {
		size -= len(c.Messages[i].Raw)
	}
	texts := 0
	for i := range p.Trims {
		t := &p.Trims[i]
		size -= c.Messages[t.Message].Results[t.Result].Content.Len()
		texts += len(t.Text)
	}
	if p.Note != nil {
		texts += len(p.Note.Text)
	}
	return size + texts + texts/8 + 64
}

// sameAgain saves the copy of a word that mostly is the same as the last time.
type sameAgain struct{ last atomic.Pointer[string] }

// text returns word in memory of its own.
func (s *sameAgain) text(word []byte) string {
	if len(word) == 0 {
		return ""
	}
	if last := s.last.Load(); last != nil && *last == string(word) {
		return *last
	}
	text := string(word)
	s.last.Store(&text)
	return text
}
