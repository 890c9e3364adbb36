package middleware

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"recap/cache"
	"recap/chat"
	"recap/compaction"
	"recap/config"
	"recap/dialect"
	"recap/pruning"
	"recap/summarizer"
	"recap/tokens"
)

// exchange is one chat request on its way. Nothing in it points into fasthttp's memory: it outlives the handler.
type exchange struct {
	c     *Compactor
	d     dialect.Dialect
	start time.Time
	id    string

	up      *config.Upstream
	ov      config.Overrides
	session string
	tenant  string
	mark    uint64 // of the tenant, see Tenant.Find
	recipe  string
	path    string // with query
	creds   [len(credentials)]string
	head    *requestHeaders // until the handler returns

	chat     *chat.Chat
	outline  *chat.Outline
	keys     []chat.Key
	options  *summarizer.Options
	window   tokens.Window
	sizes    tokens.Sizes
	side     bool
	input    compaction.Input
	decision compaction.Decision

	status  chat.Status
	reason  string // of a bypass
	broke   bool   // the sent prefix is not that of the request before
	summary summarizer.State
	tap     tap
	calls   calls
	claims  int32        // who holds it, see release
	space   []byte       // of the body that came, where it is its own
	loan    dialect.Loan // where it is a known conversation's
	kept    bool         // somebody needs that longer than the exchange

	sentBody   []byte        // what was sent in place of the chat's own bytes; nil = these
	relayed    bool          // it was sent
	relaying   int           // so many bytes
	told       chat.Reported // what the upstream counted for the body, which went out as it came
	glanced    *chat.Chat    // what was seen at a glance of a chat that is read after all
	sampled    int           // tokens of a chat that is only glanced at, by a part of it; 0 = the upstream has said enough
	streaming  bool          // counted as an open stream
	encoded    bool          // the body goes out compressed, as it came
	dry        bool          // it is only explained
	claimed    bool          // of a chat that was only glanced at: its keys are found out for the accounts, see claim
	changed    bool          // the request carries overrides
	overflowed bool          // the upstream said that the context is too long
	retried    bool          // a shorter plan was sent after that
	awaits     bool          // a summary of this chat was on its way when it was decided on
	waited     bool          // the wait for a window that one request may have is spent
}

// serve takes a request through reading, decision and relay.
func (x *exchange) serve(ctx *fasthttp.RequestCtx) {
	x.head = newRequestHeaders(&ctx.Request.Header)
	x.id, x.path = requestID(x.head.bytes("X-Request-Id"), ctx.ID()), x.c.paths.text(ctx.RequestURI())
	defer x.leave()
	if err := x.override(); err != nil {
		x.refuse(ctx, fasthttp.StatusBadRequest, "", "recap: "+err.Error())
		return
	}
	if x.ov.Mode == config.Off && len(x.c.Config.Upstreams) == 1 {
		x.up, x.status = &x.c.Config.Upstreams[0], chat.Off
		x.relay(ctx, nil)
		return
	}
	body, err := x.body(ctx)
	if err != nil {
		x.unreadable(ctx, err)
		return
	}
	sent := x.plan(ctx, body)
	if sent == nil {
		sent = x.c.Bytes(body)
	} else {
		ctx.Request.Header.Del("Content-Encoding")
		x.encoded = false
	}
	if !x.encoded {
		sent = x.guarded(sent)
	}
	x.relay(ctx, sent)
}

// plan decides what happens to body and returns what is sent instead, nil for the original bytes. Whatever goes wrong
// in here costs the compaction, not the request (promise P2).
func (x *exchange) plan(ctx *fasthttp.RequestCtx, body string) (sent []byte) {
	defer func() {
		if p := recover(); p != nil {
			x.c.panicked("plan", p)
			sent = nil
			if x.up == nil {
				x.pick(ctx, "")
			}
			x.bypass("panic")
		}
	}()
	x.takeCredentials()
	plain, ok := x.decompress(ctx, body)
	if !ok || x.far(ctx, plain) || !x.understand(ctx, plain) || !x.weigh() {
		return nil
	}
	x.decide()
	x.await()
	return x.apply()
}

// decompress returns the body as JSON. One whose coding is not known is relayed untouched.
func (x *exchange) decompress(ctx *fasthttp.RequestCtx, body string) (string, bool) {
	encoding := ctx.Request.Header.ContentEncoding()
	if len(encoding) == 0 {
		return body, true
	}
	x.encoded = true
	plain, err := x.c.Decompress(body, string(encoding), x.c.Config.Limits.Body)
	if err != nil {
		x.pick(ctx, "")
		x.bypass("content-encoding")
		return "", false
	}
	return plain, true
}

// pick finds the upstream by the Host that was asked for and the model.
func (x *exchange) pick(ctx *fasthttp.RequestCtx, model string) {
	x.up = x.c.pick(ctx, model)
}

// understand decodes body and finds out who asks whom.
func (x *exchange) understand(ctx *fasthttp.RequestCtx, body string) bool {
	c, err := x.decode(body)
	model := ""
	if err == nil {
		model = c.Model
	}
	x.pick(ctx, model)
	if x.ov.Mode == config.Off {
		x.status = chat.Off
		return false
	}
	if err != nil {
		x.bypass(oddReason(err))
		return false
	}
	x.read(c)
	return true
}

// decode reads body with what is remembered of the same tenant's chats.
func (x *exchange) decode(body string) (*chat.Chat, error) {
	x.belong()
	g, ok := x.d.(dialect.Glancer)
	switch {
	case x.mark == 0: // nobody asked while the head was there
		return x.d.Decode(body, nil)
	case !ok:
		return x.d.Decode(body, x.c.facts)
	}
	return g.DecodeFor(x.mark, body, x.c.facts)
}

// belong finds out whose request it is, while its head is there.
func (x *exchange) belong() {
	if x.mark == 0 && x.head != nil {
		_, query, _ := strings.Cut(x.path, "?")
		x.tenant, x.mark = x.c.Tenant.Find(x.head.value, query)
	}
}

// read finds out who asks whom about what: label, tenant, keys.
func (x *exchange) read(c *chat.Chat) {
	x.chat, x.options, x.recipe = c, &x.c.Config.Summarization, x.c.recipe
	if x.changed {
		options := x.ov.Apply(x.c.Config.Summarization)
		x.options, x.recipe = &options, summarizer.Recipe(&options, options.Model)
	}
	header := x.head.value
	x.session = x.ov.Session
	if x.session == "" {
		x.session = dialect.Session(header, c)
	}
	x.side = dialect.SideRequest(header, c)
	x.belong()
	x.outline = chat.NewOutline(c)
	x.keys = chat.Keys(x.outline, x.c.seed(x.tenant, x.up.Name, x.recipe))
}

// takeCredentials keeps what lets this chat's requests in, once and before anybody asks: a probe of the window reads it
// in the background, and the handler may be gone then.
func (x *exchange) takeCredentials() {
	for i, name := range credentials {
		x.creds[i] = x.c.keys.text(x.head.bytes(name))
	}
}

// weigh finds the window and the sizes.
func (x *exchange) weigh() bool {
	x.lookUp()
	if x.window.Size <= 0 {
		x.warnWindow()
		x.bypass(unknownWindow)
		return false
	}
	if x.window.Guessed && x.first("guessed") {
		x.c.Log.Info("context window guessed until the upstream tells it; set models[].contextWindow if it never does",
			"upstream", x.up.Name, "model", shown(x.chat.Model), "window", x.window.Size, "source", x.window.Source)
	}
	x.sizes = x.c.weighed.sizes(x)
	x.c.Stats.TokenMemo(len(x.sizes.Messages)-x.sizes.Fresh, x.sizes.Fresh)
	return true
}

// ask is the question for the window of this request.
func (x *exchange) ask() tokens.Ask {
	return tokens.Ask{
		Upstream: x.up.Name, URL: x.up.URL, Header: x.calls.creds, Model: x.chat.Model,
		Native: x.d.Name() == "ollama", NumCtx: x.chat.NumCtx, Override: x.ov.ContextWindow,
	}
}

// decide looks up what is stored and asks compaction.
func (x *exchange) decide() {
	find := x.c.Store.Find // the store bounds its own patience
	if x.dry {
		find = func(ctx context.Context, keys []chat.Key) ([]chat.Checkpoint, error) {
			return cache.Peek(ctx, x.c.Store, keys)
		}
	}
	stored, err := find(context.Background(), x.findable())
	if err != nil {
		x.c.Stats.StoreError("find")
		x.c.Log.Warn("store does not answer, going on without checkpoints", "id", x.id, "error", err)
	}
	x.input = compaction.Input{
		Outline: x.outline, Keys: x.keys, Sizes: x.sizes, Window: x.window, Stored: stored,
		Options: x.options, Prune: x.pruner(), Side: x.side, Force: x.ov.Mode == config.Force,
	}
	x.decision = compaction.Decide(x.input)
	x.c.mayBeFar(x.decision.Levels.Prepare)
	x.status = x.decision.Status
	x.warnOver()
}

// findable are those of x's keys under which anything can be stored.
func (x *exchange) findable() []chat.Key {
	s, ok := x.c.Store.(cache.Shallow)
	if !ok || len(x.keys) == 0 {
		return x.keys
	}
	least := s.ShallowestOf(x.keys[0])
	if least == 0 || least > len(x.keys) {
		return nil
	}
	return x.keys[least-1:]
}

func (x *exchange) pruner() func(bool) pruning.Result {
	if !x.options.ContextPruning.Enabled {
		return nil
	}
	return func(urgent bool) pruning.Result {
		return x.c.Pruner.Prune(x.chat, &x.options.ContextPruning, x.window.Size, urgent)
	}
}

// await waits for a summary where the client asked to: nobody else ever waits (promise P3).
func (x *exchange) await() {
	patience := x.ov.Wait
	if x.ov.Mode == config.Force && patience == 0 {
		patience = forcePatience
	}
	if patience == 0 || x.ov.Mode == config.Observe {
		return
	}
	if x.decision.Job != nil {
		x.c.Queue.Submit(x.job())
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	x.c.Queue.Wait(ctx, x.keys, x.window.Size)
	x.decide()
}

// forcePatience is how long X-Recap-Mode: force waits without X-Recap-Wait.
const forcePatience = 2 * time.Minute

// apply turns the decision into bytes and starts what must be remembered of it.
func (x *exchange) apply() []byte {
	x.summary = x.state()
	if x.ov.Mode == config.Observe {
		x.status = chat.Observed
		return nil
	}
	x.broke, x.sentBody = x.c.sent.broke(x), nil
	if x.decision.Plan.Empty() {
		x.diagnose(nil)
		return nil
	}
	size := planned(x.chat, &x.decision.Plan)
	space := spaces.take(size)
	if space == nil {
		space = make([]byte, 0, size+size/8) // the next ones of its chat fit too
	}
	sent, err := x.d.Apply(space[:0], x.chat, &x.decision.Plan)
	if err != nil {
		x.c.Log.Error("plan does not fit its chat", "id", x.id, "error", err)
		x.bypass("apply")
		return nil
	}
	x.sentBody = sent
	x.weighNote()
	x.remember()
	x.diagnose(sent)
	return sent
}

// state is what X-Recap-Summary says.
func (x *exchange) state() summarizer.State {
	state := x.c.Queue.State(x.keys, x.window.Size)
	x.awaits = state == summarizer.Queued || state == summarizer.Running
	if x.decision.Job != nil && (state == summarizer.None || state == summarizer.Ready) {
		return summarizer.Due
	}
	return state
}

// unknownWindow is the reason why chats of a model are left alone; the log has warned of it once.
const unknownWindow = "unknown-window"

// bypass marks the request as relayed untouched.
func (x *exchange) bypass(reason string) {
	x.status, x.reason = chat.Bypass, reason
	x.decision = compaction.Decision{}
}

// warnWindow warns, once, of a model whose window nobody tells. While the upstream is being asked for the first time
// the next request may well know it.
func (x *exchange) warnWindow() {
	if x.c.Windows.Asked(x.ask()) && x.first("unknown") {
		x.c.Log.Warn("context window unknown, chats of this model are not compacted; set models[].contextWindow",
			"upstream", x.up.Name, "model", shown(x.chat.Model))
	}
}

func (c *Compactor) panicked(where string, p any) {
	c.Stats.Panic()
	c.Log.Error("contained a panic", "where", where, "type", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
}

// shown is a client's word for the log: printable and short.
func shown(text string) string {
	if len(text) > 100 {
		text = text[:100]
	}
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f {
			return '?'
		}
		return r
	}, text)
}
