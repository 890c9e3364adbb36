package middleware

import (
	"strings"

	"recap/chat"
	"recap/dialect"
	"recap/stats"
	"recap/tokens"
)

// account adds an exchange to the accounts of its conversation (rows L22, L23). It is called once, behind the answer. A
// chat that was read has its keys already; of one that was only glanced at they are found out in the background, see
// claim.
func (x *exchange) account(o Outcome, report dialect.Report) {
	if x.chat == nil || len(x.keys) == 0 && !x.claimed && x.c.prices == nil {
		return
	}
	t := x.turn(o, report)
	x.c.Stats.ChatCost(x.up.Name, t.Spent.Cost)
	if len(x.keys) == 0 && !x.claimed {
		return
	}
	if len(x.keys) == 0 {
		x.glimpse(t)
		return
	}
	if x.side {
		x.c.branches.Side(t.Spent)
		return
	}
	t.Keys = x.keys
	t.Answer = func(position int) (int, float64) {
		i := x.outline.Index[position]
		if x.chat.Messages[i].Role != chat.Assistant || i >= len(x.sizes.Messages) {
			return 0, 0
		}
		n := x.sizes.Messages[i]
		return n, x.c.price(x.chat.Model).Cost(chat.Usage{Completion: n})
	}
	x.c.branches.Record(&t)
}

// turn puts together what is known of the exchange, its keys aside.
func (x *exchange) turn(o Outcome, report dialect.Report) stats.Turn {
	d := &x.decision
	t := stats.Turn{
		Time:   x.start.UnixMilli(),
		Labels: stats.Labels{Session: x.session, Tenant: x.tenant, Upstream: x.up.Name, Dialect: x.d.Name(), Model: x.chat.Model},
		Status: x.status, Summary: string(x.summary), Failed: o.Status >= 300 || !o.Complete || report.Failed,
	}
	sent, saved := d.After, d.Before-d.After
	if x.status == chat.Observed || d.Status == "" {
		sent, saved = d.Before, 0
	}
	if sent == 0 {
		sent, _ = x.c.Counter.Rough(x.up.Name, x.chat.Model, x.chat.Body)
	}
	t.Spent = x.spent(o, report, sent)
	t.Gauge = stats.Gauge{Used: sent, Window: x.window.Size, Source: x.window.Source}
	if report.Usage.Prompt > 0 {
		t.Gauge.Used = report.Usage.Prompt
	}
	t.Gauge.Baseline = t.Gauge.Used + max(saved, 0)
	if d.Used != nil {
		t.Checkpoint, t.Covers, t.Rows = d.Used.Checkpoint.Key, d.Used.Cut.Covers, len(d.Used.Rows)
	}
	if d.Job != nil && x.status != chat.Observed && !o.ClientGone { // it may not come to it: nobody is waited for then
		t.Due = d.Job.Key()
	}
	for i := range x.input.Stored {
		t.Stored = append(t.Stored, x.input.Stored[i].Key)
	}
	return t
}

// spent is what the exchange has used. Where the upstream reported nothing, the prompt is what was sent, by estimate; an
// error that reports nothing has used nothing.
func (x *exchange) spent(o Outcome, report dialect.Report, sent int) stats.Spend {
	u := report.Usage
	if u.Prompt <= 0 && (o.Status >= 300 || o.Status < 200 || report.Failed) {
		return stats.Spend{}
	}
	s := stats.Spend{Calls: 1}
	if u.Prompt <= 0 {
		s.Unreported, u.Prompt = 1, sent
	}
	s.Prompt, s.Cached, s.Completion = int64(u.Prompt), int64(u.Cached), int64(u.Completion)
	s.Cost = x.c.price(x.chat.Model).Cost(u)
	return s
}

// price is what a model costs by the file, remembered.
func (c *Compactor) price(model string) tokens.Price {
	if c.prices == nil {
		return tokens.Price{}
	}
	p, ok := c.prices.Get(model)
	if !ok {
		p = tokens.PriceOf(c.Config.Models, model)
		if len(model) <= maxModelName {
			c.prices.Put(strings.Clone(model), p)
		}
	}
	return p
}

// anyPrice reports whether the file names a price at all.
func anyPrice(models []tokens.Model) bool {
	for i := range models {
		if models[i].Price != (tokens.Price{}) {
			return true
		}
	}
	return false
}
