package middleware_test

import (
	"slices"
	"strings"
	"testing"

	"recap/config"
)

// What is stored of other chats does not make a chat far from every level be read; what is stored of its own does (P4).
func TestFarBesideCheckpoints(t *testing.T) {
	c := newBenchWith(t, func(c *config.Config) { c.Models[0].ContextWindow = 32_000 })
	chats := [2][][]byte{}
	for id := range chats {
		chats[id] = benchTurns(id, 8<<10, 4)
	}
	forced := benchRequest(chats[0][0])
	forced.Request.Header.Set("X-Recap-Mode", "force")
	c.Handle(forced)
	c.Close()
	summary := func(body []byte) string {
		ctx := benchRequest(body)
		c.Handle(ctx)
		c.Close()
		return string(ctx.Response.Header.Peek("X-Recap-Summary"))
	}
	read := func() string {
		var text strings.Builder
		c.Stats.WritePrometheus(&text)
		lines := slices.DeleteFunc(strings.Split(text.String(), "\n"), func(l string) bool { return !strings.HasPrefix(l, "recap_token_memo") })
		return strings.Join(lines, "\n")
	}
	before := read()
	for _, body := range chats[1] {
		if got := summary(body); got != "none" {
			t.Errorf("the other chat: summary %s, want none", got)
		}
	}
	if after := read(); after != before {
		t.Errorf("the other chat was read:\n%s\n%s", before, after)
	}
	if got := summary(chats[0][1]); got != "ready" {
		t.Errorf("the chat with the checkpoint: summary %s, want ready", got)
	}
	if read() == before {
		t.Error("the chat with the checkpoint was not read")
	}
}
