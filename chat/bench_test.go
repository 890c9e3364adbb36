package chat_test

import (
	"fmt"
	"testing"

	"recap/chat"
)

// benchChat is a chat of so many messages of about 2 KB, as a dialect would give it.
func benchChat(n int) *chat.Chat {
	c := &chat.Chat{}
	for i := range n {
		role := chat.User
		if i%2 == 1 {
			role = chat.Assistant
		}
		c.Messages = append(c.Messages, chat.Message{
			Facts: &chat.Facts{Role: role, Digest: chat.Digest{byte(i), byte(i >> 8)}},
		})
	}
	return c
}

// BenchmarkKeys measures the chain of keys over digests that are known.
func BenchmarkKeys(b *testing.B) {
	seed := chat.Seed("tenant", "upstream", "recipe")
	for _, n := range []int{10, 170, 419, 5000} {
		o := chat.NewOutline(benchChat(n))
		b.Run(fmt.Sprintf("%dmessages", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				chat.Keys(o, seed)
			}
		})
	}
}
