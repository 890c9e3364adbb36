package middleware_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/valyala/fasthttp"

	"recap/middleware"
)

// A chat that was only glanced at, of which Ollama says that it read much less than was sent, is looked at twice behind its
// answer: by the look for silent cuts and for the accounts. The one that is ready first must not give back the memory
// that the other still reads.
func TestCutAndGlimpseShareABody(t *testing.T) {
	for round := range 3 { // a second's allowance of looks for the accounts is used up by the first turns
		c := newBench(t)
		c.Deps.Relay = func(ctx *fasthttp.RequestCtx, call middleware.Call) {
			ctx.Response.Header.SetContentType("application/json")
			call.Header(&ctx.Response.Header, 200)
			n := len(call.Body)/20 + 600
			_, _ = call.Tap.Write(fmt.Appendf(nil, `{"model":"m","message":{"role":"assistant","content":"ok"},"done":true,"done_reason":"stop","prompt_eval_count":%d,"eval_count":1}`, n))
			call.Ended(middleware.Outcome{Status: 200, Complete: true})
		}
		var workers sync.WaitGroup
		for worker := range 4 {
			workers.Go(func() {
				list := []string{`{"role":"system","content":"the same for all"}`, fmt.Sprintf(`{"role":"user","content":"%s of %d, %d"}`, strings.Repeat("hello ", 1000), worker, round)}
				for turn := range 12 {
					list = append(list, fmt.Sprintf(`{"role":"assistant","content":"turn %d"}`, turn),
						fmt.Sprintf(`{"role":"user","content":"%d of %d %s"}`, turn, worker, strings.Repeat("some words, ", 2500)))
					ctx := benchRequest(fmt.Appendf(nil, `{"model":"bench","stream":false,"messages":[%s],"keep_alive":"%dm"}`, strings.Join(list, ","), turn%7))
					ctx.Request.SetRequestURI("/api/chat")
					c.Handle(ctx)
				}
			})
		}
		workers.Wait()
		c.Close()
	}
}
