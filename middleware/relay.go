package middleware

import (
	"net/http"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"recap/config"
	"recap/dialect"
	"recap/summarizer"
)

// relay sends the request on with body; nil streams the client's own, which was not read.
func (x *exchange) relay(ctx *fasthttp.RequestCtx, body []byte) {
	x.tap.d = x.d
	if x.decision.Reject {
		x.tooLong(ctx)
		x.overflowed = true // so that the summary which would help is written
		x.ended(Outcome{Status: ctx.Response.StatusCode(), Complete: true, Total: time.Since(x.start)})
		return
	}
	x.relayed = true
	x.calls.ctx, x.relaying = ctx, len(body)
	x.c.Stats.Relaying(x.relaying)
	atomic.AddInt32(&x.claims, 1)
	x.c.Relay(ctx, Call{
		Upstream:  x.up.Name,
		Body:      body,
		Header:    x.calls.header,
		Tap:       &x.tap,
		Retry:     x.calls.retry,
		Early:     x.early(body),
		Ended:     x.calls.ended,
		ErrorBody: x.calls.shape,
	})
}

// answers is asked once the answer's headers are there.
func (x *exchange) answers(h *fasthttp.ResponseHeader, status int) {
	x.setHeaders(h)
	x.tap.begin(h)
	if x.chat != nil && x.chat.Stream && !x.streaming {
		x.streaming = true
		x.c.Stats.StreamOpened()
	}
}

// again is retry, before the handler returns.
func (x *exchange) again(status int, seen []byte) ([]byte, bool) {
	next, ok := x.retry(status, seen)
	if ok {
		x.calls.ctx.Request.Header.Del("Content-Encoding") // the first try may have gone out as it came
	}
	return next, ok
}

// credentials are the request headers that a summary call needs to be let in as its chat was.
var credentials = [...]string{"Authorization", "X-Api-Key", "Api-Key", "Openai-Organization", "Openai-Project"}

// credentials are what this chat's own upstream lets its requests in by.
func (x *exchange) credentials() http.Header {
	h := http.Header{}
	for i, name := range credentials {
		if x.creds[i] != "" {
			h.Set(name, x.creds[i])
		}
	}
	if x.up.APIKey != "" {
		h.Del("X-Api-Key")
		h.Del("Api-Key")
		h.Set("Authorization", "Bearer "+x.up.APIKey)
	}
	return h
}

// target says where this chat's own upstream is asked for summaries, with the chat's own credentials. It stays in
// memory for as long as the job does.
func (x *exchange) target() summarizer.Target {
	t := summarizer.Target{Name: x.up.Name, Dialect: x.d.Name(), Header: x.credentials()}
	t.URL, _ = x.c.URL(x.up.Name, x.path)
	return t
}

// job completes the job that the decision made.
func (x *exchange) job() *summarizer.Job {
	j := x.decision.Job
	x.kept = true
	j.Tenant, j.Upstream, j.Recipe, j.Session, j.Target = x.tenant, x.up.Name, x.recipe, x.session, x.target()
	j.Forced, j.Live = x.ov.Mode == config.Force, x.live(j)
	return j
}

// tap gives the answer's bytes to the dialect's observer once the headers have said what they are.
type tap struct {
	d     dialect.Dialect
	inner dialect.Tap
}

// begin picks the observer. A compressed answer is not looked into.
func (t *tap) begin(h *fasthttp.ResponseHeader) {
	if encoding := h.ContentEncoding(); len(encoding) == 0 || string(encoding) == "identity" {
		t.inner = t.d.Tap(mediaType(h.ContentType()))
	}
}

// Write implements io.Writer.
func (t *tap) Write(p []byte) (int, error) {
	if t.inner != nil {
		return t.inner.Write(p)
	}
	return len(p), nil
}

func (t *tap) report() dialect.Report {
	if t.inner == nil {
		return dialect.Report{}
	}
	return t.inner.Report()
}

// mediaType is string(word) without a copy for the usual words.
func mediaType(word []byte) string {
	switch string(word) {
	case "application/json":
		return "application/json"
	case "text/event-stream":
		return "text/event-stream"
	}
	return string(word)
}
