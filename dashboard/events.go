package dashboard

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/valyala/fasthttp"

	"recap/stats"
)

// events streams what happens until the client leaves, which shows at the next write, or the listener shuts down.
func (a *Admin) events(ctx *fasthttp.RequestCtx, _ string) {
	ctx.SetContentType("text/event-stream")
	ctx.Response.Header.Set("X-Accel-Buffering", "no")
	if ctx.IsHead() {
		return
	}
	ctx.Response.ImmediateHeaderFlush = true
	until, leave := context.WithCancel(a.ctx)
	// Subscribed here and not in the stream: what happens after this answer began is in it.
	feed := a.o.Stats.Hub().Subscribe(until)
	ctx.SetBodyStreamWriter(func(w *bufio.Writer) {
		defer leave()
		defer func() { _ = recover() }() // in a goroutine of fasthttp's, where it would end the process
		stream(w, feed, a.o.Heartbeat)
	})
}

// stream writes events as they come and a comment when none do.
func stream(w *bufio.Writer, feed <-chan stats.Event, heartbeat time.Duration) {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	_, _ = w.WriteString(": connected\n\n")
	for w.Flush() == nil {
		select {
		case e, ok := <-feed:
			if !ok {
				return
			}
			data, err := json.Marshal(e)
			if err == nil { // else somebody put into it what has no JSON form
				fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e.Kind, data)
			}
		case <-beat.C:
			_, _ = w.WriteString(": still here\n\n")
		}
	}
}
