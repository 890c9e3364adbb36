package fakellm_test

import (
	"testing"

	"recap/internal/fakellm"
)

func BenchmarkCheck(b *testing.B) {
	c := fakellm.NewConversation(fakellm.ConversationOptions{Seed: 1, Turns: 60, Rounds: 6, ResultChars: 4000})
	body := c.Body(fakellm.OpenAI, len(c.Messages)-1)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if err := fakellm.Check(fakellm.OpenAI, body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheckKept(b *testing.B) {
	c := fakellm.NewConversation(fakellm.ConversationOptions{Seed: 1, Turns: 60, Rounds: 6, ResultChars: 4000})
	n := len(c.Messages) - 1
	body := c.Body(fakellm.OpenAI, n)
	at := c.TurnStarts()[30]
	c.Messages[at].Text = "[note] " + c.Messages[at].Text
	whole := c.Fork(n, 1) // renders anew
	whole.Messages = append(whole.Messages[:0:0], c.Messages[at:n]...)
	sent := whole.Body(fakellm.OpenAI, len(whole.Messages))
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if err := fakellm.CheckKept(fakellm.OpenAI, body, sent); err != nil {
			b.Fatal(err)
		}
	}
}
