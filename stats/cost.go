package stats

import (
	"sync"

	"github.com/VictoriaMetrics/metrics"
)

// The two parts of what is paid for.
const (
	Chats     = "chats"
	Summaries = "summaries"
)

// costs counts money, per upstream and part. What it holds is bounded by the labels of Stats.
type costs struct {
	mu    sync.Mutex
	set   *metrics.Set
	known map[[2]string]*metrics.FloatCounter
}

func (c *costs) add(upstream, part string, cost float64) {
	if cost <= 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	pair := [2]string{upstream, part}
	counter, ok := c.known[pair]
	if !ok {
		counter = c.set.GetOrCreateFloatCounter(`recap_cost_total{upstream="` + upstream + `",part="` + part + `"}`)
		c.known[pair] = counter
	}
	counter.Add(cost)
}

// ChatCost counts what an exchange cost by models[].price.
func (s *Stats) ChatCost(upstream string, cost float64) {
	s.branches.costs.add(s.upstreams.of(upstream), Chats, cost)
}

// summaryCost counts what the calls of a summary job used.
func (s *Stats) summaryCost(upstream string, spent Spend) {
	if spent.Calls == 0 {
		return
	}
	label := s.upstreams.of(upstream)
	s.branches.costs.add(label, Summaries, spent.Cost)
	s.usage.of(label, "summary-prompt").Add(int(spent.Prompt))
	s.usage.of(label, "summary-completion").Add(int(spent.Completion))
}
