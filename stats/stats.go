// Package stats holds what is counted and what is told: metrics, recent exchanges, and the events that the admin
// listener streams. Neither keys, credentials nor message text ever enter it.
//
// One Stats is made at the start and handed to everybody who has something to tell. Each method costs a few map
// look-ups and never waits.
package stats

import (
	"io"
	"sync/atomic"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"recap/chat"
)

// maxLabels is how many different values one label takes before the rest is counted as "other": what a client
// writes may become a label, so the number of series must not be the client's choice.
const maxLabels = 50

// Stats counts, remembers the newest exchanges and passes events on. Safe for concurrent use.
type Stats struct {
	set    *metrics.Set
	hub    *Hub
	recent ring
	newest atomic.Pointer[line]

	branches *Branches

	models, upstreams, reasons, headers, ops, codes *labels

	requests, responses, bypasses, prunes, summaries, gates *counters
	tokens, usage, storeErrors, ignored                     *counters
	windows, overflows, cuts                                *counters

	firstByte, jobSeconds *metrics.PrometheusHistogram
	memoHits, memoMisses  *metrics.Counter
	breaks, panics        *metrics.Counter
	relayed               *metrics.Counter
	streams               *metrics.Gauge
	relaying              atomic.Int64
}

// New returns an empty Stats with a set of metrics of its own.
func New() *Stats {
	set := metrics.NewSet()
	s := &Stats{set: set, hub: NewHub(), branches: NewBranches()}
	for _, l := range []**labels{&s.models, &s.upstreams, &s.reasons, &s.headers, &s.ops, &s.codes} {
		*l = newLabels(maxLabels)
	}
	s.newCounters()
	s.firstByte = set.NewPrometheusHistogramExt("recap_upstream_first_byte_seconds",
		[]float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 900})
	s.jobSeconds = set.NewPrometheusHistogramExt("recap_summary_job_seconds",
		[]float64{.1, .5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 900})
	set.NewGauge("recap_token_memo_hit_ratio", s.hitRatio)
	s.Held("relaying", func() int { return int(s.relaying.Load()) })
	set.NewGauge("recap_events_dropped", func() float64 { return float64(s.hub.Dropped()) })
	set.NewGauge("recap_event_subscribers", func() float64 { return float64(s.hub.Len()) })
	s.branches.register(set)
	return s
}

func (s *Stats) newCounters() {
	set := s.set
	s.requests = newCounters(set, "recap_requests_total", "dialect", "status")
	s.responses = newCounters(set, "recap_responses_total", "dialect", "code")
	s.bypasses = newCounters(set, "recap_bypass_total", "reason", "")
	s.prunes = newCounters(set, "recap_pruned_results_total", "dialect", "")
	s.tokens = newCounters(set, "recap_tokens_total", "model", "kind")
	s.usage = newCounters(set, "recap_reported_tokens_total", "upstream", "kind")
	s.summaries = newCounters(set, "recap_summaries_total", "outcome", "reason")
	s.gates = newCounters(set, "recap_summary_gates_total", "gate", "")
	s.windows = newCounters(set, "recap_window_source_total", "upstream", "source")
	s.overflows = newCounters(set, "recap_overflows_total", "upstream", "outcome")
	s.cuts = newCounters(set, "recap_silent_cuts_total", "upstream", "")
	s.storeErrors = newCounters(set, "recap_store_errors_total", "op", "")
	s.ignored = newCounters(set, "recap_overrides_ignored_total", "header", "")
	s.memoHits = set.NewCounter("recap_token_memo_hits_total")
	s.memoMisses = set.NewCounter("recap_token_memo_misses_total")
	s.breaks = set.NewCounter("recap_prefix_breaks_total")
	s.panics = set.NewCounter("recap_panics_total")
	s.relayed = set.NewCounter("recap_relayed_total")
	s.streams = set.NewGauge("recap_open_streams", nil)
}

// WritePrometheus writes all metrics in the text format, those of the process included.
func (s *Stats) WritePrometheus(w io.Writer) {
	s.set.WritePrometheus(w)
	metrics.WriteProcessMetrics(w)
}

// Exchange counts one finished chat request, remembers it and publishes it as an event.
func (s *Stats) Exchange(e Exchange) {
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	s.count(&e)
	s.recent.add(e)
	if s.hub.Len() > 0 {
		s.hub.Publish(Event{Kind: ExchangeDone, Time: e.Time.UnixMilli(), Data: e.fields()})
	}
}

func (s *Stats) count(e *Exchange) {
	l := s.lineOf(e)
	l.requests.Inc()
	l.responses.Inc()
	if e.Status == chat.Bypass {
		s.bypasses.of(s.reasons.of(e.Reason), "").Inc()
	}
	if e.Pruned > 0 {
		s.prunes.of(word(e.Dialect), "").Add(e.Pruned)
	}
	for kind, n := range [len(tokenKinds)]int{e.Before, e.After, e.Before - e.After} {
		s.addTokens(l, kind, n)
	}
	l.prompt.Add(max(e.Prompt, 0))
	l.cached.Add(max(e.Cached, 0))
	l.completion.Add(max(e.Completion, 0))
	if l.windows != nil {
		l.windows.Inc()
	}
	if e.BrokePrefix {
		s.breaks.Inc()
	}
	if e.FirstByteMS > 0 {
		s.firstByte.Update(float64(e.FirstByteMS) / 1000)
	}
}

// Recent returns the newest exchanges, newest first.
func (s *Stats) Recent() []Exchange { return s.recent.all() }

// Branches keeps the accounts of conversations.
func (s *Stats) Branches() *Branches { return s.branches }

// Hub passes events on.
func (s *Stats) Hub() *Hub { return s.hub }

// Relayed counts one request that was not a chat.
func (s *Stats) Relayed() { s.relayed.Inc() }

// StreamOpened counts an answer that streams; StreamClosed must follow.
func (s *Stats) StreamOpened() { s.streams.Inc() }

// StreamClosed takes back one StreamOpened.
func (s *Stats) StreamClosed() { s.streams.Dec() }

// TokenMemo counts how many messages were counted from memory and how many were not.
func (s *Stats) TokenMemo(hits, misses int) {
	s.memoHits.Add(hits)
	s.memoMisses.Add(misses)
}

// Overflow counts a chat that the upstream said is too long. outcome is "recovered" (a shorter one was sent and
// answered), "refused" (the upstream's error went to the client) or "late" (it came behind the headers).
func (s *Stats) Overflow(upstream, outcome string) {
	s.overflows.of(s.upstreams.of(upstream), outcome).Inc()
}

// SilentCut counts a window that was learned from prompts that the upstream cut without a word.
func (s *Stats) SilentCut(upstream string) { s.cuts.of(s.upstreams.of(upstream), "").Inc() }

// StoreError counts a failure of the checkpoint store; op is a fixed word: "find", "put", "change", "sweep".
func (s *Stats) StoreError(op string) { s.storeErrors.of(s.ops.of(op), "").Inc() }

// OverrideIgnored counts an override header that the operator does not allow.
func (s *Stats) OverrideIgnored(header string) { s.ignored.of(s.headers.of(header), "").Inc() }

// Panic counts a panic that was caught.
func (s *Stats) Panic() { s.panics.Inc() }

// QueueLength makes length the source of the summary queue's gauge; the first one given stays.
func (s *Stats) QueueLength(length func() int) {
	s.set.GetOrCreateGauge("recap_summary_queue_length", func() float64 { return float64(length()) })
}

func (s *Stats) hitRatio() float64 {
	hits, misses := float64(s.memoHits.Get()), float64(s.memoMisses.Get())
	if hits+misses == 0 {
		return 0
	}
	return hits / (hits + misses)
}
