//go:build !race

package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"recap/chat"
	"recap/dialect"
)

// within fails where f allocates more often than the budget allows. A budget is only ever lowered: what a request's path
// allocates is what the collector costs it.
func within(t *testing.T, what string, budget float64, f func()) {
	t.Helper()
	if got := testing.AllocsPerRun(100, f); got > budget {
		t.Errorf("%s: %.1f allocations, the budget is %g", what, got, budget)
	}
}

// growing returns bodies of one chat, each the next turn of the one before. number keeps chats apart.
func growing(number, size, turns int) []string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"model":"m","messages":[{"role":"user","content":"chat %d"}`, number)
	grow := func(n int) {
		fmt.Fprintf(&b, `,{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function","function":{"name":"read","arguments":"{\"n\":%d}"}}]}`+
			`,{"role":"tool","tool_call_id":"c%d","content":"%d.%d %s"}`, n, n, n, number, n, strings.Repeat(`text\n`, 100))
	}
	n := 0
	for ; b.Len() < size; n++ {
		grow(n)
	}
	var bodies []string
	for range turns {
		grow(n)
		n++
		bodies = append(bodies, b.String()+`]}`)
	}
	return bodies
}

// TestAllocations holds how often reading and writing a chat of 32 KB allocates.
func TestAllocations(t *testing.T) {
	d := dialect.ByName("openai")
	g := d.(dialect.Glancer)
	facts := chat.NewMemo[dialect.Print, *chat.Facts](1 << 16)
	decode := func(body string) {
		if _, err := g.DecodeFor(1, body, facts); err != nil {
			t.Fatal(err)
		}
	}
	turns, i := growing(1, 32<<10, 110), 0
	decode(turns[0])
	within(t, "decode, next turn", 24, func() { i++; decode(turns[i]) })
	within(t, "decode, same again", 9, func() { decode(turns[i]) })

	i = 0
	var fresh []string
	for n := range 110 {
		fresh = append(fresh, growing(1000+n, 32<<10, 1)[0])
	}
	within(t, "decode, first sight", 280, func() { i++; decode(fresh[i]) })

	turns, i = growing(2, 32<<10, 110), 0
	within(t, "glance, next turn", 7, func() {
		i++
		if _, _, err := g.Glance(turns[i], 1, 1<<20); err != nil {
			t.Fatal(err)
		}
	})
	short := talkBody(1, 2<<10, 260)
	within(t, "glance, short chat", 0, func() {
		c, _, err := g.Glance(short, 1, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		dialect.FreeGlance(c)
	})
	within(t, "splice of half the chat", 0, splice(t, d, turns[0]))

	event := []byte(`data: {"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":" hello"}}],"usage":null}` + "\n\n")
	tap := d.Tap("text/event-stream")
	within(t, "tap, an event", 0, func() { tap.Write(event) })
}

// splice returns a function that drops a half of the chat and shortens the other.
func splice(t *testing.T, d dialect.Dialect, body string) func() {
	c, err := d.Decode(body, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &chat.Plan{Note: &chat.Note{Message: 0, Text: "summary"}}
	for i := 1; i < len(c.Messages); i++ {
		switch {
		case i <= len(c.Messages)/4*2:
			p.Drop = append(p.Drop, i)
		case len(c.Messages[i].Results) > 0:
			p.Trims = append(p.Trims, chat.Trim{Message: i, Text: "[cleared]"})
		}
	}
	dst := make([]byte, 0, 2*len(body))
	return func() {
		if _, err := d.Apply(dst, c, p); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAllocationsOfKeys holds how often the keys of a chat are paid for.
func TestAllocationsOfKeys(t *testing.T) {
	d, seed := dialect.ByName("openai"), chat.Seed("t", "u", "r")
	c, err := d.Decode(growing(3, 32<<10, 1)[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	o := chat.NewOutline(c)
	within(t, "outline", 6, func() { chat.NewOutline(c) })
	within(t, "keys", 1, func() { chat.Keys(o, seed) })
}
