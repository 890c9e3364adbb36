package measure

import (
	"sync"

	"recap/summarizer"
)

// notices adds up what summary jobs told.
type notices struct {
	mu      sync.Mutex
	ready   int
	failed  int
	calls   int
	in, out int // tokens
	reasons map[string]int
}

func (n *notices) add(x summarizer.Notice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch x.Kind {
	case summarizer.NoticeReady:
		n.ready++
	case summarizer.NoticeFailed:
		n.failed++
		if n.reasons == nil {
			n.reasons = map[string]int{}
		}
		n.reasons[x.Reason]++
	}
	n.calls += x.Calls
	n.in += x.TokensIn
	n.out += x.TokensOut
}

// failures is how many jobs have failed so far.
func (n *notices) failures() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.failed
}

// into puts what was added up into f.
func (n *notices) into(f *Figures) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f.Summaries, f.Failed, f.SummaryIn, f.SummaryOut, f.Reasons = n.ready, n.failed, n.in, n.out, n.reasons
}
