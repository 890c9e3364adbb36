package middleware

import (
	"errors"
	"io"
	"log/slog"
	"strings"
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

// Call is one relay of a request to an upstream. It has the fields of proxy.Call, so that it can be converted into one.
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

// Outcome is how a relay ended: proxy.Outcome, without its package.
type Outcome = struct {
	Status     int
	Complete   bool // the whole answer reached the client
	ClientGone bool
	Err        error
	FirstByte  time.Duration
	Total      time.Duration
	Bytes      int64 // of the answer's body, as written to the client
}

// ErrTooLarge is what the reader of Deps.Open gives for a body over the limit.
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

	// Open returns a reader of a request's body, as it came, of limit bytes at most: more give ErrTooLarge. It is read once.
	Open func(ctx *fasthttp.RequestCtx, limit int64) io.Reader
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
	// farthest is the highest prepare level that was met, in tokens, see alwaysFar.
	farthest atomic.Int64
	// shortNear is how many of the next short chats are looked for among known ones at once, see shortIsNear.
	shortNear atomic.Int32
	short     *chat.Memo[scaleOf, *shortScale]
	cuts      *tokens.Cuts
	recipe    string // of requests without overrides
	seeds     *chat.Memo[[3]string, chat.Key]
	openings  *chat.Memo[openingOf, chat.Key] // keys of first messages
	met       *chat.Memo[string, bool]        // with an upstream and model, see exchange.first

	branches *stats.Branches
	glimpses glimpses
	prices   *chat.Memo[string, tokens.Price] // nil = the file names none

	paths, keys sameAgain // of the newest requests

	background sync.WaitGroup
	atWork     atomic.Int64 // exchanges that are open, and what runs behind them
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
		short:   chat.NewMemo[scaleOf, *shortScale](scalesRemembered),
		cuts:    tokens.NewCuts(),
		recipe:  summarizer.Recipe(&d.Config.Summarization, d.Config.Summarization.Model),
		met:     chat.NewMemo[string, bool](metRemembered),
		seeds:   chat.NewMemo[[3]string, chat.Key](tenantsRemembered),

		openings: chat.NewMemo[openingOf, chat.Key](openingsRemembered),

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

// Busy reports whether an exchange is open or anything runs behind one that is over. What it hands on is handed on before
// it is over.
func (c *Compactor) Busy() bool { return c.atWork.Load() > 0 }

// Handle serves one request.
func (c *Compactor) Handle(ctx *fasthttp.RequestCtx) {
	d := c.dialect(ctx)
	if d == nil {
		c.pass(ctx)
		return
	}
	x := newExchange(c, d)
	defer x.release()
	x.serve(ctx)
}

// dialect finds the format by the path. Only a request target in absolute form is worth parsing for that.
func (c *Compactor) dialect(ctx *fasthttp.RequestCtx) dialect.Dialect {
	if !ctx.IsPost() {
		return nil
	}
	target := ctx.RequestURI()
	if len(target) < 2 || target[0] != '/' || target[1] == '/' {
		target = ctx.URI().PathOriginal()
	}
	path := c.paths.text(target)
	if end := strings.IndexAny(path, "?#"); end >= 0 {
		path = path[:end]
	}
	return dialect.For(fasthttp.MethodPost, path)
}

// pass relays what is not a chat; its body is not read.
func (c *Compactor) pass(ctx *fasthttp.RequestCtx) {
	c.Stats.Relayed() // the proxy keeps our own headers from the upstream
	c.Relay(ctx, Call{Upstream: c.pick(ctx, "").Name})
}

// pick finds the upstream by the Host that was asked for and the model.
func (c *Compactor) pick(ctx *fasthttp.RequestCtx, model string) *config.Upstream {
	if len(c.Config.Upstreams) == 1 {
		return &c.Config.Upstreams[0]
	}
	at, _ := c.Config.PickUpstream(string(ctx.Host()), model)
	return &c.Config.Upstreams[at]
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
	c.atWork.Add(1)
	c.background.Add(1)
	go func() {
		defer c.background.Done()
		defer c.atWork.Add(-1)
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
