package stats

import "time"

// The kinds of events.
const (
	ExchangeDone   = "exchange"
	SummaryQueued  = "summary.queued"
	SummaryStarted = "summary.started"
	SummaryReady   = "summary.ready"
	SummaryFailed  = "summary.failed"
)

// Summary is what became of one summary job.
type Summary struct {
	Key      string  // of the range to be covered, in hex
	Session  string  // label
	Upstream string  // name in the file
	Model    string  // that writes; "" = not known yet
	From, To int     // messages, numbered from 1
	Tokens   int     // of the summary, by the fixed measure; 0 = none yet
	Seconds  float64 // that the job took; 0 = has not ended
	Spent    Spend   // by all calls of the job; zero while it has not ended
	Reason   string  // of a failure, a fixed word: "truncated", "timeout", "http-500"
}

// Summary counts one step of a job and publishes it as an event. kind is one of the Summary kinds; an unknown one
// is counted as it is and published too.
func (s *Stats) Summary(kind string, sum Summary) {
	reason := ""
	if kind == SummaryFailed {
		reason = s.reasons.of(sum.Reason)
	}
	s.summaries.of(s.ops.of(outcome(kind)), reason).Inc()
	if sum.Seconds > 0 {
		s.jobSeconds.Update(sum.Seconds)
	}
	s.summaryCost(sum.Upstream, sum.Spent)
	s.hub.Publish(Event{Kind: kind, Time: time.Now().UnixMilli(), Data: sum.fields()})
}

// SummaryGates counts what gates found in summaries that were taken all the same, by the gates' fixed words. What they
// refuse is the Reason of a failure.
func (s *Stats) SummaryGates(gates []string) {
	for _, gate := range gates {
		s.gates.of(word(gate), "").Inc()
	}
}

func outcome(kind string) string {
	const prefix = "summary."
	if len(kind) > len(prefix) && kind[:len(prefix)] == prefix {
		return kind[len(prefix):]
	}
	return kind
}

func (sum *Summary) fields() map[string]any {
	fields := map[string]any{
		"key": sum.Key, "session": sum.Session, "upstream": sum.Upstream, "model": sum.Model,
		"from": sum.From, "to": sum.To, "tokens": sum.Tokens, "seconds": sum.Seconds,
	}
	if sum.Spent.Calls > 0 {
		fields["calls"], fields["prompt"], fields["completion"], fields["cost"] =
			sum.Spent.Calls, sum.Spent.Prompt, sum.Spent.Completion, sum.Spent.Cost
	}
	if sum.Reason != "" {
		fields["reason"] = word(sum.Reason)
	}
	return fields
}
