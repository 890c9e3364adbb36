package middleware

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"recap/compaction"
	"recap/dialect"
)

// windowPatience is how long an explanation waits for the upstream to tell its window.
const windowPatience = 3 * time.Second

// Explain tells what would be done to a chat request, and does nothing. path is that of the chat API ("" = OpenAI's), with
// its query; header has the request's headers, credentials and overrides among them. An override that the proxy would
// refuse is a *config.BadHeader.
func (c *Compactor) Explain(ctx context.Context, path, body string, header *fasthttp.RequestHeader) (e compaction.Explanation, err error) {
	if path == "" {
		path = "/v1/chat/completions"
	}
	bare, _, _ := strings.Cut(path, "?")
	d := dialect.For("POST", bare)
	if d == nil {
		return e, errors.New("explain: the path is not that of a chat; use /v1/chat/completions or /api/chat")
	}
	x := &exchange{c: c, d: d, start: time.Now(), path: path, dry: true}
	var request fasthttp.RequestCtx
	header.CopyTo(&request.Request.Header)
	x.head = newRequestHeaders(&request.Request.Header)
	defer x.leave()
	x.takeCredentials()
	if err := x.override(); err != nil {
		return e, err
	}
	defer func() {
		if p := recover(); p != nil {
			c.panicked("explain", p)
			err = errors.New("explain: internal error")
		}
	}()
	if x.understand(&request, body) && x.awaitWindow(ctx) && x.weigh() {
		x.decide()
		e = compaction.Explain(&x.input, &x.decision)
	} else {
		e = compaction.Bypassed(x.reason)
	}
	e.Dialect, e.Upstream, e.Status, e.Reason = d.Name(), x.up.Name, string(x.status), x.reason
	if x.chat != nil {
		e.Model, e.Messages = x.chat.Model, x.outline.Len()
	}
	return e, nil
}

// awaitWindow gives a probe of the upstream time to end. It always reports true.
func (x *exchange) awaitWindow(ctx context.Context) bool {
	deadline := time.After(windowPatience)
	for w := x.c.Windows.Lookup(x.ask()); w.Size <= 0 || w.Guessed; w = x.c.Windows.Lookup(x.ask()) {
		select {
		case <-ctx.Done():
			return true
		case <-deadline:
			return true
		case <-time.After(50 * time.Millisecond):
		}
	}
	return true
}
