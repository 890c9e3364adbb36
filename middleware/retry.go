package middleware

import (
	"slices"
	"time"

	"recap/chat"
	"recap/compaction"
	"recap/config"
	"recap/dialect"
)

const (
	// earlyBytes is the smallest body whose answer is looked at before its headers go out: a chat of less fits anywhere.
	earlyBytes = 4 << 10
	// earlyWait is how long these headers may be held back for the first bytes. A server that refuses a prompt does so
	// before it works on it.
	earlyWait = 25 * time.Millisecond
)

// early is how long the headers of an answer to body may be held back.
func (x *exchange) early(body []byte) time.Duration {
	if x.chat == nil || x.ov.Mode == config.Observe || len(body) < earlyBytes {
		return 0
	}
	return earlyWait
}

// retry plans again for the limit that an overflow error tells (design.md §4). It is asked once, and only while
// nothing has gone to the client. A panic in it leaves the upstream's own error.
func (x *exchange) retry(status int, body []byte) (next []byte, ok bool) {
	defer x.c.contain("retry")
	long, over := dialect.Overflow(status, body)
	if !over {
		return nil, false
	}
	x.overflowed = true
	if x.chat == nil {
		return nil, false
	}
	x.learnLimit(&long)
	if x.ov.Mode == config.Observe {
		return nil, false
	}
	before, was := x.decision, x.status
	if len(x.chat.Messages) == 0 { // it was only glanced at
		c, err := x.decode(x.chat.Body)
		if err != nil {
			return nil, false
		}
		x.read(c)
	}
	x.c.weighed.forget(x)
	if !x.weigh() {
		return nil, false
	}
	x.status, x.reason = "", ""
	if before.Status != "" {
		x.inflate(before.After, &long)
	}
	x.decide()
	if x.decision.Plan.Empty() || x.decision.Reject || !x.shrank(&before) {
		x.decision, x.status = before, chat.OverWindow
		return nil, false
	}
	if next = x.apply(); next == nil {
		x.decision, x.status = before, was
		return nil, false
	}
	x.retried = true
	return x.guarded(next), true
}

// learnLimit keeps what an overflow error says of the window. What the client itself wrote proves nothing: a server may
// quote it.
func (x *exchange) learnLimit(long *dialect.TooLong) {
	if long.Quoted(x.chat.Body) {
		return
	}
	believed := x.window.Size
	if x.c.Windows.TooLong(x.ask(), believed, long.Limit, x.decision.After) && x.first("overflow") {
		x.c.Log.Warn("the upstream refused a chat as too long; its window counts as smaller from now on",
			"upstream", x.up.Name, "model", shown(x.chat.Model), "believed", believed, "source", x.window.Source, "told", long.Limit)
	}
}

// inflate scales the sizes by what the upstream counted; where it does not say, or did not count to the end, by a quarter
// at least.
func (x *exchange) inflate(estimated int, long *dialect.TooLong) {
	factor := 1.25
	if long.Used > 0 && estimated > 0 {
		factor = float64(long.Used) / float64(estimated)
		if long.AtLeast {
			factor = max(factor, 1.25)
		}
	}
	if factor <= 1 {
		return
	}
	x.sizes.Messages = slices.Clone(x.sizes.Messages)
	for i := range x.sizes.Messages {
		x.sizes.Messages[i] = int(float64(x.sizes.Messages[i]) * factor)
	}
	x.sizes.Extra = int(float64(x.sizes.Extra) * factor)
}

// shrank reports whether the new plan sends less than the one before did.
func (x *exchange) shrank(before *compaction.Decision) bool {
	return len(x.decision.Plan.Drop) > len(before.Plan.Drop) || len(x.decision.Plan.Trims) > len(before.Plan.Trims)
}

// unanswered returns the window that a prompt was over to which nothing was said, 0 where there is no such thing. LM Studio
// answers so where others refuse: 200, a prompt that it has counted, and not one token. A model that has nothing to say
// to a prompt that fits looks the same.
func (x *exchange) unanswered(o Outcome, report *dialect.Report) int {
	prompt := report.Usage.Prompt
	if x.chat == nil || o.Status != 200 || !o.Complete || report.Failed || report.Usage.Completion > 0 || prompt <= 0 {
		return 0
	}
	size := x.c.Windows.Told(x.ask())
	if size == 0 && !x.window.Guessed {
		size = x.window.Size
	}
	if prompt < size {
		return 0
	}
	return size
}

// settled counts how a chat went that the upstream said is too long, and learns from what it said too late: behind the
// headers, or about the second try.
func (x *exchange) settled(o Outcome, report *dialect.Report) {
	if size := x.unanswered(o, report); size > 0 {
		report.Overflow, report.TooLong = true, dialect.TooLong{Limit: size, Used: report.Usage.Prompt}
	}
	late := report.Overflow && x.chat != nil && (o.Status < 300 || x.retried)
	switch {
	case x.retried && o.Status < 300 && !report.Overflow:
		x.c.Stats.Overflow(x.up.Name, "recovered")
	case x.overflowed && !x.decision.Reject:
		x.c.Stats.Overflow(x.up.Name, "refused")
	case late:
		x.c.Stats.Overflow(x.up.Name, "late")
	}
	if late {
		x.overflowed = true
		x.learnLimit(&report.TooLong)
	}
}
