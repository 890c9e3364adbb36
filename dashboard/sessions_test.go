package dashboard_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"recap/cache"
	"recap/chat"
	"recap/dashboard"
	"recap/stats"
)

func keysOf(words ...string) []chat.Key {
	keys, so := make([]chat.Key, len(words)), ""
	for i, word := range words {
		so += "/" + word
		keys[i] = chat.Seed(so, "", "")
	}
	return keys
}

// talkOf records a conversation of two turns that uses the checkpoint of s, the second one compacted.
func (s *site) talkOf(label string) (id chat.Key) {
	keys := keysOf(label, "a1", "u2")
	t := stats.Turn{
		Keys: keys[:1], Time: time.Now().UnixMilli(), Status: chat.Clear, Summary: "none",
		Labels: stats.Labels{Session: label, Tenant: "a", Upstream: "local", Dialect: "openai", Model: "m"},
		Gauge:  stats.Gauge{Used: 300, Baseline: 300, Window: 8192, Source: "config"},
		Spent:  stats.Spend{Calls: 1, Prompt: 300, Completion: 20, Cost: 0.5},
	}
	s.stats.Branches().Record(&t)
	t.Keys, t.Gauge.Used, t.Gauge.Baseline, t.Status = keys, 200, 500, chat.Compacted
	t.Checkpoint, t.Covers, t.Rows, t.Stored, t.Due = s.key, 42, 1, []chat.Key{s.key}, s.key
	s.stats.Branches().Record(&t)
	s.stats.Branches().Summarised(s.key, 2, stats.Spend{Calls: 1, Prompt: 40, Completion: 9, Cost: 0.25}, true)
	return keys[0]
}

// L22, L23: the list and one conversation tell gauge, usage, cost and checkpoints; no text.
func TestL22L23Sessions(t *testing.T) {
	s := serve(t, dashboard.Options{})
	id := s.talkOf("my chat/1")
	s.talkOf("100%")
	s.talkOf("")
	code, body := s.ask(t, "GET", "/api/sessions", "")
	var told struct {
		Sessions []struct {
			ID, Session, Checkpoint string
			Gauge                   stats.Gauge
			Usage, Summaries        stats.Spend
			Cost                    float64
		}
	}
	if err := json.Unmarshal([]byte(body), &told); code != 200 || err != nil || len(told.Sessions) != 3 {
		t.Fatalf("%d %s %v", code, body, err)
	}
	got := told.Sessions[2]
	if got.ID != id.String() || got.Session != "my chat/1" || got.Gauge.Used != 200 || got.Gauge.Baseline != 500 ||
		got.Usage.Prompt != 600 || got.Summaries.Completion != 9 || got.Cost != 1.25 || got.Checkpoint != s.key.String() {
		t.Errorf("session %+v", got)
	}
	if _, body := s.ask(t, "GET", "/api/sessions?limit=1", ""); strings.Count(body, `"id"`) != 1 {
		t.Errorf("one was asked for: %s", body)
	}
	if _, body := s.ask(t, "GET", "/api/sessions?tenant=b", ""); !strings.Contains(body, `"sessions":[]`) {
		t.Errorf("another tenant's: %s", body)
	}
	byLabel := ""
	for _, path := range []string{"my%20chat%2F1", id.String()} {
		code, body = s.ask(t, "GET", "/api/sessions/"+path, "")
		if code != 200 || !strings.Contains(body, `"key":"`+s.key.String()) || strings.Contains(body, "the text") {
			t.Errorf("%s: %d %s", path, code, body)
		}
		if byLabel != "" && body != byLabel {
			t.Errorf("by id %s\nby label %s", body, byLabel)
		}
		byLabel = body
	}
	for path, want := range map[string]int{"100%25": 200, "other": 404, "a/b": 404, "": 404, keysOf("x")[0].String(): 404} {
		if code, body := s.ask(t, "GET", "/api/sessions/"+path, ""); code != want {
			t.Errorf("%s: %d %s, want %d", path, code, body, want)
		}
	}
}

// A conversation whose accounts are gone is still found by the label that its checkpoints carry.
func TestForgottenSession(t *testing.T) {
	s := serve(t, dashboard.Options{})
	code, body := s.ask(t, "GET", "/api/sessions/my%20chat%2F1", "")
	if code != 200 || !strings.Contains(body, `"session":null`) || !strings.Contains(body, s.key.String()) {
		t.Errorf("%d %s", code, body)
	}
}

// Looking at a conversation keeps no checkpoint from expiring.
func TestShowingIsNotUsing(t *testing.T) {
	now := time.Now()
	store := cache.NewMemory(cache.Options{TTL: time.Hour, Now: func() time.Time { return now }})
	s := serve(t, dashboard.Options{})
	s.talkOf("x")
	if _, err := store.Put(t.Context(), chat.Checkpoint{Key: s.key, To: 1, Text: "x"}); err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	shown := serveWith(t, store, s.stats)
	now = now.Add(50 * time.Minute)
	for _, path := range []string{"/api/sessions/x", "/api/checkpoints/" + s.key.String(), "/api/checkpoints"} {
		if code, body := shown.ask(t, "GET", path, ""); code != 200 || !strings.Contains(body, s.key.String()) {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
	now = now.Add(20 * time.Minute)
	if code, _ := shown.ask(t, "GET", "/api/checkpoints/"+s.key.String(), ""); code != 404 {
		t.Errorf("%d, want 404: showing counted as using", code)
	}
}
