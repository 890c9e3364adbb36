package promises_test

import (
	"bytes"
	"strings"
	"testing"

	"recap/internal/fakellm"
)

// A4: the level is passed in the middle of a tool loop: the open question and the last result leave as they came, the
// last message is the result, and nothing of the assistant's stands last.
func TestA4OpenQuestionStays(t *testing.T) {
	question := `{"role":"user","content":"FIX-THE-TEST \u00e9 now"}`
	call := `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"run","arguments":"{}"}}]}`
	result := `{"role":"tool","tool_call_id":"c1","content":"` + strings.Repeat("line of the log ", 300) + `"}`
	for _, window := range []int{4096, 8192} {
		r := newRig(t, window, fakellm.Options{}, nil)
		body := plain(`{"role":"system","content":"S"}`, 60, 500, question, call, result)
		for range 2 { // the ledger alone first, then the summary
			a := r.chat("openai", body)
			sent := messages(t, r.sent())
			n := len(sent)
			if a.code != 200 || n < 4 || sent[n-1] != result || sent[n-2] != call || !strings.Contains(sent[n-3], `FIX-THE-TEST \u00e9 now"}`) || n > 100 {
				t.Errorf("window %d (%d %s): %d messages, the last %.80s", window, a.code, a.status(), n, sent[n-1])
			}
			r.settle()
		}
	}
}

// A8: what the client itself says in several system messages is its own business: under the level nothing is touched,
// over it each of them stays as it is and none is added.
func TestA8SystemMessagesOfTheClient(t *testing.T) {
	const one, two = `{"role":"system","content":"SYS-ONE"}`, `{"role":"system","content":"SYS-TWO \u00e9"}`
	f := func(name string, list ...string) {
		t.Helper()
		r := newRig(t, 4096, fakellm.Options{Lenient: true}, nil)
		short := plain("", 0, 0, append(list, lastUser)...)
		if a := r.chat("openai", short); !has(a.status(), "clear") || !bytes.Equal(r.sent(), short) {
			t.Errorf("%s, short: %s, sent %s", name, a.status(), r.sent())
		}
		long := plain(strings.Join(list, ","), 40, 500, lastUser)
		for range 2 {
			a := r.chat("openai", long)
			sent := strings.Join(messages(t, r.sent()), "\n")
			systems := strings.Count(sent, `"role":"system"`)
			if want := strings.Count(string(long), `"role":"system"`); systems != want || !strings.Contains(sent, two) || has(a.status(), "clear") {
				t.Errorf("%s (%s): %d system messages, want %d; SYS-TWO kept: %v", name, a.status(), systems, want, strings.Contains(sent, two))
			}
			r.settle()
		}
	}
	f("two in front", one, two)
	f("one in the middle", one, `{"role":"user","content":"u"}`, `{"role":"assistant","content":"a"}`, two)
}
