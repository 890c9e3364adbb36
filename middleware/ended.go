package middleware

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"recap/chat"
	"recap/dialect"
	"recap/stats"
	"recap/summarizer"
)

// ended is called once the answer has ended, on the connection's goroutine: nothing in here waits.
func (x *exchange) ended(o Outcome) {
	defer x.c.contain("ended")
	if x.streaming {
		x.c.Stats.StreamClosed()
	}
	report := x.tap.report()
	x.settled(o, &report)
	x.record(o, report)
	if x.chat != nil && o.Status < 300 && o.Complete {
		if !x.calibrate(report) {
			x.learn()
		}
	}
	x.account(o, report)
	if x.chat == nil {
		return
	}
	if x.decision.Job != nil && x.jobMayStart(o, report) && !x.overtaken() {
		x.c.Queue.Submit(x.job())
	}
}

// learn has this chat's tokens counted exactly, in the background, where the upstream does not count them for us and the
// chat may come near a level: until then the calibrated estimate, whose error is bounded by half, decides the same.
func (x *exchange) learn() {
	if len(x.chat.Messages) == 0 {
		return
	}
	if near := x.decision.Levels.Prepare / 2; near > 0 && x.decision.Pruned >= near {
		x.c.Counter.Learn(x.chat)
	}
}

// calibrate tells the counter what the upstream counted for what was sent, and asks for the window again where an answer
// may have changed it. It reports whether that is now the anchor of the chat's next requests.
func (x *exchange) calibrate(report dialect.Report) (anchored bool) {
	a := x.ask()
	x.c.Windows.Refresh(a, report.Model, report.Loaded)
	if !report.Overflow {
		x.c.Windows.Fits(a, report.Usage.Prompt)
	}
	if report.Usage.Prompt <= 0 || x.cutShort(&report) {
		return false
	}
	if x.decision.Plan.Empty() && x.status != chat.Bypass {
		x.c.Counter.ObserveRough(x.up.Name, x.chat.Model, x.sampled, report.Usage.Prompt)
		x.tell(report.Usage)
	}
	if len(x.sizes.Messages) == 0 {
		return false
	}
	anchored = x.c.weighed.report(x, report.Usage)
	plan := &x.decision.Plan
	if x.status == chat.Observed {
		plan = &chat.Plan{}
	}
	x.c.Counter.Observe(x.up.Name, x.chat.Model, x.sizes.Sent(x.chat, plan), report.Usage.Prompt)
	return anchored
}

// jobMayStart keeps summaries from following an aborted or refused turn; a chat that overflowed needs one most.
func (x *exchange) jobMayStart(o Outcome, report dialect.Report) bool {
	if x.status == chat.Observed || o.ClientGone {
		return false
	}
	if x.window.Guessed && x.first("asked") {
		return false // the upstream is being asked for its window, which may make the summary needless
	}
	return x.overflowed || o.Status < 300 && o.Complete && !report.Failed
}

// overtaken reports whether the summary that was on its way when x was decided on has landed since. What is still too much
// is for the next request to see: else a small summary follows each large one.
func (x *exchange) overtaken() bool {
	return x.awaits && x.c.Queue.State(x.keys, x.window.Size) == summarizer.Ready
}

// record counts the exchange, and tells it to the log and to those who listen.
func (x *exchange) record(o Outcome, report dialect.Report) {
	e := stats.Exchange{
		Time: x.start, Request: x.id, Session: x.session, Dialect: x.d.Name(), Upstream: x.up.Name,
		Status: x.status, Reason: x.reason, BrokePrefix: x.broke, Pruned: len(x.decision.Plan.Trims),
		Before: x.decision.Before, After: x.decision.After, Window: x.window.Size, Source: x.window.Source,
		Summary: string(x.summary), Code: o.Status,
		FirstByteMS: o.FirstByte.Milliseconds(), TotalMS: o.Total.Milliseconds(),
		Prompt: report.Usage.Prompt, Cached: report.Usage.Cached, Completion: report.Usage.Completion,
	}
	if x.chat != nil {
		e.Model, e.Stream = x.chat.Model, x.chat.Stream
	}
	if used := x.decision.Used; used != nil {
		e.Checkpoint, e.Covers, e.Rows = used.Checkpoint.Key.String(), used.Cut.Covers, len(used.Rows)
	}
	x.c.Stats.Exchange(e)
	x.log(&e, o.Complete)
}

// log writes the one line of an exchange: at debug level where nothing was done to it and it went well, or for a reason
// that was told once.
func (x *exchange) log(e *stats.Exchange, complete bool) {
	level := slog.LevelInfo
	untouched := e.Status == chat.Clear || e.Status == chat.Off || e.Reason == unknownWindow
	if untouched && e.Code < 400 && complete {
		level = slog.LevelDebug
	}
	if !x.c.Log.Enabled(context.Background(), level) {
		return
	}
	x.c.Log.LogAttrs(context.Background(), level, "chat", slog.String("id", x.id), slog.String("upstream", e.Upstream),
		slog.String("model", shown(e.Model)), slog.String("status", x.statusItem()), slog.Int("before", e.Before),
		slog.Int("after", e.After), slog.Int("window", e.Window), slog.String("source", e.Source),
		slog.Int("covers", e.Covers), slog.String("summary", e.Summary), slog.Int("code", e.Code),
		slog.Int("prompt", e.Prompt), slog.Int64("ms", e.TotalMS), slog.Bool("complete", complete))
}

// remember stores what the decision made: a provisional checkpoint, and the mark that one was sent. The request does
// not wait for the disk.
func (x *exchange) remember() {
	used := x.decision.Used
	if used == nil || x.decision.Provisional == nil && used.Sent {
		return
	}
	key, window := used.Checkpoint.Key, x.window.Size
	var fresh *chat.Checkpoint
	if x.decision.Provisional != nil {
		cp := *x.decision.Provisional
		cp.Tenant, cp.Upstream, cp.Recipe, cp.Session = x.tenant, x.up.Name, x.recipe, x.session
		fresh = &cp
	}
	c := x.c // not x: it is another request's by then
	c.behind(func() { c.mark(key, window, fresh) })
}

// mark stores fresh, if there is one, and marks the checkpoint under key as sent for window.
func (c *Compactor) mark(key chat.Key, window int, fresh *chat.Checkpoint) {
	ctx, cancel := context.WithTimeout(context.Background(), markPatience)
	defer cancel()
	if fresh != nil {
		if _, err := c.Store.Put(ctx, *fresh); err != nil {
			c.storeFailed("put", err)
			return
		}
	}
	err := c.Store.Change(ctx, key, func(cp *chat.Checkpoint) {
		cp.Used = time.Now()
		if !slices.Contains(cp.Windows, window) {
			cp.Windows = append(cp.Windows, window)
		}
	})
	if err != nil {
		c.storeFailed("mark", err)
	}
}

const markPatience = 10 * time.Second

func (c *Compactor) storeFailed(op string, err error) {
	c.Stats.StoreError(op)
	c.Log.Warn("store does not take a checkpoint's mark", "op", op, "error", err)
}
