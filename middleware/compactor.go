package middleware

import (
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"recap/cache"
	"recap/chat"
	"recap/config"
	"recap/dialect"
	"recap/pruning"
	"recap/stats"
	"recap/summarizer"
	"recap/tokens"
)

// Call is one relay of a request to an upstream; the proxy's words are the same. See proxy.Call.
type Call struct {
	Upstream  string
	Body      []byte // nil: the request's own
	Header    func(h *fasthttp.ResponseHeader, status int)
	Tap       io.Writer
	Retry     func(status int, body []byte) (next []byte, ok bool)
	Early     time.Duration
	Ended     func(Outcome)
	ErrorBody func(status int, code, message string) []byte
}

// Outcome is how a relay ended.
type Outcome struct {
	Status     int
	Complete   bool // the whole answer reached the client
	ClientGone bool
	Err        error
	FirstByte  time.Duration
	Total      time.Duration
}

// ErrTooLarge is what Deps.Read returns for a body over the limit.
var ErrTooLarge = errors.New("read body: over limits.body")

// Deps are what a Compactor works with. All are required.
type Deps struct {
	Config  *config.Config
	Store   cache.Store
	Queue   *summarizer.Queue
	Counter *tokens.Counter
	Windows *tokens.Windows
	Pruner  *pruning.Pruner
	Tenant  *Tenant
	Stats   *stats.Stats
	Log     *slog.Logger

	// Read reads a request's body once, as it came, into memory of its own.
	Read func(ctx *fasthttp.RequestCtx, limit int64) (string, error)
	// Bytes views a body as bytes that nobody writes to.
	Bytes func(body string) []byte
	// Decompress undoes a content coding of a body that was read.
	Decompress func(body, encoding string, limit int64) (string, error)
	// Relay sends the request on and streams the answer back.
	Relay func(ctx *fasthttp.RequestCtx, call Call)
	// URL joins an upstream's base and a path with its query.
	URL func(upstream, pathAndQuery string) (string, error)
}

// Compactor reads chats, decides, rewrites, relays, and afterwards calibrates and queues the next summary. What is
// not a chat, or not understood, goes on as it came.
type Compactor struct {
	Deps
	facts   *dialect.Facts
	sent    *sentMemo
	weighed weighedMemo
	scale   byteScale
	// farthest is the highest prepare level that was met, in tokens, see alwaysFar.
	farthest atomic.Int64
	cuts     *tokens.Cuts
	recipe   string // of requests without overrides
	seeds    *chat.Memo[[3]string, chat.Key]
	met      *chat.Memo[string, bool] // with an upstream and model, see exchange.first

	branches *stats.Branches
	glimpses glimpses
	prices   *chat.Memo[string, tokens.Price] // nil = the file names none

	background sync.WaitGroup
	behindNow  atomic.Int64
}

// The memories of a compactor, in entries. A message's facts weigh about 300 bytes.
const (
	factsRemembered = 200_000
	sentRemembered  = 20_000
	metRemembered   = 4_000
)

// NewCompactor returns a compactor.
func NewCompactor(d Deps) *Compactor {
	c := &Compactor{
		Deps:    d,
		facts:   chat.NewMemo[dialect.Print, *chat.Facts](factsRemembered),
		sent:    newSentMemo(sentRemembered),
		weighed: newWeighedMemo(),
		scale:   newByteScale(),
		cuts:    tokens.NewCuts(),
		recipe:  summarizer.Recipe(&d.Config.Summarization, d.Config.Summarization.Model),
		met:     chat.NewMemo[string, bool](metRemembered),
		seeds:   chat.NewMemo[[3]string, chat.Key](tenantsRemembered),

		branches: d.Stats.Branches(),
	}
	c.farthest.Store(alwaysFar)
	if anyPrice(d.Config.Models) {
		c.prices = chat.NewMemo[string, tokens.Price](scalesRemembered)
	}
	return c
}

// Close waits for what still runs in the background on behalf of answered requests.
func (c *Compactor) Close() { c.background.Wait() }

// Busy reports whether anything runs behind an answered request.
func (c *Compactor) Busy() bool { return c.behindNow.Load() > 0 }

// Handle serves one request.
func (c *Compactor) Handle(ctx *fasthttp.RequestCtx) {
	d := dialect.For(string(ctx.Method()), string(ctx.URI().PathOriginal()))
	if d == nil {
		c.pass(ctx)
		return
	}
	x := &exchange{c: c, d: d, start: time.Now()}
	x.serve(ctx)
}

// pass relays what is not a chat; its body is not read.
func (c *Compactor) pass(ctx *fasthttp.RequestCtx) {
	c.Stats.Relayed() // the proxy keeps our own headers from the upstream
	at, _ := c.Config.PickUpstream(string(ctx.Host()), "")
	c.Relay(ctx, Call{Upstream: c.Config.Upstreams[at].Name})
}

// seed is chat.Seed, remembered.
func (c *Compactor) seed(tenant, upstream, recipe string) chat.Key {
	who := [3]string{tenant, upstream, recipe}
	seed, ok := c.seeds.Get(who)
	if !ok {
		seed = chat.Seed(tenant, upstream, recipe)
		c.seeds.Put(who, seed)
	}
	return seed
}

// behind runs f behind the request, and counts a panic in it instead of dying of it.
func (c *Compactor) behind(f func()) {
	c.behindNow.Add(1)
	c.background.Add(1)
	go func() {
		defer c.background.Done()
		defer c.behindNow.Add(-1)
		defer c.contain("background")
		f()
	}()
}

// contain ends a panic: a fault of ours never costs a request (promise P2).
func (c *Compactor) contain(where string) {
	if p := recover(); p != nil {
		c.panicked(where, p)
	}
}
