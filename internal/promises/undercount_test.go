package promises_test

import (
	"fmt"
	"strings"
	"testing"

	"recap/internal/fakellm"
)

// §4: an upstream that counts only what was not in its cache does not make a chat look small for ever: it is compacted
// before it outgrows its window, and X-Recap-Tokens tells about what it weighs.
func TestUncachedCountsAreNoSizes(t *testing.T) {
	const window = 8192
	for _, count := range []string{"58", "12.5", "1"} {
		const answer = `{"model":"fake-model","message":{"role":"assistant","content":"It went on."},"done":true,"done_reason":"stop","prompt_eval_count":%s,"eval_count":9}`
		r := newRig(t, window, fakellm.Options{Handle: answering("/api/chat", fmt.Sprintf(answer, count))}, nil)
		var list []string
		compacted := false
		for turn := 1; turn <= 40; turn++ {
			list = append(list, fmt.Sprintf(`{"role":"user","content":"%d %s"}`, turn, strings.Repeat("and what about the next one? ", 20)))
			body := []byte(`{"model":"fake-model","stream":false,"messages":[` + strings.Join(list, ",") + `]}`)
			a := r.chat("ollama", body)
			if real := len(r.sent()) / 6; real > window {
				t.Fatalf("count %s, turn %d: at least %d tokens were sent (%s, %s)", count, turn, real, a.status(), a.header.Get("X-Recap-Tokens"))
			}
			compacted = compacted || strings.HasPrefix(a.status(), "compacted") || strings.HasPrefix(a.status(), "provisional")
			list = append(list, fmt.Sprintf(`{"role":"assistant","content":"%s"}`, strings.Repeat("it is like the one before. ", 35)))
			r.settle()
		}
		if !compacted {
			t.Errorf("count %s: %d bytes of chat were never compacted", count, len(strings.Join(list, ",")))
		}
		r.close()
	}
}
