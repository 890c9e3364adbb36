package promises_test

import (
	"bytes"
	"strings"
	"testing"

	"recap/config"
	"recap/internal/fakellm"
	"recap/summarizer"
)

// Issue 3, item 8, through the whole proxy: in suffix mode the summary call begins with the bytes that were sent for the
// chat, checkpoint, tools and all, so that a single-slot upstream finds them in its prompt cache; it is valid for the
// strict upstream; the summaries are used as ever, and no request is refused (P4, P5, P9).
func TestSuffixModeThroughTheProxy(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"openai", "ollama"} {
		r := newRig(t, 4096, fakellm.Options{
			IsSummary: func(q *fakellm.Recorded) bool { return strings.HasPrefix(q.Said(-1), "Stop here.") },
			Summary:   func(string) fakellm.Reply { return fakellm.Reply{Text: "They went on with the work."} },
		}, func(c *config.Config) { c.Summarization.Mode = summarizer.SuffixMode })
		conv := fakellm.NewConversation(fakellm.ConversationOptions{Seed: 11, Turns: 40, Rounds: 2, TextChars: 400, ResultChars: 500})
		for _, n := range conv.Points() {
			if a := r.chat(name, conv.Body(name, n)); a.code != 200 {
				t.Fatalf("%s, %d messages: %d %s", name, n, a.code, a.body)
			}
			r.settle()
		}
		if refused := r.up.Refusals(); len(refused) > 0 {
			t.Errorf("%s: refused %v", name, refused)
		}
		checkSuffixCalls(t, name, r.up.Requests())
		list, err := r.app.Store.List(t.Context(), "", 0)
		if err != nil || len(list) < 3 {
			t.Errorf("%s: %d checkpoints, %v", name, len(list), err)
		}
	}
}

func checkSuffixCalls(t *testing.T, name string, requests []fakellm.Recorded) {
	t.Helper()
	summaries, cached, prompt, noted := 0, 0, 0, 0
	var live []byte
	for i := range requests {
		q := &requests[i]
		switch {
		case fakellm.IsChat(q):
			live = q.Body
		case fakellm.IsSummary(q):
			summaries++
			cached, prompt = cached+q.CachedTokens, prompt+q.PromptTokens
			if bytes.Contains(q.Body, []byte("earlier-conversation")) {
				noted++
			}
			if n := common(live, q.Body); n < len(q.Body)/2 {
				t.Errorf("%s: a summary call shares %d of its %d bytes with the request before it", name, n, len(q.Body))
			}
		}
	}
	// What the instruction takes is new, all else is found.
	if summaries < 3 || noted == 0 || cached*10 < prompt*7 {
		t.Errorf("%s: %d summary calls, %d behind a checkpoint, %d of %d tokens cached", name, summaries, noted, cached, prompt)
	}
	t.Logf("%s: %d summary calls, %d of %d prompt tokens cached", name, summaries, cached, prompt)
}

// common is how many bytes two bodies begin with alike, from their messages on.
func common(a, b []byte) int {
	a, b = a[max(bytes.Index(a, []byte(`"messages"`)), 0):], b[max(bytes.Index(b, []byte(`"messages"`)), 0):]
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
