package promises_test

import (
	"strings"
	"testing"

	"recap/internal/fakellm"
)

// A17: a system prompt over the whole window, turns of a usual length: the level can never be met, so calls must stop
// after two or three, until the chat has grown by a set amount, not go on at every second turn.
func TestA17HopelessSystemPrompt(t *testing.T) {
	r := newRig(t, 8192, fakellm.Options{Lenient: true}, nil)
	system := `{"role":"system","content":"` + strings.Repeat("rule of the house ", 4000) + `"}`
	for n := 10; n < 30; n++ {
		a := r.chat("openai", plain(system, n, 1600, lastUser))
		t.Log(n, a.status(), a.header.Get("X-Recap-Tokens"), a.header.Get("X-Recap-Summary"))
		r.settle()
	}
	if n := strings.Count(r.log.String(), "msg=summary.started"); n > 4 {
		t.Errorf("%d jobs in 20 turns", n)
	}
	if n := strings.Count(r.log.String(), "is over its window"); n != 1 || strings.Contains(r.log.String(), "rule of the house") {
		t.Errorf("%d warnings that nothing helps, want one without the text", n)
	}
}
