package middleware_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"recap/config"
	"recap/middleware"
	"recap/tokens"
)

// readMessages is how many messages were weighed so far: those of chats that were read, not glanced at.
func readMessages(c *middleware.Compactor) string {
	var text strings.Builder
	c.Stats.WritePrometheus(&text)
	var found []string
	for line := range strings.Lines(text.String()) {
		if strings.HasPrefix(line, "recap_token_memo") {
			found = append(found, line)
		}
	}
	return strings.Join(found, "")
}

// Under a small window a short chat is near its levels. Once the upstream has counted it, its next turn is not read while
// what is new in it cannot take it to one; the tools that stand behind the messages again are not new.
func TestFarShortChats(t *testing.T) {
	c := newBenchWith(t, func(c *config.Config) { c.Models[0].ContextWindow = 2_400 })
	tools := `],"max_tokens":512,"tools":[{"type":"function","function":{"name":"f","description":"` + strings.Repeat("says what it is ", 60) + `"}}]}`
	list := `{"model":"bench","messages":[{"role":"system","content":"` + strings.Repeat("be careful ", 60) + `"},{"role":"user","content":"go"}`
	turn := func(text, rest string) (read bool) {
		list += `,{"role":"assistant","content":"` + text + `"},{"role":"user","content":"and then?"}`
		before := readMessages(c)
		c.Handle(benchRequest([]byte(list + rest)))
		c.Close()
		return readMessages(c) != before
	}
	f := func(what, text, rest string, want bool) {
		t.Helper()
		if got := turn(text, rest); got != want {
			t.Errorf("%s: read %v, want %v", what, got, want)
		}
	}
	f("nothing is known", "first", tools, true)
	f("the next turn", "second", tools, false)
	f("and the one behind it", "third", tools, false)
	f("other tools, which may be many tokens", "fourth", strings.Replace(tools, "says", "tells", 1), true)
	f("the same tools again", "fifth", strings.Replace(tools, "says", "tells", 1), false)
	f("more than fits under the level", strings.Repeat("\\u4f60\\u597d", 300), tools, true)
}

// A glance never hides a level: the summary of a chat becomes due with the same request whether its chat is glanced at
// while that suffices, or each request of it is read in full (P3, P8).
func TestGlancedChatsComeDueInTime(t *testing.T) {
	texts := []string{"The keeper wrote the hour into his book. ", "早晨的港口很安静。两条船载着鱼进来了，", `{\"id\":184467,\"ok\":true},`, "😀🎉", "Утром в порту было тихо. "}
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 5))
		window := 1_500 + rng.IntN(6_000)
		var due [2]int
		list := []string{}
		for range 400 {
			text := texts[rng.IntN(len(texts))]
			list = append(list, strings.Repeat(text, 1+rng.IntN(1+window/len(text)/8)))
		}
		vocabulary := 0.8 + rng.Float64()/2 // the upstream's own, against our estimate
		for way := range due {
			c := newBenchWith(t, func(c *config.Config) { c.Models[0].ContextWindow = window })
			c.Relay = counting(func(body []byte) int { return int(vocabulary * float64(tokens.Estimate(string(body)))) })
			due[way] = firstDue(c, list, way == 1)
		}
		if due[0] != due[1] {
			t.Errorf("seed %d, window %d: due with request %d, read in full with %d", seed, window, due[0], due[1])
		}
	}
}

// firstDue sends a chat that grows by one answer and question at a time, and returns the first request that tells of a
// summary.
func firstDue(c *middleware.Compactor, list []string, inFull bool) int {
	body := `{"model":"bench","messages":[{"role":"user","content":"go"}`
	for n, text := range list {
		body += fmt.Sprintf(`,{"role":"assistant","content":"%s"},{"role":"user","content":"%d"}`, text, n)
		ctx := benchRequest([]byte(body + `],"max_tokens":200}`))
		if inFull {
			ctx.Request.Header.Set("X-Recap-Session", "s")
		}
		c.Handle(ctx)
		c.Close()
		if string(ctx.Response.Header.Peek("X-Recap-Summary")) != "none" {
			return n
		}
	}
	return -1
}
