package dashboard

import (
	"net/url"
	"slices"
	"time"

	"github.com/valyala/fasthttp"

	"recap/cache"
	"recap/chat"
	"recap/stats"
)

// session is one branch of a conversation: numbers and names, no text. docs/admin.md tells each field.
type session struct {
	ID         string      `json:"id"`
	Session    string      `json:"session"` // label
	Tenant     string      `json:"tenant"`
	Upstream   string      `json:"upstream"`
	Dialect    string      `json:"dialect"`
	Model      string      `json:"model"`
	Messages   int         `json:"messages"`
	First      time.Time   `json:"first"`
	Last       time.Time   `json:"last"`
	Status     chat.Status `json:"status"`
	Gauge      stats.Gauge `json:"gauge"`
	Checkpoint string      `json:"checkpoint,omitempty"`
	Covers     int         `json:"covers"`
	Rows       int         `json:"rows"`
	Summary    string      `json:"summary"`
	Usage      stats.Spend `json:"usage"`
	Again      stats.Spend `json:"again"`
	Summaries  stats.Spend `json:"summaries"`
	Cost       float64     `json:"cost"`
	Failed     int         `json:"failed"`
	Since      int         `json:"since"`
	Gaps       bool        `json:"gaps"`
}

// exchanged is one exchange of a branch.
type exchanged struct {
	Messages int         `json:"messages"`
	Time     time.Time   `json:"time"`
	Gauge    stats.Gauge `json:"gauge"`
	Usage    stats.Spend `json:"usage"`
}

// written is what the summary calls for one checkpoint used.
type written struct {
	Key    string      `json:"key"`
	Covers int         `json:"covers"`
	Usage  stats.Spend `json:"usage"`
}

func newSession(b *stats.Branch) session {
	s := session{
		ID: b.ID.String(), Session: b.Labels.Session, Tenant: b.Labels.Tenant, Upstream: b.Labels.Upstream,
		Dialect: b.Labels.Dialect, Model: b.Labels.Model, Messages: b.Messages,
		First: time.UnixMilli(b.First).UTC(), Last: time.UnixMilli(b.Last).UTC(), Status: b.Status, Gauge: b.Gauge,
		Covers: b.Covers, Rows: b.Rows, Summary: b.Summary, Usage: b.Usage, Again: b.Again, Summaries: b.Summaries,
		Cost: b.Usage.Cost + b.Again.Cost + b.Summaries.Cost, Failed: b.Failed, Since: b.Since, Gaps: b.Gaps,
	}
	if !b.Used.IsZero() {
		s.Checkpoint = b.Used.String()
	}
	return s
}

func (a *Admin) sessions(ctx *fasthttp.RequestCtx, _ string) {
	limit, ok := limitOf(ctx)
	if !ok {
		return
	}
	tenant := string(ctx.QueryArgs().Peek("tenant"))
	branches, side, missed := a.o.Stats.Branches().List(0)
	list := []session{}
	for i := range branches {
		if tenant != "" && branches[i].Labels.Tenant != tenant {
			continue
		}
		if limit > 0 && len(list) == limit {
			break
		}
		list = append(list, newSession(&branches[i]))
	}
	answer(ctx, 200, map[string]any{"sessions": list, "side": side, "missed": missed})
}

// session answers for the id of a branch, or for a label: then with the newest branch that carries it.
func (a *Admin) session(ctx *fasthttp.RequestCtx, part string) {
	label, err := url.PathUnescape(part)
	if err != nil {
		fail(ctx, 400, "bad-label", "the label is not escaped as it should be")
		return
	}
	b, ok := a.branch(label)
	if !ok {
		a.forgotten(ctx, label)
		return
	}
	checkpoints, err := a.checkpointsOf(&b)
	if err != nil {
		a.failStore(ctx, "find", err)
		return
	}
	exchanges, calls := []exchanged{}, []written{}
	for _, e := range b.Exchanges {
		exchanges = append(exchanges, exchanged{e.Messages, time.UnixMilli(e.Time).UTC(), e.Gauge, e.Spent})
	}
	for _, w := range b.Written {
		calls = append(calls, written{w.Key.String(), w.Covers, w.Spent})
	}
	answer(ctx, 200, map[string]any{
		"session": newSession(&b), "exchanges": exchanges, "written": calls, "checkpoints": checkpoints,
	})
}

// forgotten answers for a conversation whose accounts are gone, after a restart for instance: checkpoints may still carry
// its label.
func (a *Admin) forgotten(ctx *fasthttp.RequestCtx, label string) {
	within, cancel := a.within()
	defer cancel()
	list, err := a.o.Store.List(within, "", 0)
	if err != nil {
		a.failStore(ctx, "list", err)
		return
	}
	kept := briefs(list, func(cp *chat.Checkpoint) bool { return label != "" && cp.Session == label })
	if len(kept) == 0 {
		fail(ctx, 404, "no-such-session", "no conversation that is remembered has this id or label")
		return
	}
	answer(ctx, 200, map[string]any{"session": nil, "exchanges": []exchanged{}, "written": []written{}, "checkpoints": kept})
}

func (a *Admin) branch(name string) (stats.Branch, bool) {
	all := a.o.Stats.Branches()
	if id, err := chat.ParseKey(name); err == nil {
		if b, ok := all.Get(id); ok {
			return b, true
		}
	}
	list, _, _ := all.List(0)
	for i := range list {
		if name != "" && list[i].Labels.Session == name {
			return all.Get(list[i].ID)
		}
	}
	return stats.Branch{}, false
}

// checkpointsOf returns those that are stored of what fits the branch, the one that covers least first, without texts.
// Being shown does not count as being used.
func (a *Admin) checkpointsOf(b *stats.Branch) ([]checkpoint, error) {
	keys := slices.Clone(b.Stored)
	for _, w := range b.Written {
		keys = append(keys, w.Key)
	}
	if !b.Used.IsZero() {
		keys = append(keys, b.Used)
	}
	slices.SortFunc(keys, func(x, y chat.Key) int { return slices.Compare(x[:], y[:]) })
	within, cancel := a.within()
	defer cancel()
	list, err := cache.Peek(within, a.o.Store, slices.Compact(keys))
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(x, y chat.Checkpoint) int { return x.To - y.To })
	return briefs(list, func(*chat.Checkpoint) bool { return true }), nil
}
