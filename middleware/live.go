package middleware

import (
	"recap/chat"
	"recap/dialect"
	"recap/summarizer"
)

// live is this chat's request as it was sent, up to the end of what a job covers: what summarization.mode suffix goes on
// from. Nil where it was not sent or did not fit, or where what it shows in place of the oldest messages was read by no
// model yet.
func (x *exchange) live(j *summarizer.Job) *dialect.Live {
	used := x.decision.Used
	if x.options.Mode != summarizer.SuffixMode || !x.relayed || x.overflowed || x.decision.Reject || x.status == chat.Observed ||
		used != nil && used.Checkpoint.Provisional {
		return nil
	}
	to := len(x.chat.Messages)
	if j.To() < x.outline.Len() {
		to = x.outline.Index[j.To()]
	}
	if x.sentBody == nil {
		return dialect.NewLive(x.chat.Body, x.chat, &chat.Plan{}, to)
	}
	return dialect.NewLive(string(x.sentBody), x.chat, &x.decision.Plan, to)
}
