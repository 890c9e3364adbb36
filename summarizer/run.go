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
	q.tell(n)
	text, err := w.fold(ctx, transcript(j.Covered[p.from-1:], p.from), p.update)
	o := outcome{from: p.from, model: w.author(), usage: w.usage, calls: w.calls, err: err}
	if err != nil {
		return o
	}
	cp := j.checkpoint(&p, text, w.author())
	if reason := gainGate(&draft{text: text, replaces: j.Replaces, beside: cp.LedgerTokens}); reason != "" {
		o.err = refusal{reason: reason}
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
	in := LedgerInput{
		Covered: j.Covered, From: p.rowFrom, Kept: j.Kept, Beside: text, Window: j.Window, Options: j.Options.Ledger,
	}
	if j.Replaces > 0 {
		// A ledger must not eat up what the summary saves.
		in.Limit = max((j.Replaces-size)/2, 1)
	}
	ledger := Ledger(in)
	cp := chat.Checkpoint{
		Key: j.Key(), Parent: p.parent, Lineage: p.lineage,
		Tenant: j.Tenant, Upstream: j.Upstream, Recipe: j.Recipe, Session: j.Session,
		From: p.from, To: j.To(), RowFrom: p.rowFrom,
		Text: text, Ledger: ledger, Tokens: size, LedgerTokens: tokens.Estimate(ledger), Model: model,
	}
	cp.Sealed = j.Options.RowTokens > 0 && cp.Size() > j.Options.RowTokens
	return cp
}
