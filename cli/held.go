package cli

import (
	"recap/cache"
	"recap/dialect"
)

// held tells the metrics what is kept in memory between requests, part by part. README.md lists the same names with their
// bounds.
func (a *App) held() {
	a.Stats.Held("bodies", dialect.Held)
	a.Stats.Held("messages", a.compactor.Held)
	a.Stats.Held("results", a.pruner.Held)
	a.Stats.Held("counting", a.counter.Held)
	a.Stats.Held("summaries", func() int { return a.queue.Stats().Bytes })
	a.Stats.Held("store", func() int {
		if h, ok := a.Store.(cache.Holder); ok {
			return h.Held()
		}
		return 0
	})
}
