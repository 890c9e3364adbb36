package middleware_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"recap/middleware"
)

// pieces is a reader of a body that comes in pieces.
type pieces struct {
	body []byte
	rng  *rand.Rand
	most int
}

func (p *pieces) Read(dst []byte) (int, error) {
	n := min(1+p.rng.IntN(p.most), len(p.body), len(dst))
	copy(dst, p.body[:n])
	p.body = p.body[n:]
	if len(p.body) == 0 {
		return n, io.EOF
	}
	return n, nil
}

// inPieces has bodies come in pieces, whose sizes header X-Pieces seeds.
func inPieces(ctx *fasthttp.RequestCtx, _ int64) io.Reader {
	var seed uint64
	_, _ = fmt.Sscan(string(ctx.Request.Header.Peek("X-Pieces")), &seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	return &pieces{ctx.Request.Body(), rng, 1 << (1 + rng.IntN(18))}
}

// conversations make the next bodies of chats that share their beginnings: turns added, edits in the middle, branches, other
// settings behind.
func nextBody(rng *rand.Rand, list []string, who string) (next []string, body []byte) {
	switch n := rng.IntN(12); {
	case n == 0 && len(list) > 4:
		list = append([]string(nil), list...)
		list[2+rng.IntN(len(list)-2)] = `{"role":"user","content":"edited by ` + who + `"}`
	case n == 1 && len(list) > 3:
		list = append([]string(nil), list[:3+rng.IntN(len(list)-3)]...)
	case n == 2:
		list = append([]string(nil), list[:2]...)
	}
	for range 1 + rng.IntN(3) {
		list = append(list, fmt.Sprintf(`{"role":"user","content":"%s %d %s"}`, who, rng.Uint64(), strings.Repeat("some words, ", rng.IntN(1500))))
	}
	return list, fmt.Appendf(nil, `{"model":"bench","messages":[%s],"seed":%d}`, strings.Join(list, ","), rng.IntN(5))
}

// P1: room for what comes behind a known text is set aside by and by: a turn longer than its first part comes whole, and the
// next one goes on from there.
func TestLongTurnBehindKnownText(t *testing.T) {
	c := newBench(t)
	c.Deps.Open = inPieces
	relayed := 0
	c.Deps.Relay = func(ctx *fasthttp.RequestCtx, call middleware.Call) {
		relayed++
		if sent := ctx.Request.Body(); !bytes.Equal(call.Body, sent) {
			t.Errorf("request %d sends %d other bytes than the %d that came", relayed, len(call.Body), len(sent))
		}
		call.Ended(middleware.Outcome{Status: 200, Complete: true})
	}
	list := []string{`{"role":"system","content":"s"}`, `{"role":"user","content":"` + strings.Repeat("hello ", 2000) + `"}`}
	for turn, size := range []int{100, 200_000, 100} { // times a dozen bytes: the longest is over 2 MiB
		list = append(list, fmt.Sprintf(`{"role":"user","content":"%d %s"}`, turn, strings.Repeat("some words, ", size)))
		ctx := benchRequest(fmt.Appendf(nil, `{"model":"bench","messages":[%s]}`, strings.Join(list, ",")))
		ctx.Request.Header.Set("X-Pieces", fmt.Sprint(turn))
		c.Handle(ctx)
	}
	if c.Close(); relayed != 3 {
		t.Errorf("%d of 3 turns were relayed", relayed)
	}
}

// E11, P1: whatever was sent before and at the same time, in whatever pieces a body comes, what is sent on is the body, as
// long as anybody sends it; the next turn may come while an answer to the one before is still running.
func TestE11BodiesComeInPieces(t *testing.T) {
	c := newBench(t)
	c.Deps.Open = inPieces
	var late sync.WaitGroup
	relay := c.Deps.Relay
	c.Deps.Relay = func(ctx *fasthttp.RequestCtx, call middleware.Call) {
		sent, ended := ctx.Request.Body(), call.Ended
		check := func() {
			if !bytes.Equal(call.Body, sent) {
				t.Errorf("sends %.100s… of %d bytes, want %.100s… of %d", call.Body, len(call.Body), sent, len(sent))
			}
		}
		check()
		call.Ended = func(o middleware.Outcome) {
			if rand.IntN(2) == 0 {
				ended(o)
				return
			}
			late.Go(func() {
				time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
				check()
				ended(o)
			})
		}
		relay(ctx, call)
	}
	var workers sync.WaitGroup
	for worker := range 6 {
		workers.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(worker), 9))
			list := []string{`{"role":"system","content":"the same for all"}`, fmt.Sprintf(`{"role":"user","content":"%s of %d"}`, strings.Repeat("hello ", 1000), worker%3)}
			for range 50 {
				var body []byte
				if list, body = nextBody(rng, list, fmt.Sprint("marker ", worker)); len(list) > 40 {
					list = list[:2]
				}
				ctx := benchRequest(body)
				ctx.Request.Header.Set("X-Pieces", fmt.Sprint(rng.Uint64()))
				ctx.Request.Header.Set("Authorization", fmt.Sprint("Bearer ", worker%2))
				c.Handle(ctx)
				if got := string(ctx.Response.Header.Peek("X-Recap-Status")); got != "clear" {
					t.Errorf("status %q", got)
				}
			}
		})
	}
	workers.Wait()
	late.Wait()
	c.Close()
}

// FuzzBodyInPieces: a body that begins as a known one and goes on as it likes goes out as it came, however it is cut.
func FuzzBodyInPieces(f *testing.F) {
	known := `{"model":"bench","messages":[{"role":"user","content":"` + strings.Repeat("known ", 1000) + `"},{"role":"assistant","content":"a"},` +
		`{"role":"user","content":"b"}`
	f.Add(`,{"role":"user","content":"c"}],"max_tokens":5}`, uint64(1), 0)
	f.Add(`]}`, uint64(2), 0)
	f.Add(`}}`, uint64(3), 0)
	f.Add(`,{"role":"user","content":"c"}]}`, uint64(4), 6000)
	f.Add(``, uint64(5), 100)
	c := newBench(f)
	c.Deps.Open = inPieces
	var sent []byte
	relay := c.Deps.Relay
	c.Deps.Relay = func(ctx *fasthttp.RequestCtx, call middleware.Call) {
		sent = bytes.Clone(call.Body)
		relay(ctx, call)
	}
	f.Fuzz(func(t *testing.T, rest string, cuts uint64, edit int) {
		for _, body := range []string{known + `]}`, known + rest, edited(known, edit) + rest, known + `,{"role":"user","content":"d"}]}`} {
			ctx := benchRequest([]byte(body))
			ctx.Request.Header.Set("X-Pieces", fmt.Sprint(cuts))
			if c.Handle(ctx); string(sent) != body {
				t.Errorf("sends %.100q, want %.100q", sent, body)
			}
		}
	})
}

// edited returns text with another byte at a place; 0 = none.
func edited(text string, at int) string {
	if at = at % len(text); at <= 0 {
		return text
	}
	return text[:at] + "#" + text[at+1:]
}

// BenchmarkAgentTurn is BenchmarkNextTurn for a chat that only grows: each body begins with all messages of the one before.
func BenchmarkAgentTurn(b *testing.B) {
	for _, size := range []int{32 << 10, 256 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("%dk", size>>10), func(b *testing.B) {
			c := newBench(b)
			b.ReportAllocs()
			for n := 0; n < b.N; {
				b.StopTimer()
				bodies := readerTurns(n, size, 1000+size>>8, 17)
				c.Handle(benchRequest(bodies[0]))
				c.Close()
				b.StartTimer()
				for _, body := range bodies[1:] {
					c.Handle(benchRequest(body))
					n++
				}
				c.Close()
			}
		})
	}
}
