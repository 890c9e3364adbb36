package compaction

import (
	"math"

	"recap/summarizer"
)

// Levels are the sizes, in tokens, at which something happens (design.md §2 «Levels», §4 «Budget»).
type Levels struct {
	Budget  int `json:"budget"`  // what may be sent: the window without the reply's room and the reserve
	Swap    int `json:"swap"`    // at or over this size a checkpoint is swapped in
	Prepare int `json:"prepare"` // at or over this size the next checkpoint is written
	Reply   int `json:"reply"`   // room kept for the reply
}

// NewLevels returns the levels for a window and the reply limit that the client gave (0 = none).
func NewLevels(window, maxReply int, o *summarizer.Options) Levels {
	reply := min(window/4, 1024)
	if maxReply > 0 {
		reply = min(maxReply, window/2)
	}
	l := Levels{Reply: reply}
	l.Budget = max(window-reply-int(math.Round(float64(window)*o.ReserveRatio)), 0)
	l.Swap = l.Budget + 1
	if level, ok := o.Trigger.Level(window); ok {
		l.Swap = max(min(l.Swap, level), 1)
	}
	l.Prepare = int(o.Prepare * float64(l.Swap))
	return l
}

// target is what stands right after a swap at the most: so much under the prepare level that the next swap is
// not due at once.
func (l *Levels) target() int { return l.Prepare * 9 / 10 }

// caps are the largest sizes, in tokens, of a summary and of its ledger for a window (design.md §3 «Sizes»).
func caps(window int, o *summarizer.Options) (summary, ledger int) {
	summary = min(o.MaxSummaryTokens, window*15/100)
	ledger = min(o.Ledger.UserTokens+o.Ledger.FactTokens, window/10)
	return summary, ledger
}
