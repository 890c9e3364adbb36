package middleware

import (
	"sync"
	"sync/atomic"
	"time"

	"recap/chat"
	"recap/dialect"
	"recap/stats"
	"recap/tokens"
)

// What is looked at behind the answer of chats that were only glanced at, each second. Their keys are needed for the
// accounts alone, and a proxy that is under load has better things to do: what is over this is counted as missed. Only the
// bytes that were never read before count; what a second leaves over, the next one has too.
const (
	glimpsesASecond     = 16
	glimpseBytesASecond = 256 << 10
)

// allowance is how much of the second has been used up. It may be off by a few when two requests meet.
type allowance struct {
	second, count atomic.Int64
	paid          atomic.Int64 // until when the bytes that were read are paid for, Unix nanoseconds
}

// take reports whether a chat of which size bytes are new may be looked at now. A large one may, where nothing is owed; then
// it is owed for.
func (a *allowance) take(now time.Time, size int) bool {
	if second := now.Unix(); a.second.Swap(second) != second {
		a.count.Store(0)
	}
	paid, clock := a.paid.Load(), now.UnixNano()
	if a.count.Load() >= glimpsesASecond || paid > clock {
		return false
	}
	a.count.Add(1)
	cost := int64(size) * int64(time.Second) / glimpseBytesASecond
	a.paid.Store(max(paid, clock-int64(time.Second)) + cost)
	return true
}

// claim takes down what the accounts need of a request that was only glanced at, while its head is there.
func (x *exchange) claim() {
	if !x.c.glimpses.left.take(x.start, len(x.chat.Body)-x.chat.Read) {
		x.c.branches.Missed()
		return
	}
	x.belong()
	x.claimed, x.side = true, dialect.SideTask(x.head.value)
}

// glimpse is an exchange whose keys are not known yet. Where it waits, it keeps the body until they are.
type glimpse struct {
	body string
	loan dialect.Loan // of the memory that body is in
	kept bool         // somebody else goes on reading that
	d    dialect.Dialect
	mark uint64 // of the tenant
	seed chat.Key
	side bool
	turn stats.Turn
	told chat.Reported // zero = nothing
}

// glimpses are looked at one after the other, in the order in which they ended.
type glimpses struct {
	left    allowance
	mu      sync.Mutex
	waiting []glimpse
	working bool
}

// lookedAtOnce is up to how many new bytes a chat is looked at there and then: to hold on to a body costs more, for the next
// request of its conversation has to be read to other memory.
const lookedAtOnce = 16 << 10

// glimpse finds out the keys of x's chat for the accounts.
func (x *exchange) glimpse(t stats.Turn) {
	g := glimpse{
		body: x.chat.Body, d: x.d, mark: x.mark, seed: x.c.seed(x.tenant, x.up.Name, x.c.recipe),
		side: x.side, turn: t, told: x.told,
	}
	if len(g.body)-x.chat.Read <= lookedAtOnce && x.c.glimpses.idle() {
		x.c.look(&g)
		return
	}
	g.loan, g.kept = x.loan, x.kept
	x.kept, x.loan = true, dialect.Loan{}
	x.c.glimpses.push(x.c, g)
}

// idle reports whether none waits: they are looked at in the order in which they ended.
func (g *glimpses) idle() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.working
}

func (g *glimpses) push(c *Compactor, one glimpse) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = append(g.waiting, one)
	if !g.working {
		g.working = true
		c.behind(func() { g.work(c) })
	}
}

func (g *glimpses) next() (one glimpse, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.waiting) == 0 {
		g.waiting, g.working = nil, false
		return glimpse{}, false
	}
	one = g.waiting[0]
	g.waiting = g.waiting[1:]
	return one, true
}

func (g *glimpses) work(c *Compactor) {
	for one, ok := g.next(); ok; one, ok = g.next() {
		c.look(&one)
		if free := one.loan.Return(one.kept); !one.kept {
			spaces.put(free)
		}
	}
}

// resumed reads the chat of a glimpse, on from what is known of it: it costs what is new in it.
func (c *Compactor) resumed(g *glimpse) (*chat.Chat, error) {
	if r, ok := g.d.(dialect.Glancer); ok {
		return r.DecodeFor(g.mark, g.body, c.facts)
	}
	return g.d.Decode(g.body, c.facts)
}

// look reads the chat of a glimpse and adds it to the accounts.
func (c *Compactor) look(g *glimpse) {
	defer c.contain("accounts")
	ch, err := c.resumed(g)
	if err != nil {
		c.branches.Missed()
		return
	}
	if ch.After != nil && g.told.Prompt > 0 { // for the request that will be read because it has come near a level
		ch.After.Report(g.turn.Labels.Upstream, ch.Model, g.told)
	}
	if g.side || dialect.SideRequest(noHeader, ch) {
		c.branches.Side(g.turn.Spent)
		return
	}
	o := chat.NewOutline(ch)
	g.turn.Keys = chat.Keys(o, g.seed)
	g.turn.Answer = func(position int) (int, float64) {
		m := o.At(position)
		if m.Role != chat.Assistant {
			return 0, 0
		}
		n := tokens.Estimate(m.Text())
		return n, c.price(ch.Model).Cost(chat.Usage{Completion: n})
	}
	c.branches.Record(&g.turn)
}

func noHeader(string) string { return "" }
