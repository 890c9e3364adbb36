package promises_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"recap/internal/fakellm"
)

// P9, A18: a summary that a gate refuses leaves the chat as it was and is seen everywhere, without a word of its text; what
// rests the chat does not rest who asks for a summary now.
func TestRefusedSummaryIsVisible(t *testing.T) {
	var answer atomic.Value
	answer.Store("SECRETWORD: use 11111, 22222, 33333, 44444 and 55555.")
	r := newRig(t, 4096, fakellm.Options{Summary: func(string) fakellm.Reply { return fakellm.Reply{Text: answer.Load().(string)} }}, nil)
	body := plain("", 24, 500, lastUser)
	r.chat("openai", body)
	r.settle()
	a := r.chat("openai", body)
	r.settle()
	if state := a.header.Get("X-Recap-Summary"); a.code != 200 || state != "cooling" || strings.HasPrefix(a.status(), "compacted") {
		t.Errorf("%d, status %q, summary %q", a.code, a.status(), state)
	}
	resp, err := http.Get("http://" + r.app.AdminAddr() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	metrics, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if !bytes.Contains(metrics, []byte(`recap_summaries_total{outcome="failed",reason="unsupported"} 1`)) {
		t.Error("the failure is not counted by its gate")
	}
	if log := r.log.String(); !strings.Contains(log, "summary failed") || !strings.Contains(log, "reason=unsupported") ||
		strings.Contains(log, "SECRETWORD") || bytes.Contains(metrics, []byte("SECRETWORD")) {
		t.Error("the log does not say it, or says more")
	}
	answer.Store("They asked many questions.")
	a = r.chat("openai", body, "X-Recap-Mode", "force")
	if !strings.HasPrefix(a.status(), "compacted") || a.header.Get("X-Recap-Summary") != "ready" {
		t.Errorf("forced: status %q, summary %q", a.status(), a.header.Get("X-Recap-Summary"))
	}
}
