package main

import (
	"bufio"
	"bytes"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// wishHeader is how a request tells the upstream what kind of answer it is to give. What comes without it is Recap's own.
const wishHeader = "X-Bench-Answer"

// The answers.
const (
	plain = "plain" // a whole completion, at once
	burst = "burst" // burstEvents events as fast as they can be written
	paced = "paced" // pacedEvents events, one each pacedEvery
	brief = "brief" // an event at once, another one a little later
	held  = "held"  // an event at once, another one when the gate opens
)

const (
	burstEvents = 200
	pacedEvents = 40
	pacedEvery  = 5 * time.Millisecond
)

// The parts of the answers.
const (
	answerStart = `{"id":"chatcmpl-bench","object":"chat.completion","created":1790000000,"model":"bench","choices":[{"index":0,` +
		`"message":{"role":"assistant","content":"The build fails since the flag was renamed in the last commit; the test still asks for ` +
		`the old one. I would rename it in cmd/build/main.go, line 41, and run the tests of that package again."},"finish_reason":"stop"}],` +
		`"usage":{"prompt_tokens":`
	answerEnd = `,"completion_tokens":47}}`
	event     = `data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1790000000,"model":"bench","choices":[{"index":0,` +
		`"delta":{"content":" word"},"finish_reason":null}],"usage":null}` + "\n\n"
	lastEvents = `data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1790000000,"model":"bench","choices":[{"index":0,` +
		`"delta":{},"finish_reason":"stop"}],"usage":null}` + "\n\ndata: [DONE]\n\n"
	summaryStart = `{"id":"chatcmpl-bench","object":"chat.completion","created":1790000000,"model":"bench","choices":[{"index":0,` +
		`"message":{"role":"assistant","content":"`
	summaryText = "The store reads entries under its lock; the failing test was narrowed to the warm cache. "
	summaryEnd  = `"},"finish_reason":"stop"}],"usage":{"prompt_tokens":900,"completion_tokens":60}}`
)

// upstream is an inference service that answers at once.
type upstream struct {
	server *fasthttp.Server
	addr   string

	mu   sync.Mutex
	gate chan struct{} // held answers wait until it is closed
	wait atomic.Int64  // how many do
}

func serveUpstream() (*upstream, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	u := &upstream{addr: listener.Addr().String(), gate: make(chan struct{})}
	u.server = &fasthttp.Server{MaxRequestBodySize: maxBody, Handler: u.handle, Concurrency: 1 << 20}
	go func() { _ = u.server.Serve(listener) }()
	return u, nil
}

func (u *upstream) handle(ctx *fasthttp.RequestCtx) {
	switch wish := string(ctx.Request.Header.Peek(wishHeader)); wish {
	case plain:
		ctx.SetContentType("application/json")
		ctx.SetBody(completion(len(ctx.Request.Body())))
	case burst, paced, brief, held:
		ctx.SetContentType("text/event-stream")
		ctx.SetBodyStreamWriter(func(w *bufio.Writer) { u.stream(w, wish) })
	default:
		u.own(ctx)
	}
}

// completion is an answer that tells how many tokens a body of so many bytes is, roughly.
func completion(bytes int) []byte {
	text := make([]byte, 0, len(answerStart)+len(answerEnd)+8)
	text = append(text, answerStart...)
	text = strconv.AppendInt(text, int64(bytes)*10/32, 10)
	return append(text, answerEnd...)
}

func (u *upstream) stream(w *bufio.Writer, wish string) {
	events := map[string]int{burst: burstEvents, paced: pacedEvents, brief: 2, held: 2}[wish]
	for i := range events {
		switch {
		case i > 0 && (wish == paced || wish == brief):
			time.Sleep(pacedEvery)
		case i > 0 && wish == held:
			u.await()
		}
		_, _ = w.WriteString(event)
		if w.Flush() != nil {
			return
		}
	}
	_, _ = w.WriteString(lastEvents)
	_ = w.Flush()
}

// own answers what Recap asks for itself: summaries. What it asks about windows is not known here.
func (u *upstream) own(ctx *fasthttp.RequestCtx) {
	if !ctx.IsPost() || string(ctx.Path()) != chatPath {
		ctx.SetStatusCode(fasthttp.StatusNotFound)
		return
	}
	sentences := 1
	if len(ctx.Request.Body()) > 16<<10 {
		sentences = 15
	}
	ctx.SetContentType("application/json")
	ctx.SetBodyString(summaryStart + string(bytes.Repeat([]byte(summaryText), sentences)) + summaryEnd)
}

// await lets an answer wait for the gate.
func (u *upstream) await() {
	u.mu.Lock()
	gate := u.gate
	u.mu.Unlock()
	u.wait.Add(1)
	<-gate
	u.wait.Add(-1)
}

// release opens the gate for all that wait, and shuts it for those that come later.
func (u *upstream) release() {
	u.mu.Lock()
	defer u.mu.Unlock()
	close(u.gate)
	u.gate = make(chan struct{})
}
