package middleware_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"recap/middleware"
)

// E11: exchanges, their bodies and what they remember are used again, also while answers outlive their handlers; a marker
// is only ever sent, answered and recorded with its own request.
func TestE11ExchangesAreUsedAgain(t *testing.T) {
	c := newBench(t)
	var late sync.WaitGroup
	c.Deps.Relay = func(ctx *fasthttp.RequestCtx, call middleware.Call) {
		id := string(ctx.Request.Header.Peek("X-Request-Id"))
		sent := bytes.Clone(call.Body)
		call.Header(&ctx.Response.Header, 200)
		time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond)
		if !bytes.Equal(sent, call.Body) || !bytes.Contains(sent, []byte("marker "+id+" ")) || bytes.Count(sent, []byte("marker ")) != 3 {
			t.Errorf("request %s sends %.200s", id, call.Body)
		}
		tap, ended := call.Tap, call.Ended
		end := func() {
			_, _ = fmt.Fprintf(tap, `{"model":"m","choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}],`+
				`"usage":{"prompt_tokens":%s,"completion_tokens":1}}`, id)
			ended(middleware.Outcome{Status: 200, Complete: true})
		}
		if rand.IntN(3) == 0 {
			end()
			return
		}
		late.Go(func() { // an answer that streams on behind its handler
			time.Sleep(time.Duration(rand.IntN(500)) * time.Microsecond)
			end()
		})
	}
	var workers sync.WaitGroup
	for worker := range 8 {
		workers.Go(func() {
			for n := range 60 {
				id := fmt.Sprint(1_000_000 + worker*1000 + n)
				filler := strings.Repeat("words and words, ", rand.IntN(800))
				message := `{"role":"user","content":"marker ` + id + ` ` + filler + `"}`
				ctx := benchRequest([]byte(`{"model":"bench","messages":[` + message + `,` + message + `,` + message + `]}`))
				ctx.Request.Header.Set("X-Request-Id", id)
				ctx.Request.Header.Set("X-Session-Id", "chat "+id)
				c.Handle(ctx)
				if got := string(ctx.Response.Header.Peek("X-Recap-Session")); got != "chat "+id {
					t.Errorf("request %s is told the session %q", id, got)
				}
			}
		})
	}
	workers.Wait()
	late.Wait()
	c.Close()
	for _, e := range c.Stats.Recent() {
		if fmt.Sprint(e.Prompt) != e.Request || e.Session != "chat "+e.Request {
			t.Errorf("request %s is recorded with %d tokens of session %q", e.Request, e.Prompt, e.Session)
		}
	}
}
