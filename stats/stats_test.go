package stats_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"recap/chat"
	"recap/stats"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// series returns the lines of the metrics that begin with recap_.
func series(s *stats.Stats) map[string]string {
	var text strings.Builder
	s.WritePrometheus(&text)
	lines := map[string]string{}
	for line := range strings.SplitSeq(text.String(), "\n") {
		if name, value, ok := cutLast(line); ok && strings.HasPrefix(name, "recap_") {
			lines[name] = value
		}
	}
	return lines
}

func cutLast(line string) (name, value string, ok bool) {
	i := strings.LastIndexByte(line, ' ')
	if i < 0 {
		return "", "", false
	}
	return line[:i], line[i+1:], true
}

func TestExchangeIsCounted(t *testing.T) {
	s := stats.New()
	s.Exchange(stats.Exchange{
		Dialect: "openai", Upstream: "local", Model: "llama3:8b", Status: chat.Compacted, BrokePrefix: true, Pruned: 3,
		Before: 1000, After: 400, Code: 200, FirstByteMS: 300, Prompt: 410, Cached: 200, Completion: 50,
	})
	s.Exchange(stats.Exchange{Dialect: "ollama", Upstream: "local", Status: chat.Bypass, Reason: "invalid-json", Code: 400})
	got := series(s)
	for name, want := range map[string]string{
		`recap_requests_total{dialect="openai",status="compacted"}`:       "1",
		`recap_requests_total{dialect="ollama",status="bypass"}`:          "1",
		`recap_responses_total{dialect="ollama",code="400"}`:              "1",
		`recap_bypass_total{reason="invalid-json"}`:                       "1",
		`recap_pruned_results_total{dialect="openai"}`:                    "3",
		`recap_tokens_total{model="llama3:8b",kind="before"}`:             "1000",
		`recap_tokens_total{model="llama3:8b",kind="after"}`:              "400",
		`recap_tokens_total{model="llama3:8b",kind="saved"}`:              "600",
		`recap_reported_tokens_total{upstream="local",kind="prompt"}`:     "410",
		`recap_reported_tokens_total{upstream="local",kind="cached"}`:     "200",
		`recap_reported_tokens_total{upstream="local",kind="completion"}`: "50",
		`recap_prefix_breaks_total`:                                       "1",
		`recap_upstream_first_byte_seconds_bucket{le="0.25"}`:             "0",
		`recap_upstream_first_byte_seconds_bucket{le="0.5"}`:              "1",
		`recap_upstream_first_byte_seconds_count`:                         "1",
		`recap_bypass_total{reason="none"}`:                               "",
		`recap_tokens_total{model="none",kind="saved"}`:                   "",
	} {
		if got[name] != want {
			t.Errorf("%s: got %q, want %q", name, got[name], want)
		}
	}
}

func TestOtherCounts(t *testing.T) {
	s := stats.New()
	s.StreamOpened()
	s.StreamOpened()
	s.StreamClosed()
	s.Relayed()
	s.TokenMemo(3, 1)
	s.StoreError("put")
	s.OverrideIgnored("X-Recap-Model")
	s.Panic()
	s.SummaryGates([]string{"sections", "struck"})
	s.QueueLength(func() int { return 7 })
	s.Summary(stats.SummaryQueued, stats.Summary{})
	s.Summary(stats.SummaryReady, stats.Summary{Seconds: 3})
	s.Summary(stats.SummaryFailed, stats.Summary{Seconds: 1, Reason: "truncated"})
	got := series(s)
	for name, want := range map[string]string{
		`recap_open_streams`:                                         "1",
		`recap_relayed_total`:                                        "1",
		`recap_token_memo_hit_ratio`:                                 "0.75",
		`recap_store_errors_total{op="put"}`:                         "1",
		`recap_overrides_ignored_total{header="X-Recap-Model"}`:      "1",
		`recap_panics_total`:                                         "1",
		`recap_summary_queue_length`:                                 "7",
		`recap_summary_gates_total{gate="sections"}`:                 "1",
		`recap_summaries_total{outcome="queued"}`:                    "1",
		`recap_summaries_total{outcome="ready"}`:                     "1",
		`recap_summaries_total{outcome="failed",reason="truncated"}`: "1",
		`recap_summary_job_seconds_count`:                            "2",
		`recap_summary_job_seconds_bucket{le="2.5"}`:                 "1",
	} {
		if got[name] != want {
			t.Errorf("%s: got %q, want %q", name, got[name], want)
		}
	}
}

// TestP10LabelsAreBounded: what clients send makes neither many series nor odd ones.
func TestP10LabelsAreBounded(t *testing.T) {
	s := stats.New()
	for n := range 300 {
		model := fmt.Sprintf("model-%d\"} evil 1\n%s", n, strings.Repeat("x", n))
		s.Exchange(stats.Exchange{
			Dialect: "openai", Model: model, Reason: model, Status: chat.Bypass, Upstream: model, Before: 1, After: 1,
			Prompt: 1, Code: n,
		})
		s.OverrideIgnored(model)
		s.StoreError(model)
	}
	counted := 0
	for name := range series(s) {
		if strings.ContainsAny(strings.Trim(name, "}"), "\n\\}") || len(name) > 200 || strings.Contains(name, " ") {
			t.Errorf("odd series %q", name)
		}
		if strings.HasPrefix(name, "recap_tokens_total") {
			counted++
		}
	}
	if counted != 2*51 { // before and after, of 50 models and other
		t.Errorf("%d series of tokens", counted)
	}
	if got := series(s)[`recap_tokens_total{model="other",kind="before"}`]; got != "250" {
		t.Errorf("other: %s, want 250", got)
	}
}

func TestRecent(t *testing.T) {
	s := stats.New()
	if got := s.Recent(); len(got) != 0 {
		t.Errorf("%d exchanges at the start", len(got))
	}
	for n := range 250 {
		s.Exchange(stats.Exchange{Covers: n})
	}
	got := s.Recent()
	if len(got) != 200 || got[0].Covers != 249 || got[199].Covers != 50 {
		t.Errorf("%d exchanges, from %d to %d", len(got), got[0].Covers, got[len(got)-1].Covers)
	}
	if got[0].Time.IsZero() {
		t.Error("no time")
	}
}

// TestN15Events: the exchange and each step of a summary are told, to all who listen.
func TestN15Events(t *testing.T) {
	s := stats.New()
	ctx, cancel := context.WithCancel(t.Context())
	a, b := s.Hub().Subscribe(ctx), s.Hub().Subscribe(ctx)
	s.Exchange(stats.Exchange{Status: chat.Clear, Covers: 4})
	for _, kind := range []string{stats.SummaryQueued, stats.SummaryStarted, stats.SummaryReady, stats.SummaryFailed} {
		s.Summary(kind, stats.Summary{Key: "ab", To: 9, Reason: "http-500"})
	}
	for _, sub := range []<-chan stats.Event{a, b} {
		e := <-sub
		if e.Kind != "exchange" || e.Data["covers"] != 4 || e.Time == 0 {
			t.Errorf("event %+v", e)
		}
		for _, want := range []string{"summary.queued", "summary.started", "summary.ready", "summary.failed"} {
			if e := <-sub; e.Kind != want || e.Data["to"] != 9 {
				t.Errorf("event %+v, want %s", e, want)
			}
		}
	}
	cancel()
	if _, open := <-a; open {
		t.Error("the channel is open after its context has ended")
	}
	for s.Hub().Len() > 0 {
		time.Sleep(time.Millisecond)
	}
	s.Hub().Publish(stats.Event{})
}

// TestPublishNeverWaits: who does not read misses events, which is counted; the others get all.
func TestPublishNeverWaits(t *testing.T) {
	hub := stats.NewHub()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	slow := hub.Subscribe(ctx)
	for n := range 1000 {
		hub.Publish(stats.Event{Time: int64(n)})
	}
	if got := hub.Dropped(); got != 1000-uint64(len(slow)) || got == 0 {
		t.Errorf("%d dropped, %d waiting", got, len(slow))
	}
	if e := <-slow; e.Time != 0 {
		t.Errorf("first event is %d", e.Time)
	}
}

func TestConcurrent(t *testing.T) {
	s := stats.New()
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			sub := s.Hub().Subscribe(ctx)
			for i := range 100 {
				s.Exchange(stats.Exchange{Dialect: "openai", Model: fmt.Sprint(n, i), Status: chat.Clear})
				s.Recent()
			}
			<-sub
		})
	}
	wg.Wait()
	if got := series(s)[`recap_requests_total{dialect="openai",status="clear"}`]; got != "800" {
		t.Errorf("counted %s of 800", got)
	}
}

func BenchmarkExchange(b *testing.B) {
	s := stats.New()
	e := stats.Exchange{
		Time: time.Now(), Dialect: "openai", Upstream: "local", Model: "llama3", Status: chat.Clear, Before: 9, After: 9,
		Code: 200, FirstByteMS: 3, Prompt: 9, Completion: 9,
	}
	b.ReportAllocs()
	for b.Loop() {
		s.Exchange(e)
	}
}
