package dashboard_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"recap/dashboard"
	"recap/stats"
)

// TestN15EventStream: events arrive as they happen, comments when nothing does, and a client that leaves is let go.
func TestN15EventStream(t *testing.T) {
	s := serve(t, dashboard.Options{Heartbeat: 20 * time.Millisecond})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", s.url+"/api/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got := resp.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("content type %q", got)
	}
	lines := bufio.NewScanner(resp.Body)
	until := func(prefix string) string {
		t.Helper()
		for lines.Scan() {
			if rest, ok := strings.CutPrefix(lines.Text(), prefix); ok {
				return rest
			}
		}
		t.Fatalf("the stream ended before %q: %v", prefix, lines.Err())
		return ""
	}
	until(": connected")
	until(": still here")
	s.stats.Summary(stats.SummaryReady, stats.Summary{Key: "ab", To: 42})
	if got := until("event: "); got != "summary.ready" {
		t.Errorf("event %q", got)
	}
	var e stats.Event
	if err := json.Unmarshal([]byte(until("data: ")), &e); err != nil || e.Kind != "summary.ready" || e.Data["to"] != 42.0 {
		t.Errorf("event %+v, %v", e, err)
	}
	cancel()
	for start := time.Now(); s.stats.Hub().Len() > 0; time.Sleep(time.Millisecond) {
		if time.Since(start) > time.Minute {
			t.Fatal("the client that left is still subscribed")
		}
	}
}

// TestShutdownEndsStreams: an open event stream does not hold the process up.
func TestShutdownEndsStreams(t *testing.T) {
	s := serve(t, dashboard.Options{})
	resp, err := http.Get(s.url + "/api/events")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, resp.Body)
		ended <- err
	}()
	if err := s.Shutdown(ctx); err != nil {
		t.Errorf("shutdown: %v", err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the stream was cut, not ended: %v", err)
	}
}
