package middleware

import (
	"math"
	"sync/atomic"

	"github.com/valyala/fasthttp"

	"recap/cache"
	"recap/chat"
	"recap/compaction"
	"recap/dialect"
)

// far handles a request that cannot come near any level, whatever its messages say: a body has at least as many bytes
// as tokens, and of a chat that goes on, the upstream has said how many tokens its beginning is. It is only glanced at.
// True means that the request goes on as it came.
func (x *exchange) far(ctx *fasthttp.RequestCtx, body string) bool {
	g, ok := x.d.(dialect.Glancer)
	if !ok || !x.mayBeFar(len(body)) {
		return false
	}
	if len(body) >= dialect.KeptFrom || x.c.shortNear.Load() > 0 {
		x.belong()
	}
	recalled := x.mark != 0
	c, plain, err := g.Glance(body, x.mark, usualBytes/boundSlack*int(x.c.farthest.Load()))
	if err != nil {
		x.pick(ctx, "")
		x.bypass(oddReason(err))
		return true
	}
	if !plain { // media weigh more than their bytes
		return false
	}
	x.pick(ctx, c.Model)
	if c.Count >= x.c.shallowest() && c.Count >= x.shallowest(g, c) {
		return false
	}
	x.chat, x.options = c, &x.c.Config.Summarization
	x.lookUp()
	levels := compaction.NewLevels(x.window.Size, c.MaxReply, x.options)
	x.c.mayBeFar(levels.Prepare)
	if x.c.shortIsNear(len(body), levels.Prepare) && !recalled && x.window.Size > 0 {
		c = x.recalled(g, c)
		x.chat = c
	}
	if x.window.Size <= 0 || x.most(c, levels.Prepare) >= levels.Prepare {
		x.chat, x.glanced = nil, c
		return false
	}
	x.session = dialect.Session(x.head.value, c)
	n := x.rough(levels.Prepare)
	x.decision = compaction.Decision{Status: chat.Clear, Levels: levels, Before: n, Pruned: n, After: n}
	x.status, x.summary = chat.Clear, "none"
	x.claim()
	return true
}

// shortIsNear reports whether a body is so short that it is not looked for among known ones, and yet has more bytes than a
// level has tokens. Where one was, the next short ones are looked for at once.
func (c *Compactor) shortIsNear(size, level int) bool {
	if size >= dialect.KeptFrom {
		return false
	}
	near := size >= level
	if near {
		c.shortNear.Store(recalledAtOnce)
	} else if c.shortNear.Load() > 0 {
		c.shortNear.Add(-1)
	}
	return near
}

// recalledAtOnce is in short chats.
const recalledAtOnce = 8

// recalled is c, which is too short to be looked for among the chats that were met before, with what is known of it: under a
// small window also a short one is near its levels.
func (x *exchange) recalled(g dialect.Glancer, c *chat.Chat) *chat.Chat {
	x.belong()
	again, _, err := g.Glance(c.Body, x.mark, len(c.Body))
	if err != nil {
		return c
	}
	again.MaxReply = c.MaxReply
	dialect.FreeGlance(c)
	return again
}

// most is a number of tokens that c, which was glanced at, does not have more of; the least one that is cheap and under a
// level.
func (x *exchange) most(c *chat.Chat, level int) int {
	size := len(c.Body)
	if c.Before != nil && c.Known > 0 {
		if said := c.Before.Reported(x.up.Name, c.Model); said.Prompt > 0 {
			return said.Prompt + size - c.Known
		}
	}
	if size >= level && size >= alwaysFar {
		return min(size, boundSlack*x.c.Counter.Sampled(c.Model, c.Body))
	}
	return size
}

// mayBeFar asks what can be told without a look: settings under which a chat of size bytes is left alone.
func (x *exchange) mayBeFar(size int) bool {
	o := &x.c.Config.Summarization
	if x.changed || o.Trigger.Counts() || x.c.Config.Log.Diagnostics || x.c.Config.Log.Messages {
		return false
	}
	return o.ContextPruning.Spares(size)
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

// shallowest is the number of messages from which on a chat that opens as c does may match a checkpoint.
func (x *exchange) shallowest(g dialect.Glancer, c *chat.Chat) int {
	s, ok := x.c.Store.(cache.Shallow)
	message := g.Opening(c)
	if !ok || message == "" {
		return 1
	}
	x.belong()
	key, ok := x.opening(g, message, x.c.seed(x.tenant, x.up.Name, x.c.recipe))
	if !ok {
		return 1
	}
	if least := s.ShallowestOf(key); least > 0 {
		return least
	}
	return nobodys
}

// opening returns the key of a chat's first message.
func (x *exchange) opening(g dialect.Glancer, message string, seed chat.Key) (chat.Key, bool) {
	print := openingOf{seed, dialect.NewPrint(message)}
	if key, ok := x.c.openings.Get(print); ok {
		return key, true
	}
	c, err := g.ReadOpening(message)
	if err != nil {
		return chat.Key{}, false
	}
	keys := chat.Keys(chat.NewOutline(c), seed)
	if len(keys) == 0 {
		return chat.Key{}, false
	}
	x.c.openings.Put(print, keys[0])
	return keys[0], true
}

// openingOf names the bytes of a chat's first message, by a print whose seed is this process's, and who sent it.
type openingOf struct {
	seed  chat.Key
	print dialect.Print
}

// openingsRemembered is in messages, each of 64 bytes.
const openingsRemembered = 1 << 15

// alwaysFar is up to which size, in bytes, any new chat is worth a glance.
const alwaysFar = 64 << 10

// boundSlack is how many times what many parts of a long body say it is taken to have at most, in tokens.
const boundSlack = 2

// mayBeFar notes a prepare level: a new chat of that many bytes is worth a glance, for it may turn out to be far.
func (c *Compactor) mayBeFar(level int) {
	if int64(level) > c.farthest.Load() {
		c.farthest.Store(int64(level))
	}
}

// rough is about what x's chat weighs, of which only the bytes are known and that they are under a level: what the upstream
// counted for its beginning, and the rest at as many bytes a token as there.
func (x *exchange) rough(level int) int {
	c := x.chat
	said, ok := x.said(c)
	if !ok || said.Size > len(c.Body) {
		return x.sample(level)
	}
	more := len(c.Body) - said.Size
	if said.Size < telling {
		return said.Prompt + more/usualBytes
	}
	return said.Prompt + int(float64(more)*float64(said.Prompt)/float64(said.Size)+0.5)
}

// sample is rough for a chat of which nothing was told. A short one that is nowhere near the level counts as many bytes a
// token as the one before it for the same model and in the same kind of letters: looking at a part of it costs more than all
// the rest, so only one of some is.
func (x *exchange) sample(level int) (size int) {
	c := x.chat
	var kind letters
	ok := false
	if len(c.Body) < dialect.KeptFrom && len(c.Body) < level/nowhere {
		kind, ok = lettersOf(c.Body)
	}
	if !ok {
		size, x.sampled = x.c.Counter.Rough(x.up.Name, c.Model, c.Body)
		return size
	}
	who := scaleOf{x.up.Name, c.Model, kind}
	s, ok := x.c.short.Get(who)
	if ok && s.left.Add(-1) >= 0 {
		return int(float64(len(c.Body))*math.Float64frombits(s.tokens.Load()) + 0.5)
	}
	size, x.sampled = x.c.Counter.Rough(x.up.Name, c.Model, c.Body)
	if !ok && len(c.Model) <= maxModelName {
		s = &shortScale{}
		x.c.short.Put(who, s)
	}
	if s != nil {
		s.tokens.Store(math.Float64bits(float64(size) / float64(len(c.Body))))
		s.left.Store(sampledAgain - 1)
	}
	return size
}

// scaleOf names a model at its upstream, and what it is asked in.
type scaleOf struct {
	upstream, model string
	letters         letters
}

// shortScale is what short chats weigh.
type shortScale struct {
	tokens atomic.Uint64 // a byte, as the bits of a float
	left   atomic.Int32  // chats until one is looked at again
}

// nowhere is how many times a short chat would fit under the level it is nowhere near of.
const nowhere = 16

// sampledAgain is after how many short chats one is looked at.
const sampledAgain = 128

const (
	// usualBytes is how many bytes of a body are a token mostly.
	usualBytes = 4
	// mostBytes is how many bytes of a body are a token at most, media aside: letters written as \uXXXX, blanks.
	mostBytes = 32
	// likely is how far an upstream's count may be off what a chat was taken to weigh in any case, in tokens.
	likely = 64
	// telling is from which size on, in bytes, a chat tells better than others how many bytes a token is in it.
	telling = 1024
	// otherSettings bounds how much a body may differ beside its messages to have the same tools, in bytes.
	otherSettings = 64
)

// said returns what the upstream counted for the chat that c begins with, if it was asked with the same tools.
func (x *exchange) said(c *chat.Chat) (chat.Reported, bool) {
	if c.Before == nil {
		return chat.Reported{}, false
	}
	said := c.Before.Reported(x.up.Name, c.Model)
	off := beside(c) - said.Beside
	return said, said.Prompt > 0 && max(off, -off) <= otherSettings
}

// tell remembers what the upstream counted for x's chat, which went out as it came, for those that begin with it.
func (x *exchange) tell(usage chat.Usage) {
	if !x.credible(usage.Prompt) {
		return
	}
	x.told = chat.Reported{
		Prompt: usage.Prompt, Answer: usage.Completion, Size: len(x.chat.Body), Beside: beside(x.chat),
	}
	if x.chat.After != nil {
		x.chat.After.Report(x.up.Name, x.chat.Model, x.told)
	}
}

// credible reports whether an upstream may have counted all of x's chat. Some count only what they did not have in their
// cache, and a chat that is taken for as small as that would never be looked at again, and outgrow its window.
func (x *exchange) credible(prompt int) bool {
	size := len(x.chat.Body)
	if prompt < size/mostBytes || 2*(prompt+likely) < x.decision.After {
		return false
	}
	before, ok := x.said(x.chat)
	return !ok || prompt >= before.Prompt+(size-before.Size)/mostBytes
}

// beside is how many bytes of c are not messages.
func beside(c *chat.Chat) int { return len(c.Body) - c.List.Len() }

// scalesRemembered bounds what is remembered per upstream and model.
const scalesRemembered = 1000

// maxModelName bounds the names that are remembered, in bytes.
const maxModelName = 256
