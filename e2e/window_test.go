package e2e

import (
	"fmt"
	"testing"

	"github.com/openai/openai-go/v3"
)

// TestWindowTooLargeByHand: the file claims four times the window. The first request over the real one is refused by the
// engine, and the turn still succeeds: the limit is learned from the error, the plan made again, the request sent once more.
func TestWindowTooLargeByHand(t *testing.T) {
	if testing.Short() || direct {
		t.Skip("starts a real engine behind Recap")
	}
	relay := startRelay(t, startEngine(t))
	proxy := startRecap(t, relay.url, settings{blocks: []string{fmt.Sprintf(`models: [{match: "*", contextWindow: %d}]`, 4*window)}})
	c := newChatter(proxy.url)
	for n := range 40 { // a history that was there before Recap was
		c.messages = append(c.messages, openai.UserMessage(question(n)), openai.AssistantMessage("They are kept in boxes."))
	}
	for n := range 3 {
		u, err := c.say(t.Context(), question(40+n))
		if err != nil {
			t.Fatal(err)
		}
		t.Log(u)
		if u.window != window || u.source != "learned" {
			t.Errorf("turn %d: window %d from %q, want %d learned", u.number, u.window, u.source, window)
		}
		if u.prompt+maxReply > window {
			t.Errorf("turn %d: %d tokens of prompt do not fit", u.number, u.prompt)
		}
	}
	if refused := relay.count(func(r *record) bool { return r.header.Get(turnHeader) != "" && r.status == 400 }); refused != 1 {
		t.Errorf("the engine refused %d requests, want only the first", refused)
	}
}
