package promises_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"recap/internal/fakellm"
)

// A request that was decided on while a summary was on its way starts none of its own when that one has landed by the
// time of its answer: the few messages in between are no summary's worth.
func TestOvertakenJobIsNotStarted(t *testing.T) {
	var r *rig
	var second atomic.Bool
	r = newRig(t, 8192, fakellm.Options{
		Summary: func(string) fakellm.Reply {
			return fakellm.Reply{Text: "## Goal\nThe user asks.", Delay: 100 * time.Millisecond}
		},
		Reply: func(*fakellm.Recorded) fakellm.Reply {
			for n := 0; second.Load() && n < 2000 && !strings.Contains(r.log.String(), "summary ready"); n++ {
				time.Sleep(5 * time.Millisecond) // the answer comes behind the summary
			}
			return fakellm.Reply{Text: "So it is."}
		},
	}, nil)
	r.chat("openai", plain("", 29, 500, lastUser))
	second.Store(true)
	a := r.chat("openai", plain("", 34, 500, lastUser))
	if got := a.header.Get("X-Recap-Summary"); got != "queued" && got != "running" {
		t.Fatalf("the summary was %s when the second request came: the test proves nothing", got)
	}
	r.settle()
	if jobs := strings.Count(r.log.String(), "msg=summary.queued"); jobs != 1 {
		t.Errorf("%d summaries were queued, want 1", jobs)
	}
}
