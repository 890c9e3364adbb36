package compaction_test

import (
	"testing"

	"recap/compaction"
	"recap/config"
	"recap/summarizer"
)

// L8: the reserve is applied once. L9, L10, L12: where each trigger fires. The swap level is never over the budget.
func TestL8L9L10L12Levels(t *testing.T) {
	f := func(window, maxReply int, trigger summarizer.Trigger, want compaction.Levels) {
		t.Helper()
		o := config.Default().Summarization
		o.Trigger = trigger
		if got := compaction.NewLevels(window, maxReply, &o); got != want {
			t.Errorf("window %d, reply %d, %+v: %+v, want %+v", window, maxReply, trigger, got, want)
		}
	}
	ratio := func(v float64) summarizer.Trigger { return summarizer.Trigger{Type: "token_ratio", Value: v} }
	remaining := func(v float64) summarizer.Trigger { return summarizer.Trigger{Type: "remaining_tokens", Value: v} }
	f(4096, 0, summarizer.Trigger{}, compaction.Levels{Reply: 1024, Budget: 2867, Swap: 2868, Prepare: 2151})
	f(2048, 0, summarizer.Trigger{}, compaction.Levels{Reply: 512, Budget: 1434, Swap: 1435, Prepare: 1076})
	f(131072, 0, summarizer.Trigger{}, compaction.Levels{Reply: 1024, Budget: 123494, Swap: 123495, Prepare: 92621})
	f(10000, 8000, summarizer.Trigger{}, compaction.Levels{Reply: 5000, Budget: 4500, Swap: 4501, Prepare: 3375})
	f(10000, 100, ratio(0.8), compaction.Levels{Reply: 100, Budget: 9400, Swap: 8000, Prepare: 6000})
	f(10000, 1000, ratio(1), compaction.Levels{Reply: 1000, Budget: 8500, Swap: 8501, Prepare: 6375})
	f(10000, 100, remaining(4000), compaction.Levels{Reply: 100, Budget: 9400, Swap: 6000, Prepare: 4500})
	f(10000, 100, remaining(20000), compaction.Levels{Reply: 100, Budget: 9400, Swap: 1, Prepare: 0})
	// Count triggers do not move the level: a chat that no longer fits is swapped whatever the trigger says.
	f(10000, 100, summarizer.Trigger{Type: "token_count", Value: 200}, compaction.Levels{Reply: 100, Budget: 9400, Swap: 9401, Prepare: 7050})
}
