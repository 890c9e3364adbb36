package dashboard

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"recap/cache"
	"recap/chat"
)

// checkpoint is the JSON form of a chat.Checkpoint.
type checkpoint struct {
	Key          string    `json:"key"`
	Parent       string    `json:"parent,omitempty"`
	Lineage      string    `json:"lineage,omitempty"`
	Tenant       string    `json:"tenant"`
	Upstream     string    `json:"upstream"`
	Recipe       string    `json:"recipe"`
	Session      string    `json:"session"`
	From         int       `json:"from"`
	To           int       `json:"to"` // also what it covers
	RowFrom      int       `json:"rowFrom"`
	Tokens       int       `json:"tokens"`
	LedgerTokens int       `json:"ledgerTokens"`
	Model        string    `json:"model"`
	Provisional  bool      `json:"provisional"`
	Pinned       bool      `json:"pinned"`
	Sealed       bool      `json:"sealed"`
	Windows      []int     `json:"windows"`
	Created      time.Time `json:"created"`
	Updated      time.Time `json:"updated"`
	Used         time.Time `json:"used"`
	Text         *string   `json:"text,omitempty"` // left out of lists
	Ledger       *string   `json:"ledger,omitempty"`
}

func brief(cp *chat.Checkpoint) checkpoint {
	c := checkpoint{
		Key: cp.Key.String(), Tenant: cp.Tenant, Upstream: cp.Upstream, Recipe: cp.Recipe, Session: cp.Session,
		From: cp.From, To: cp.To, RowFrom: cp.RowFrom, Tokens: cp.Tokens, LedgerTokens: cp.LedgerTokens,
		Model: cp.Model, Provisional: cp.Provisional, Pinned: cp.Pinned, Sealed: cp.Sealed,
		Windows: append([]int{}, cp.Windows...), Created: cp.Created, Updated: cp.Updated, Used: cp.Used,
	}
	if !cp.Parent.IsZero() {
		c.Parent = cp.Parent.String()
	}
	if !cp.Lineage.IsZero() {
		c.Lineage = cp.Lineage.String()
	}
	return c
}

// briefs leaves the texts out.
func briefs(list []chat.Checkpoint, keep func(*chat.Checkpoint) bool) []checkpoint {
	out := []checkpoint{}
	for i := range list {
		if keep(&list[i]) {
			out = append(out, brief(&list[i]))
		}
	}
	return out
}

// limitOf is how many rows a list is asked for; 0 = all. Where it is no number the request is answered already.
func limitOf(ctx *fasthttp.RequestCtx) (limit int, ok bool) {
	raw := ctx.QueryArgs().Peek("limit")
	if len(raw) == 0 {
		return 200, true
	}
	n, err := fasthttp.ParseUint(raw)
	if err != nil {
		fail(ctx, 400, "bad-limit", "limit is a number, 0 = all")
	}
	return n, err == nil
}

func (a *Admin) list(ctx *fasthttp.RequestCtx, _ string) {
	limit, ok := limitOf(ctx)
	if !ok {
		return
	}
	within, cancel := a.within()
	defer cancel()
	list, err := a.o.Store.List(within, string(ctx.QueryArgs().Peek("tenant")), limit)
	if err != nil {
		a.failStore(ctx, "list", err)
		return
	}
	all := briefs(list, func(*chat.Checkpoint) bool { return true })
	answer(ctx, 200, map[string]any{"checkpoints": all})
}

func (a *Admin) show(ctx *fasthttp.RequestCtx, part string) {
	if key, ok := parse(ctx, part); ok {
		a.tell(ctx, key)
	}
}

// tell answers with one checkpoint as it is stored now.
func (a *Admin) tell(ctx *fasthttp.RequestCtx, key chat.Key) {
	within, cancel := a.within()
	defer cancel()
	cp, err := a.o.Store.Get(within, key)
	if err != nil {
		a.failStore(ctx, "get", err)
		return
	}
	c := brief(&cp)
	c.Text, c.Ledger = &cp.Text, &cp.Ledger
	answer(ctx, 200, c)
}

// change is what PUT and pin may ask for; what is absent stays.
type change struct {
	Text   *string `json:"text"`
	Pinned *bool   `json:"pinned"`
}

func (a *Admin) edit(ctx *fasthttp.RequestCtx, part string) {
	key, ok := parse(ctx, part)
	if !ok {
		return
	}
	var c change
	if !read(ctx, &c) {
		return
	}
	switch {
	case c.Text == nil && c.Pinned == nil:
		fail(ctx, 400, "no-change", "send text, pinned or both")
	case c.Text != nil && strings.TrimSpace(*c.Text) == "":
		fail(ctx, 400, "empty-text", "an empty summary stands for nothing; delete it instead")
	case c.Text != nil && a.o.Measure == nil:
		fail(ctx, 501, "not-available", "texts cannot be measured here")
	default:
		a.apply(ctx, key, c)
	}
}

func (a *Admin) pin(ctx *fasthttp.RequestCtx, part string) {
	key, ok := parse(ctx, part)
	if !ok {
		return
	}
	var c change
	if len(ctx.PostBody()) > 0 && !read(ctx, &c) {
		return
	}
	if c.Pinned == nil {
		yes := true
		c.Pinned = &yes
	}
	a.apply(ctx, key, change{Pinned: c.Pinned})
}

func (a *Admin) apply(ctx *fasthttp.RequestCtx, key chat.Key, c change) {
	within, cancel := a.within()
	defer cancel()
	tokens := 0
	if c.Text != nil {
		tokens = a.o.Measure(*c.Text)
	}
	err := a.o.Store.Change(within, key, func(cp *chat.Checkpoint) {
		if c.Text != nil {
			cp.Text, cp.Tokens = *c.Text, tokens
		}
		if c.Pinned != nil {
			cp.Pinned = *c.Pinned
		}
	})
	if err != nil {
		a.failStore(ctx, "change", err)
		return
	}
	a.tell(ctx, key)
}

func (a *Admin) remove(ctx *fasthttp.RequestCtx, part string) {
	key, ok := parse(ctx, part)
	if !ok {
		return
	}
	within, cancel := a.within()
	defer cancel()
	if err := a.o.Store.Delete(within, key); err != nil {
		a.failStore(ctx, "delete", err)
		return
	}
	ctx.SetStatusCode(204)
}

func parse(ctx *fasthttp.RequestCtx, part string) (chat.Key, bool) {
	key, err := chat.ParseKey(part)
	if err != nil {
		fail(ctx, 400, "bad-key", "a key is 32 hexadecimal digits")
	}
	return key, err == nil
}

// read decodes the body; an unknown member is an error, that no wish is lost silently.
func read(ctx *fasthttp.RequestCtx, into *change) bool {
	decoder := json.NewDecoder(strings.NewReader(string(ctx.PostBody())))
	decoder.DisallowUnknownFields()
	if decoder.Decode(into) != nil || decoder.More() {
		fail(ctx, 400, "bad-body", `want a JSON object with "text" (string) and "pinned" (true or false)`)
		return false
	}
	return true
}

// failStore answers for the store. Its errors hold no texts and no keys.
func (a *Admin) failStore(ctx *fasthttp.RequestCtx, op string, err error) {
	if errors.Is(err, cache.ErrNotFound) {
		fail(ctx, 404, "no-such-checkpoint", "there is no checkpoint under this key")
		return
	}
	a.o.Stats.StoreError(op)
	fail(ctx, 503, "store", err.Error())
}
