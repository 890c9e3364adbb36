package fakellm_test

import (
	"strings"
	"testing"

	"recap/internal/fakellm"
)

func TestSharedMessages(t *testing.T) {
	f := func(before, after []byte, shared, of int) {
		t.Helper()
		if s, n := fakellm.SharedMessages(fakellm.OpenAI, before, after); s != shared || n != of {
			t.Errorf("got %d of %d, want %d of %d", s, n, shared, of)
		}
	}
	f(chatBody(sys, usr), chatBody(sys, usr, asst, usr), 2, 2)
	f(chatBody(sys, usr, asst), chatBody(sys, usr), 2, 3)
	f(chatBody(sys, usr), chatBody(sys, said("user", "x"), usr), 1, 2)
	f(chatBody(sys), []byte(`{`), 0, 0)
}

func TestTextOf(t *testing.T) {
	got := fakellm.TextOf(fakellm.OpenAI, chatBody(said("user", `a\u00e9\n\"b\"`), strings.Replace(callA, `"{}"`, `"{\"p\":\"/x\"}"`, 1)))
	if want := "aé\n\"b\"\n\nf {\"p\":\"/x\"}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	c := fakellm.NewConversation(fakellm.ConversationOptions{Seed: 7, Facts: 12, Spaced: 0.5})
	for _, dialect := range []string{fakellm.OpenAI, fakellm.Ollama} {
		text := fakellm.TextOf(dialect, c.Body(dialect, len(c.Messages)))
		for _, fact := range c.Facts {
			if !strings.Contains(text, fact.Text) {
				t.Errorf("%s: fact %s is not visible", dialect, fact.Kind)
			}
		}
	}
}
