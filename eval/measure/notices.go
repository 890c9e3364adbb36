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
}

func (n *notices) add(x summarizer.Notice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch x.Kind {
	case summarizer.NoticeReady:
		n.ready++
	case summarizer.NoticeFailed:
		n.failed++
	}
	n.calls += x.Calls
	n.in += x.TokensIn
	n.out += x.TokensOut
}

// counts returns what was added up so far.
func (n *notices) counts() (ready, failed, in, out int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.ready, n.failed, n.in, n.out
}
