package promises_test

import (
	"strings"
	"testing"
	"time"

	"recap/chat"
	"recap/internal/fakellm"
)

// Explaining a request, by the API, does not count as using its checkpoints; sending it does.
func TestExplainingIsNotUsing(t *testing.T) {
	r := newRig(t, 4096, fakellm.Options{}, nil)
	body := plain("", 22, 500, lastUser)
	r.chat("openai", body)
	r.settle()
	a := r.chat("openai", body)
	name, _, _ := strings.Cut(strings.Trim(a.header.Get("X-Recap-Checkpoint"), `"`), `"`)
	key, err := chat.ParseKey(name)
	if err != nil {
		t.Fatalf("%s: no checkpoint in use", a.status())
	}
	r.settle()
	used := func() time.Time {
		t.Helper()
		cp, err := r.app.Store.Get(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		return cp.Used
	}
	before := used()
	time.Sleep(5 * time.Millisecond)
	if told := r.explained("openai", body); len(told.Candidates) == 0 {
		t.Fatal("the checkpoint is not explained")
	}
	if now := used(); !now.Equal(before) {
		t.Errorf("used %s later", now.Sub(before))
	}
	r.chat("openai", body)
	if !used().After(before) {
		t.Error("a chat did not use it: the test proves nothing")
	}
}

// On a window that is only guessed, the first chat that needs a summary starts none: the upstream is asked first, which
// may make it needless. The next one does.
func TestGuessedWindowStartsNoJobAtOnce(t *testing.T) {
	r := newRig(t, 0, fakellm.Options{Hide: []string{"/props", "/api/ps", "/api/show", "/v1/models"}}, nil)
	body := plain("", 40, 500, lastUser)
	for n := range 2 {
		a := r.chat("ollama", body)
		r.settle()
		if !strings.Contains(a.header.Get("X-Recap-Tokens"), "source=default") {
			t.Fatalf("the window is not guessed: %s", a.header.Get("X-Recap-Tokens"))
		}
		if calls := len(r.up.Summaries()); (calls > 0) != (n > 0) {
			t.Errorf("request %d (%s): %d summary calls", n+1, a.status(), calls)
		}
	}
}
