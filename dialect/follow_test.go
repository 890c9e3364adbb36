package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"recap/chat"
	"recap/dialect"
)

// A chat is not taken for another one though the messages in which they differ come twice, or change places, 64 messages apart.
func TestFollow(t *testing.T) {
	f := func(what string, change func(list []string)) {
		t.Helper()
		g := dialect.ByName("openai").(dialect.Glancer)
		facts := chat.NewMemo[dialect.Print, *chat.Facts](1000)
		var list []string
		for n := range 128 {
			role := [2]string{"user", "assistant"}[n%2]
			list = append(list, fmt.Sprintf(`{"role":"%s","content":"%s %d"}`, role, strings.Repeat("word ", 10), n))
		}
		list[66] = list[2]
		read := func(head string, list []string, tenant uint64) *chat.Chat {
			c, err := g.DecodeFor(tenant, head+`"messages":[`+strings.Join(list, ",")+`,{"role":"user","content":"go on"}]}`, facts)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		seed := chat.Seed("t", "u", "r")
		keys := func(c *chat.Chat) []chat.Key { return chat.Keys(chat.NewOutline(c), seed) }
		keys(read(`{`, list, 7))
		change(list)
		c := read(`{"model":"m",`, list, 7)
		got, want := keys(c), keys(read(`{`, list, 8))
		if c.Before != nil || got[len(got)-1] != want[len(want)-1] {
			t.Errorf("%s: taken for the chat before", what)
		}
	}
	f("twice", func(list []string) {
		list[2] = strings.Replace(list[2], "word", "other", 1)
		list[66] = list[2]
	})
	f("places", func(list []string) { list[3], list[67] = list[67], list[3] })
}
