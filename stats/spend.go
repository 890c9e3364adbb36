package stats

import "recap/chat"

// Spend is what exchanges, or the calls of the summariser, have used.
type Spend struct {
	Calls      int     `json:"calls"`      // answers, or summary calls
	Unreported int     `json:"unreported"` // of these: without a count of the upstream's, so estimated
	Prompt     int64   `json:"prompt"`     // tokens, cached ones included
	Cached     int64   `json:"cached"`     // of the prompt: read from the upstream's cache
	Completion int64   `json:"completion"` // tokens
	Cost       float64 `json:"cost"`       // by models[].price, in the currency of the file
}

func (s *Spend) add(more Spend) {
	s.Calls += more.Calls
	s.Unreported += more.Unreported
	s.Prompt += more.Prompt
	s.Cached += more.Cached
	s.Completion += more.Completion
	s.Cost += more.Cost
}

// minus returns s without part, which was added to it before.
func (s Spend) minus(part Spend) Spend {
	s.Calls -= part.Calls
	s.Unreported -= part.Unreported
	s.Prompt -= part.Prompt
	s.Cached -= part.Cached
	s.Completion -= part.Completion
	s.Cost = max(s.Cost-part.Cost, 0)
	return s
}

// Gauge is how full a window is. After a compaction it counts what was sent, the summary and what follows it, not
// the history that was dropped (row L22).
type Gauge struct {
	Used     int    `json:"used"`     // tokens that were sent: the upstream's own count where it reported one
	Window   int    `json:"window"`   // tokens; 0 = unknown
	Source   string `json:"source"`   // of the window
	Baseline int    `json:"baseline"` // tokens that would have been sent without Recap, on the same scale
}

// Turn is one finished chat exchange as the accounts of its conversation take it.
type Turn struct {
	Keys   []chat.Key // of all prefixes of the request: they say which conversation it goes on
	Time   int64      // Unix milliseconds, of the request
	Labels Labels
	Gauge  Gauge
	Status chat.Status
	Spent  Spend
	Failed bool // the upstream or the client ended it: it is shown, what it used is counted where it was reported

	Checkpoint chat.Key // in use; zero = none
	Covers     int      // messages
	Rows       int
	Summary    string     // state of the summary
	Stored     []chat.Key // checkpoints that fit the request
	Due        chat.Key   // checkpoint that this turn's summary job will write; zero = none is due

	// Answer estimates the message at a position (0-based, over the non-system ones) that the model said: what an
	// answer whose completion nobody reported has used. May be nil.
	Answer func(position int) (tokens int, cost float64)
}

// Labels are the names that a turn came under; none of them is its identity.
type Labels struct {
	Session, Tenant, Upstream, Dialect, Model string
}
