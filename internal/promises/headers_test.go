package promises_test

import (
	"strings"
	"testing"

	"recap/config"
	"recap/internal/fakellm"
)

// A misspelt override header is answered with 400 that names the right one, in the format's own shape; one that nobody
// knows goes no further, is counted, and logged once. Where overrides are off, neither is an error.
func TestMisspeltOverride(t *testing.T) {
	body := []byte(`{"model":"fake-model","messages":[{"role":"user","content":"hi"}]}`)
	r := newRig(t, 100_000, fakellm.Options{}, nil)
	for _, dialect := range []string{"openai", "ollama"} {
		a := r.chat(dialect, body, "X-Recap-Keep-Turn", "3")
		if a.code != 400 || !strings.Contains(string(a.body), "X-Recap-Keep-Turns") || !strings.Contains(string(a.body), `"error"`) {
			t.Errorf("%s: %d %s", dialect, a.code, a.body)
		}
	}
	if n := len(r.up.Chats()); n != 0 {
		t.Errorf("%d requests went on", n)
	}
	for range 3 {
		if a := r.chat("openai", body, "X-Recap-Unheard-Of", "3"); a.code != 200 || r.up.Chats()[0].Header.Get("X-Recap-Unheard-Of") != "" {
			t.Errorf("unknown: %d, sent on: %q", a.code, r.up.Chats()[0].Header.Get("X-Recap-Unheard-Of"))
		}
	}
	_, metrics := r.admin("GET", "/metrics")
	if !strings.Contains(metrics, `recap_overrides_ignored_total{header="unknown"} 3`) {
		t.Errorf("not counted")
	}
	r.close()
	if n := strings.Count(r.log.String(), "x-recap-unheard-of"); n != 1 {
		t.Errorf("logged %d times", n)
	}
	off := newRig(t, 100_000, fakellm.Options{}, func(c *config.Config) { c.Overrides.Allow = nil })
	if a := off.chat("openai", body, "X-Recap-Keep-Turn", "3"); a.code != 200 {
		t.Errorf("overrides off: %d %s", a.code, a.body)
	}
}

// admin asks the admin listener.
func (r *rig) admin(method, path string) (code int, body string) {
	r.t.Helper()
	a, err := do(method, "http://"+r.app.AdminAddr()+path, "")
	if err != nil {
		r.t.Fatal(err)
	}
	return a.code, string(a.body)
}
