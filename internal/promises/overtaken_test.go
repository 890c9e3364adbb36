package promises_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"recap/internal/fakellm"
)

// A request that was decided on while a summary was on its way starts none of its own when that one has landed by the
// time of its answer: the few messages in between are no summary's worth.
func TestOvertakenJobIsNotStarted(t *testing.T) {
	var r *rig
	var chats atomic.Int64
	second := make(chan struct{})
	r = newRig(t, 8192, fakellm.Options{
		Summary: func(string) fakellm.Reply {
			<-second // it is not written before the second request has come
			return fakellm.Reply{Text: "## Goal\nThe user asks."}
		},
		Reply: func(*fakellm.Recorded) fakellm.Reply {
			if chats.Add(1) == 2 {
				close(second)
				r.until("summary ready", func() bool { return strings.Contains(r.log.String(), "summary ready") })
			}
			return fakellm.Reply{Text: "So it is."}
		},
	}, nil)
	r.chat("openai", plain("", 29, 500, lastUser))
	a := r.chat("openai", plain("", 34, 500, lastUser))
	if got := a.header.Get("X-Recap-Summary"); got != "queued" && got != "running" {
		t.Fatalf("the summary was %s when the second request came: the test proves nothing", got)
	}
	r.settle()
	if jobs := strings.Count(r.log.String(), "msg=summary.queued"); jobs != 1 {
		t.Errorf("%d summaries were queued, want 1", jobs)
	}
}
