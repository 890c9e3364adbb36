package promises_test

import (
	"strings"
	"testing"

	"recap/config"
	"recap/internal/fakellm"
)

// P6: a batch of pruned results is declared also by a process that did not send the request before: after a restart,
// or behind a balancer.
func TestP6BreaksDeclaredAfterRestart(t *testing.T) {
	path := t.TempDir() + "/recap.db"
	change := func(c *config.Config) {
		c.Store.Kind, c.Store.Path, c.Summarization.Enabled = "sqlite", path, false
		p := &c.Summarization.ContextPruning
		p.Enabled, p.Strategy, p.ProtectTokens, p.ClearAtLeast = true, "budget", 500, 300
	}
	r := newRig(t, 32768, fakellm.Options{}, change)
	c := talk(11, 30, 3)
	var last []string
	breaks := 0
	for i, point := range c.Points() {
		if i%3 == 2 {
			r.close()
			r = newRig(t, 32768, fakellm.Options{}, change) // which knows nothing of what was sent
		}
		a := r.chat("openai", c.Body("openai", point))
		now := messages(t, r.sent())
		kept := commonPrefix(last, now) == len(last)
		if !kept {
			breaks++
			if !strings.Contains(a.status(), "broke-prefix") {
				t.Errorf("point %d: the prefix broke and the status says %q", point, a.status())
			}
		}
		last = now
	}
	if breaks == 0 {
		t.Error("no batch was pruned: nothing was tested")
	}
}
