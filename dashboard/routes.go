package dashboard

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"
)

// route is one thing that can be asked for. "{}" in a path stands for one part, which do gets.
type route struct {
	method, path, does string
	public             bool // for probes: no token, any host
	do                 func(a *Admin, ctx *fasthttp.RequestCtx, part string)
}

// routes is all there is; the first page lists it.
func routes() []route {
	return []route{
		{"GET", "/", "this text", false, (*Admin).front},
		{"GET", "/healthz", "200 while the process runs", true, (*Admin).health},
		{"GET", "/readyz", "200 while requests are welcome, else 503 with the reasons", true, (*Admin).ready},
		{"GET", "/metrics", "counters in the Prometheus text format", false, (*Admin).metrics},
		{"GET", "/api/events", "what happens, as server-sent events", false, (*Admin).events},
		{"GET", "/api/sessions", "conversations: how full they are and what they used (?tenant=, ?limit=)", false, (*Admin).sessions},
		{"GET", "/api/sessions/{}", "one of them, by its id or label, with its exchanges and checkpoints", false, (*Admin).session},
		{"GET", "/api/checkpoints", "all checkpoints, newest first (?tenant=, ?limit=)", false, (*Admin).list},
		{"GET", "/api/checkpoints/{}", "one checkpoint with its text", false, (*Admin).show},
		{"PUT", "/api/checkpoints/{}", `change its text or flag: {"text": "…", "pinned": true}`, false, (*Admin).edit},
		{"DELETE", "/api/checkpoints/{}", "forget it", false, (*Admin).remove},
		{"POST", "/api/checkpoints/{}/pin", `keep it for good; {"pinned": false} takes that back`, false, (*Admin).pin},
		{"POST", "/api/explain", "what would be done to the chat request in the body (?path=)", false, (*Admin).explain},
	}
}

func (a *Admin) route(ctx *fasthttp.RequestCtx) {
	// As it was sent: an escaped slash is part of a label, not of the path.
	path, method := string(ctx.URI().PathOriginal()), string(ctx.Method())
	if method == "HEAD" {
		method = "GET" // fasthttp leaves the body out
	}
	careful(ctx)
	var allowed []string
	for _, r := range routes() {
		part, ok := match(r.path, path)
		if !ok {
			continue
		}
		if r.method != method {
			allowed = append(allowed, r.method)
			continue
		}
		if r.public || a.guard(ctx) {
			r.do(a, ctx, part)
		}
		return
	}
	switch {
	case !a.guard(ctx):
	case allowed != nil:
		ctx.Response.Header.Set("Allow", strings.Join(slices.Compact(allowed), ", "))
		fail(ctx, 405, "method", "this path is for "+strings.Join(allowed, ", "))
	default:
		fail(ctx, 404, "not-found", "there is nothing here; / lists what there is")
	}
}

// match compares path with a pattern and returns the part that {} stands for.
func match(pattern, path string) (part string, ok bool) {
	before, after, open := strings.Cut(pattern, "{}")
	if !open {
		return "", pattern == path
	}
	rest, ok := strings.CutPrefix(path, before)
	if !ok {
		return "", false
	}
	part, ok = strings.CutSuffix(rest, after)
	return part, ok && part != "" && !strings.Contains(part, "/")
}

// careful keeps browsers from guessing a type and from keeping what they were shown.
func careful(ctx *fasthttp.RequestCtx) {
	ctx.Response.Header.Set("X-Content-Type-Options", "nosniff")
	ctx.Response.Header.Set("Cache-Control", "no-store")
}

// answer sends value as JSON.
func answer(ctx *fasthttp.RequestCtx, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		status, body = 500, []byte(`{"error":{"code":"internal","message":"the answer is not JSON"}}`)
	}
	careful(ctx)
	ctx.SetStatusCode(status)
	ctx.SetContentType("application/json")
	ctx.SetBody(append(body, '\n'))
}

// fail sends an error: a fixed word, and a sentence for people.
func fail(ctx *fasthttp.RequestCtx, status int, code, message string) {
	answer(ctx, status, map[string]any{"error": map[string]string{"code": code, "message": message}})
}
