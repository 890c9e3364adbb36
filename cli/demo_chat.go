package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"recap/internal/fakellm"
	"recap/stats"
	"recap/summarizer"
)

// chat plays all turns.
func (d *demo) chat(ctx context.Context) error {
	for i := range d.play {
		d.turn = i + 1
		if err := d.settle(ctx); err != nil {
			return err
		}
		d.count.newTurn()
		d.agent.add(map[string]any{"role": "user", "content": d.play[i].ask})
		last, err := d.rounds(ctx, &d.play[i])
		if err != nil {
			return err
		}
		d.out.line(plain, d.gauge(last))
		if err := d.rest(ctx, 110*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// settle is the user who reads before they type on: so most summaries are ready when the next turn begins. No request
// waits for one. Without pauses the user is as patient as it takes, which makes all runs alike.
func (d *demo) settle(ctx context.Context) error {
	if d.speed == 0 {
		return d.until(ctx, func() bool { return d.writing == 0 })
	}
	for end := time.Now().Add(pause(1200*time.Millisecond, d.speed)); d.writing > 0 && time.Now().Before(end); {
		if err := d.rest(ctx, 40*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// rounds asks until the model calls no more tools.
func (d *demo) rounds(ctx context.Context, t *task) (*step, error) {
	for called := 0; ; called++ {
		s, err := d.request(ctx)
		if err != nil {
			return nil, err
		}
		d.agent.keep(s.reply)
		if len(s.reply.calls) == 0 {
			return s, nil
		}
		if called >= len(t.results) {
			return nil, errors.New("the model calls tools for ever")
		}
		d.agent.add(map[string]any{"role": "tool", "tool_call_id": s.reply.calls[0].ID, "content": t.results[called]})
		if err := d.rest(ctx, 60*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// request sends the whole chat through Recap and shows what comes of it.
func (d *demo) request(ctx context.Context) (*step, error) {
	body := d.agent.body()
	type result struct {
		reply *reply
		err   error
	}
	heard, done := make(chan string), make(chan result, 1)
	go func() {
		r, err := d.agent.ask(ctx, d.url(), body, func(text string) {
			select {
			case heard <- text:
			case <-ctx.Done():
			}
		})
		done <- result{r, err}
	}()
	d.out.show(d.live("…"))
	for {
		select {
		case text := <-heard:
			d.out.show(d.live(text))
		case e := <-d.events:
			d.told(e)
		case got := <-done:
			if got.err != nil {
				return nil, got.err
			}
			return d.answered(ctx, got.reply, body)
		}
	}
}

// answered looks at a complete answer, once Recap has said that it recorded the exchange.
func (d *demo) answered(ctx context.Context, r *reply, body []byte) (*step, error) {
	if r.code != 200 {
		return nil, fmt.Errorf("the request failed: %d %s", r.code, clip(r.text, 300))
	}
	size, err := d.agent.size(ctx, d.model.URL(), body)
	if err != nil {
		return nil, err
	}
	evicted := d.journal()
	s := newStep(r, body, d.sent)
	s.size, s.evicted = size, evicted
	if err := d.until(ctx, func() bool { return d.count.recorded > d.count.requests }); err != nil {
		return nil, err
	}
	d.tell(s)
	d.count.add(s, d.turn)
	return s, nil
}

// journal reads what the model got since the last request: the request, and whether a summary was asked for, which takes
// the model's only slot. Where both came at once, either may have had the slot last.
func (d *demo) journal() (evicted bool) {
	id, at := d.id, d.at
	since := func(r *fakellm.Recorded) bool {
		return r.Chat && (r.ID > id || r.Summary && (r.Ended.IsZero() || r.Ended.After(at)))
	}
	for _, r := range d.model.Find(since) {
		if r.Summary {
			evicted = true
			continue
		}
		d.id, d.at, d.sent = r.ID, r.At, r.Body
	}
	return evicted
}

// until handles events until something is so.
func (d *demo) until(ctx context.Context, so func() bool) error {
	late := time.NewTimer(demoPatience)
	defer late.Stop()
	for !so() {
		select {
		case e := <-d.events:
			d.told(e)
		case <-ctx.Done():
			return ctx.Err()
		case <-late.C:
			return fmt.Errorf("no event came in %s", demoPatience)
		}
	}
	return nil
}

// rest lets time pass, as people and tools do.
func (d *demo) rest(ctx context.Context, long time.Duration) error {
	timer := time.NewTimer(pause(long, d.speed))
	defer timer.Stop()
	for {
		select {
		case e := <-d.events:
			d.told(e)
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// told shows an event of the admin listener.
func (d *demo) told(e event) {
	covers := fmt.Sprintf("messages %d–%d", e.Data.From, e.Data.To)
	switch e.Kind {
	case stats.ExchangeDone:
		d.count.recorded++
	case stats.SummaryStarted:
		d.writing = d.turn
		d.out.line(blue, note("✎ a summary is due: the model writes it in the background, "+covers))
	case stats.SummaryReady:
		d.writing = 0
		d.count.written++
		d.count.jobs = append(d.count.jobs, time.Duration(e.Data.Seconds*float64(time.Second)))
		d.out.line(green, note(fmt.Sprintf("✓ summary written: %s → %s tokens, a ledger of exact values included, %s\u00a0ms",
			covers, number(e.Data.Tokens), number(int(e.Data.Seconds*1000)))))
	case summarizer.NoticeDropped:
		d.writing = 0
	case stats.SummaryFailed:
		d.writing = 0
		d.count.failed++
		d.out.line(red, note("✗ the summary failed ("+e.Data.Reason+"): the chat goes on as it was"))
	}
}

// tell shows what is new in a request.
func (d *demo) tell(s *step) {
	t := &d.count
	if t.tooLong == 0 && s.size > s.window {
		d.out.line(yellow, note("! the client's chat no longer fits the window: without Recap it would end here"))
	}
	if fresh := t.pruned.fresh(s.shortened); len(fresh) > 0 {
		from, to := 0, 0
		for _, p := range fresh {
			from, to = from+p.from, to+p.to
		}
		d.out.line(yellow, note(fmt.Sprintf("✂ pruned: %s, %s → %s characters",
			things(len(fresh), "old tool result", "old tool results"), number(from), number(to))))
		if len(t.pruned) == 0 {
			d.out.line(dim, note("  one of them now reads: «"+clip(strings.ReplaceAll(fresh[0].text, "\n", " "), 110)+"»"))
		}
	}
	if s.checkpoint != t.checkpoint {
		what := "⇄ swapped in: the summary now stands for messages 1–%d (%s → %s tokens)"
		if s.status == "provisional" {
			what = "⇄ provisional checkpoint, no summary is ready yet: exact quotes stand for messages 1–%d (%s → %s tokens)"
		}
		d.out.line(green, note(fmt.Sprintf(what, s.covers, number(s.size), number(s.reply.prompt))))
	}
}

// keptAsSent is the judge of every request: what stayed must be what the client sent, byte for byte.
func keptAsSent(body, sent []byte) error { return fakellm.CheckKept(fakellm.OpenAI, body, sent) }
