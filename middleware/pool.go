package middleware

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"

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
	seen := x.kept || x.chat != nil && len(x.chat.Messages) > 0 && x.chat.Borrowed
	free := x.loan.Return(seen)
	if !seen {
		spaces.put(free)
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
