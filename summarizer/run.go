package summarizer

import (
	"context"

	"recap/chat"
	"recap/tokens"
)

// write does what a job asks for: it reads the fresh messages, has them summarised, adds the ledger and stores the
// checkpoint. Nothing is stored unless all of it went well (promise P9).
func (q *Queue) write(ctx context.Context, t *task) outcome {
	j := t.job
	p, err := q.plan(ctx, j)
	if err != nil {
		return outcome{err: err}
	}
	w, err := q.newWriter(ctx, j)
	if err != nil {
		return outcome{from: p.from, err: err}
	}
	n := t.notice(NoticeStarted, "")
	n.Model, n.From = w.model, p.from
	if _, told := q.crowded.Get(p.lineage); p.pinned > 0 && !told {
		q.crowded.Put(p.lineage, true)
		n.Pinned, n.Share = p.pinned, j.Options.share(j.Window)
	}
	q.tell(n)
	w.spoken = languageOf(j.Covered[p.from-1:])
	text, err := w.compose(ctx, &p)
	o := outcome{from: p.from, model: w.author(), usage: w.usage, calls: w.calls, err: err, found: w.findings(), suffix: w.suffix}
	if err != nil {
		return o
	}
	cp := j.checkpoint(&p, text, w.author())
	if gainGate(&draft{text: text, replaces: j.Replaces, beside: cp.LedgerTokens}) {
		o.err = refusal{reason: ReasonNoGain}
		return o
	}
	if o.checkpoint, err = q.deps.Store.Put(ctx, cp); err != nil {
		o.err = refusal{reason: ReasonStore}
	}
	return o
}

// checkpoint puts text and ledger together.
func (j *Job) checkpoint(p *pass, text, model string) chat.Checkpoint {
	size := tokens.Estimate(text)
	ledger := Ledger(LedgerInput{
		Covered: j.Covered, From: p.rowFrom, Kept: j.Kept, Beside: text, Carry: textOf(p.rewrite), Window: j.Window,
		Limit: j.ledgerLimit(p, size), Options: j.Options.Ledger,
	})
	cp := chat.Checkpoint{
		Key: j.Key(), Parent: p.parent, Lineage: p.lineage, Opening: j.Keys[0],
		Tenant: j.Tenant, Upstream: j.Upstream, Recipe: j.Recipe, Session: j.Session,
		From: p.from, To: j.To(), RowFrom: p.rowFrom,
		Text: text, Ledger: ledger, Tokens: size, LedgerTokens: tokens.Estimate(ledger), Model: model,
	}
	cp.Sealed = j.Options.RowTokens > 0 && cp.Size() > j.Options.RowTokens
	return cp
}

// ledgerLimit bounds the ledger beside a summary of so many tokens, 0 = not: it must not eat up what the summary saves,
// and the rows keep to their share as far as pins allow.
func (j *Job) ledgerLimit(p *pass, size int) int {
	limit := 0
	if j.Replaces > 0 {
		limit = max((j.Replaces-size)/2, 1)
	}
	if share := j.Options.share(j.Window); share > 0 {
		left := max(share-p.kept-size, j.Options.leastLedger(j.Window), 1)
		if limit == 0 || left < limit {
			limit = left
		}
	}
	return limit
}
