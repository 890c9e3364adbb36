package dialect_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"recap/chat"
	"recap/dialect"
)

// lent reads a body as middleware does: where its beginning is known it goes behind what is kept, else its memory is offered. It
// returns the loan, whose memory the text is in.
func lent(g dialect.Glancer, tenant uint64, body string, begin int) (string, dialect.Loan) {
	loan := g.Lend(tenant, body[:min(begin, len(body))], len(body))
	known := len(loan.Text())
	if !loan.Lent() || body[:known] != loan.Text() {
		loan.Return(false)
		own := append(make([]byte, 0, len(body)+len(body)/8), body...)
		return unsafe.String(unsafe.SliceData(own), len(own)), g.Offer(own)
	}
	n := copy(loan.Room(len(body)-known), body[known:])
	own := loan.Body(n)
	return unsafe.String(unsafe.SliceData(own), len(own)), loan
}

// A body that is read behind what is kept of its conversation gives the same chat as one that is read alone, and what was
// read before stays what it was: messages for good, a whole body for as long as its loan, or for good where somebody looks
// at it.
func TestLentIsCold(t *testing.T) {
	for _, name := range []string{"openai", "ollama"} {
		t.Run(name, func(t *testing.T) {
			d := dialect.ByName(name)
			g := d.(dialect.Glancer)
			facts := chat.NewMemo[dialect.Print, *chat.Facts](5000)
			rng := rand.New(rand.NewPCG(3, 4))
			var chats [4][]string
			for i := range chats {
				chats[i] = []string{`{"role":"system","content":"the same for all"}`, `{"role":"user","content":"` + strings.Repeat("hello ", 700) + `"}`}
			}
			var seen []*chat.Chat // their bodies, and
			var said []string     // what they were
			read, loans := 0, 0
			for step := range 800 {
				i := rng.IntN(len(chats))
				chats[i] = change(rng, chats[i], step)
				body := `{"model":"m","messages":[` + strings.Join(chats[i], ",") + `],"seed":` + fmt.Sprint(rng.IntN(9)) + `}`
				if rng.IntN(5) == 0 {
					body = wrap(rng, chats[i])
				}
				text, loan := lent(g, 51, body, 1<<(10+rng.IntN(6)))
				if loan.Text() != "" {
					loans++
				}
				if text != body {
					t.Fatalf("step %d: read %.100q, want %.100q", step, text, body)
				}
				if rng.IntN(3) == 0 {
					if _, plain, err := g.Glance(text, 51, 1<<20); err != nil || !plain {
						t.Fatal(plain, err)
					}
					loan.Return(false)
					continue
				}
				warm, err := g.DecodeFor(51, text, facts)
				if err != nil {
					t.Fatal(err)
				}
				cold, err := d.Decode(body, nil)
				if err != nil {
					t.Fatal(err)
				}
				sameChat(t, warm, cold)
				if read++; read%10 == 0 || !loan.Lent() || warm.Borrowed {
					seen, said = append(seen, warm), append(said, body)
					loan.Return(true)
				}
				loan.Return(false)
				for n := max(0, len(seen)-20); n < len(seen); n++ {
					if seen[n].Body != said[n] {
						t.Fatalf("step %d: body %d has changed", step, n)
					}
				}
				for n := max(0, len(seen)-20); n < len(seen); n++ {
					for i := range seen[n].Messages {
						if m := &seen[n].Messages[i]; m.Raw != said[n][m.Start:m.Start+len(m.Raw)] {
							t.Fatalf("step %d: message %d of body %d has changed", step, i, n)
						}
					}
				}
			}
			if loans < 200 {
				t.Errorf("%d of 800 bodies were read behind what is kept", loans)
			}
		})
	}
}

// Requests of one chat at once: one of them has its memory, the others have their own, whoever is the first to go on. Each
// reads its own bytes, and the lent body stays what it is until its loan is returned (E11).
func TestLentInParallel(t *testing.T) {
	g := dialect.ByName("openai").(dialect.Glancer)
	facts := chat.NewMemo[dialect.Print, *chat.Facts](5000)
	var workers sync.WaitGroup
	for worker := range 8 {
		workers.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(worker), 5))
			list := []string{`{"role":"system","content":"the same for all"}`, `{"role":"user","content":"` + strings.Repeat("hello ", 1000) + `"}`}
			for step := range 300 {
				who := worker
				if step < 200 {
					who = rng.IntN(2) // for a while they say nearly the same
				}
				list = append(list, fmt.Sprintf(`{"role":"assistant","content":"marker %d of %d"}`, step, who))
				body := `{"model":"m","messages":[` + strings.Join(list, ",") + `],"seed":` + fmt.Sprint(worker) + `}`
				text, loan := lent(g, 61, body, 1<<16)
				var c *chat.Chat
				var err error
				if rng.IntN(2) == 0 {
					_, _, err = g.Glance(text, 61, 1<<20)
				} else {
					c, err = g.DecodeFor(61, text, facts)
				}
				if err != nil || text != body {
					t.Errorf("worker %d: %v, body %.60s", worker, err, text)
					return
				}
				if loan.Lent() {
					time.Sleep(time.Duration(rng.IntN(200)) * time.Microsecond)
				}
				if text != body {
					t.Errorf("worker %d: the body has become %.60s", worker, text)
					return
				}
				loan.Return(rng.IntN(20) == 0)
				for i := 0; c != nil && i < len(c.Messages); i++ {
					if c.Messages[i].Raw != list[i] {
						t.Errorf("worker %d, message %d is %.60s", worker, i, c.Messages[i].Raw)
						return
					}
				}
			}
		})
	}
	workers.Wait()
}

// A conversation is lent within its tenant, to one request at a time, and only to a body that can begin with all of it.
func TestLoans(t *testing.T) {
	g := dialect.ByName("openai").(dialect.Glancer)
	body := `{"messages":[{"role":"user","content":"` + strings.Repeat("a", 5000) + `"},{"role":"user","content":"b"},{"role":"user","content":"c"}]}`
	if _, _, err := g.Glance(body, 71, 1<<20); err != nil {
		t.Fatal(err)
	}
	f := func(tenant uint64, body string, size int, want bool) dialect.Loan {
		t.Helper()
		loan := g.Lend(tenant, body, size)
		if loan.Lent() != want {
			t.Errorf("tenant %d, %d bytes: lent %v, want %v", tenant, size, loan.Lent(), want)
		}
		return loan
	}
	next := len(body) + 100
	f(72, body, next, false)
	f(71, body, len(body)-10, false)
	f(71, strings.Replace(body, `"c"`, `"d"`, 1), next, false)
	f(71, `{"model":"m",`+body[1:], next, false)
	f(71, body[:4000], next, false)
	loan := f(71, body[:5100], next, true)
	f(71, body, next, false)
	if want := body[:len(body)-2]; loan.Text() != want {
		t.Errorf("lent with %q", loan.Text())
	}
	loan.Return(false)
	loan = f(71, body, next, true)
	loan.Return(true)
	loan = f(71, body, 5<<20, false)
	loan.Return(false)
}
