package workload

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Twin is W6: the body of one of many chats with the same system prompt and opener. Chats with numbers 2k and 2k+1 are a
// pair: they say the same up to a message that differs in one thing only. Every message names who said it first: the
// pair, until they part, then the chat. last asks for the chat's second request.
func Twin(i uint64, last bool) string {
	pair := i / 2
	r := rand.New(rand.NewPCG(pair, 0x7717))
	const messages = 9
	part := 1 + r.IntN(messages-1) // from this message on they differ
	var b strings.Builder
	b.WriteString(`{"model":"evaluated","messages":[{"role":"system","content":"You are a helpful assistant."},{"role":"user","content":"Hello, I need help."}`)
	for n := 1; n < messages; n++ {
		who := fmt.Sprintf("twin%dx%d", pair, 0)
		if n >= part {
			who = fmt.Sprintf("twin%dx%d", pair, 1+i%2)
		}
		said := strings.Repeat("it goes on and on like this ", 10+r.IntN(8))
		fmt.Fprintf(&b, `,{"role":%q,"content":"%s %s"}`, []string{"user", "assistant"}[n%2], who, said)
	}
	if last {
		b.WriteString(`,{"role":"assistant","content":"Yes."},{"role":"user","content":"And then?"}`)
	}
	b.WriteString(`]}`)
	return b.String()
}
