package middleware

import (
	"fmt"
	"strings"
	"testing"

	"recap/config"
	"recap/dialect"
	"recap/stats"
)

// Memory that the look for silent cuts goes on reading (exchange.kept) is not lent again by the look for the accounts, which
// has the loan.
func TestGlimpseLeavesWhatIsKept(t *testing.T) {
	c := NewCompactor(Deps{Config: config.Default(), Stats: stats.New()})
	g := dialect.ByName("ollama").(dialect.Glancer)
	const mark = 4711
	text := fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"%s"},{"role":"assistant","content":"b"}`, strings.Repeat("hello ", 3000))
	own := append(make([]byte, 0, len(text)+9000), text+`]}`...)
	first := g.Offer(own)
	if _, err := g.DecodeFor(mark, view(own), c.facts); err != nil || !first.Lent() {
		t.Fatal(first.Lent(), err)
	}
	first.Return(false)

	text += fmt.Sprintf(`,{"role":"user","content":"%s"}`, strings.Repeat("more ", 4000)) // the next turn, glanced at
	body := text + `],"stream":false}`
	loan := g.Lend(mark, body, len(body))
	if !loan.Lent() {
		t.Fatal("not lent")
	}
	copy(loan.Room(len(body)-len(loan.Text())), body[len(loan.Text()):])
	x := &exchange{c: c, d: g.(dialect.Dialect), mark: mark, up: &c.Config.Upstreams[0]}
	held := view(loan.Body(len(body) - len(loan.Text())))
	x.loan = loan
	var err error
	if x.chat, _, err = g.Glance(held, mark, len(body)); err != nil {
		t.Fatal(err)
	}
	x.kept = true // as cutShort does, whose goroutine reads x.chat.Body from now on
	x.glimpse(stats.Turn{})
	c.Close() // the accounts have looked; the look for cuts may not have begun

	next := text + `,{"role":"user","content":"next"}]}`
	loan = g.Lend(mark, next, len(next))
	defer loan.Return(false)
	if !loan.Lent() {
		return // nobody gets it: fine too
	}
	copy(loan.Room(len(next)-len(loan.Text())), next[len(loan.Text()):])
	if held != body {
		t.Errorf("the end of the body was %q, and is %q while it is still read", body[len(text):], held[len(text):])
	}
}
