package middleware

import (
	"math"
	"strings"
	"sync/atomic"

	"github.com/valyala/fasthttp"

	"recap/cache"
	"recap/chat"
	"recap/compaction"
	"recap/dialect"
)

// far handles a request that cannot come near any level, whatever its messages say: a body has at least as many bytes
// as tokens, and of a chat that goes on, the upstream has said how many tokens its beginning is. It is only glanced at. True means that the request goes on as it came.
func (x *exchange) far(ctx *fasthttp.RequestCtx, body string) bool {
	g, ok := x.d.(dialect.Glancer)
	if !ok || !x.mayBeFar(len(body)) {
		return false
	}
	if len(body) >= dialect.KeptFrom {
		x.belong()
	}
	c, plain, err := g.Glance(body, x.mark, int(x.c.farthest.Load()))
	if err != nil {
		x.pick(ctx, "")
		x.bypass(oddReason(err))
		return true
	}
	if !plain || c.Count >= x.c.shallowest() { // media weigh more than their bytes
		return false
	}
	x.pick(ctx, c.Model)
	x.chat, x.options = c, &x.c.Config.Summarization
	x.lookUp()
	levels := compaction.NewLevels(x.window.Size, c.MaxReply, x.options)
	x.c.mayBeFar(levels.Prepare)
	most := len(body)
	if c.Before != nil && c.Known > 0 {
		if said := c.Before.Reported(x.up.Name, c.Model); said > 0 {
			most = said + len(body) - c.Known
		}
	}
	if x.window.Size <= 0 || most >= levels.Prepare {
		x.chat = nil
		return false
	}
	x.session = dialect.Session(x.head.value, c)
	n := x.c.scale.tokens(x, len(body))
	x.decision = compaction.Decision{Status: chat.Clear, Levels: levels, Before: n, Pruned: n, After: n}
	x.status, x.summary = chat.Clear, "none"
	x.claim()
	return true
}

// mayBeFar asks what can be told without a look: settings under which a chat of size bytes is left alone.
func (x *exchange) mayBeFar(size int) bool {
	o := &x.c.Config.Summarization
	if x.changed || o.Trigger.Counts() || x.c.Config.Log.Diagnostics || x.c.Config.Log.Messages {
		return false
	}
	p := &o.ContextPruning
	return !p.Enabled || p.Strategy == "ratio" && p.MinPrunableToolChars > size
}

// nobodys is more messages than any chat has.
const nobodys = 1 << 30

// shallowest is the number of messages from which on a chat may match a checkpoint.
func (c *Compactor) shallowest() int {
	s, ok := c.Store.(cache.Shallow)
	if !ok {
		return 1
	}
	if least := s.Shallowest(); least > 0 {
		return least
	}
	return nobodys
}

// alwaysFar is up to which size, in bytes, any new chat is worth a glance.
const alwaysFar = 64 << 10

// mayBeFar notes a prepare level: a new chat of that many bytes is worth a glance, for it may turn out to be far.
func (c *Compactor) mayBeFar(level int) {
	if int64(level) > c.farthest.Load() {
		c.farthest.Store(int64(level))
	}
}

// byteScale learns how many bytes of a body are a token, per upstream and model: what is told of chats that are only
// glanced at.
type byteScale struct {
	memo *chat.Memo[scaleOf, *atomic.Uint64]
}

type scaleOf struct{ upstream, model string }

const (
	scalesRemembered = 1000
	plainScale       = 0.25 // tokens a byte, before anything was reported
)

func newByteScale() byteScale {
	return byteScale{chat.NewMemo[scaleOf, *atomic.Uint64](scalesRemembered)}
}

func (s byteScale) tokens(x *exchange, size int) int {
	scale := plainScale
	if bits, ok := s.memo.Get(scaleOf{x.up.Name, x.chat.Model}); ok {
		scale = math.Float64frombits(bits.Load())
	}
	return int(float64(size)*scale + 0.5)
}

// learn takes what the upstream counted for a body that was sent as it came.
func (s byteScale) learn(x *exchange, prompt int) {
	who := scaleOf{x.up.Name, x.chat.Model}
	seen := float64(prompt) / float64(max(len(x.chat.Body), 1))
	bits, ok := s.memo.Get(who)
	if !ok {
		if len(who.model) > maxModelName {
			return
		}
		bits = &atomic.Uint64{}
		bits.Store(math.Float64bits(seen))
		who.model = strings.Clone(who.model)
		s.memo.Put(who, bits)
		return
	}
	was := math.Float64frombits(bits.Load())
	bits.Store(math.Float64bits(was + (seen-was)/8))
}

// maxModelName bounds the names that are remembered, in bytes.
const maxModelName = 256
