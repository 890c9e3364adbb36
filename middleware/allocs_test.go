//go:build !race

package middleware_test

import (
	"bufio"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"recap/config"
	"recap/middleware"
	"recap/pruning"
	"recap/summarizer"
)

// toolTurns renders a chat of an agent that grows by a call and its result.
func toolTurns(size, turns int) [][]byte {
	var b strings.Builder
	b.WriteString(`{"model":"bench","messages":[{"role":"system","content":"You are careful."},{"role":"user","content":"go"}`)
	n := 0
	grow := func() {
		if n%5 == 4 {
			fmt.Fprintf(&b, `,{"role":"assistant","content":"done %d"},{"role":"user","content":"and now %d"}`, n, n)
		}
		fmt.Fprintf(&b, `,{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function","function":{"name":"read","arguments":"{}"}}]}`+
			`,{"role":"tool","tool_call_id":"c%d","content":"%d %s"}`, n, n, n, strings.Repeat("some words of a file, ", 50))
		n++
	}
	for b.Len() < size {
		grow()
	}
	var bodies [][]byte
	for range turns {
		grow()
		bodies = append(bodies, []byte(b.String()+`],"max_tokens":100}`))
	}
	return bodies
}

// measured sends the turns one after the other and returns how often one of them allocates, what runs behind it included, the exact
// token counts aside.
func measured(t *testing.T, c *middleware.Compactor, bodies [][]byte, status string) float64 {
	t.Helper()
	var list []*fasthttp.RequestCtx
	for _, body := range bodies {
		list = append(list, benchRequest(body))
	}
	i := 0
	got := testing.AllocsPerRun(len(list)-1, func() {
		c.Handle(list[i])
		c.Close()
		i++
	})
	for _, ctx := range list {
		if s := string(ctx.Response.Header.Peek("X-Recap-Status")); s != status && s != status+";broke-prefix" {
			t.Fatalf("status %q, want %q", s, status)
		}
	}
	return got
}

// TestAllocations holds how often the next turn of a known chat of 32 KB allocates. The budgets are only ever lowered.
func TestAllocations(t *testing.T) {
	f := func(what string, budget float64, status string, settings func(*config.Config)) {
		t.Helper()
		c := newBenchWith(t, settings)
		c.Counter.Close() // it counts behind the answers, at its own pace
		turns := toolTurns(32<<10, 60)
		if status == "compacted" {
			ctx := benchRequest(turns[0])
			ctx.Request.Header.Set("X-Recap-Mode", "force")
			c.Handle(ctx)
		}
		c.Handle(benchRequest(turns[1]))
		c.Close()
		if got := measured(t, c, turns[2:], status); got > budget {
			t.Errorf("%s: %.1f allocations, the budget is %g", what, got, budget)
		}
	}
	short := newBenchWith(t, func(c *config.Config) { c.Models[0].ContextWindow = 2_400 })
	turns := readerTurns(1, 1<<10, 100, 5)
	for _, body := range turns[:2] {
		short.Handle(benchRequest(body))
	}
	short.Close()
	if got, budget := measured(t, short, turns[2:], "clear"), 75.0; got > budget {
		t.Errorf("short and near: %.1f allocations, the budget is %g", got, budget)
	}
	f("far from every level", 65, "clear", func(*config.Config) {})
	f("near a level", 70, "clear", func(c *config.Config) { c.Models[0].ContextWindow = 40_000 })
	f("rewritten", 125, "compacted", func(c *config.Config) {
		c.Models[0].ContextWindow = 40_000
		s := &c.Summarization
		s.Trigger = summarizer.Trigger{Type: "token_count", Value: 1e8}
		s.ContextPruning.Enabled, s.ContextPruning.Strategy = true, pruning.Budget
		s.ContextPruning.ProtectTokens, s.ContextPruning.ClearAtLeast = 2000, 1500
	})
}

// TestAllocationsShort holds how often a short chat that is far from every level allocates: nearly all of it is fasthttp's
// and this test's own.
func TestAllocationsShort(t *testing.T) {
	c := newBench(t)
	c.Handle(benchRequest(toolTurns(1<<10, 1)[0]))
	c.Close()
	var list [][]byte
	for id := range 60 {
		list = append(list, benchTurns(id, 1<<10, 1)[0])
	}
	for i := 0; i < 70; i++ { // the accounts take so many a second
		c.Handle(benchRequest(list[i%len(list)]))
	}
	c.Close()
	if got := measured(t, c, list, "clear"); got > 20 {
		t.Errorf("short chat: %.1f allocations, the budget is 20", got)
	}
}

// TestKnownBodyIsNotCopied holds how much memory the next turns of a chat of 256 KB take: that of their new messages and some
// room, but not of their bodies.
func TestKnownBodyIsNotCopied(t *testing.T) {
	c := newBench(t)
	bodies := readerTurns(1, 256<<10, 3000, 41)
	c.Handle(benchRequest(bodies[0]))
	c.Close()
	var list []*fasthttp.RequestCtx
	for _, body := range bodies[1:] {
		list = append(list, benchRequest(body))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, ctx := range list {
		c.Handle(ctx)
		c.Close()
	}
	runtime.ReadMemStats(&after)
	if got := int(after.TotalAlloc-before.TotalAlloc) / len(list); got > 64<<10 {
		t.Errorf("%d bytes for the next turn of a chat of 256 KB, the budget is 64 KB", got)
	}
}

// TestAllocationsOff holds how often a chat that is not looked at allocates: nearly all of it is fasthttp's and this test's own.
func TestAllocationsOff(t *testing.T) {
	c := newBench(t)
	var list []*fasthttp.RequestCtx
	for range 60 {
		ctx := &fasthttp.RequestCtx{}
		text := "POST /v1/chat/completions HTTP/1.1\r\nHost: p\r\nAuthorization: Bearer client\r\nX-Recap-Mode: off\r\nContent-Length: 2\r\n\r\n{}"
		if err := ctx.Request.Read(bufio.NewReader(strings.NewReader(text))); err != nil {
			t.Fatal(err)
		}
		list = append(list, ctx)
	}
	c.Handle(list[0])
	i := 1
	got := testing.AllocsPerRun(50, func() {
		c.Handle(list[i])
		i++
	})
	if status := string(list[1].Response.Header.Peek("X-Recap-Status")); status != "off" {
		t.Errorf("status %q, want off", status)
	}
	if got > 10 {
		t.Errorf("mode off: %.1f allocations, the budget is 10", got)
	}
}
