package dashboard

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/valyala/fasthttp"
)

// front lists what there is.
func (a *Admin) front(ctx *fasthttp.RequestCtx, _ string) {
	var text strings.Builder
	text.WriteString("Recap " + a.o.Version + "\n\nWhat there is to ask for:\n\n")
	for _, r := range routes() {
		fmt.Fprintf(&text, "%-6s %-28s %s\n", r.method, strings.ReplaceAll(r.path, "{}", "…"), r.does)
	}
	ctx.SetContentType("text/plain; charset=utf-8")
	ctx.SetBodyString(text.String())
}

func (a *Admin) health(ctx *fasthttp.RequestCtx, _ string) {
	answer(ctx, 200, map[string]string{"status": "ok", "version": a.o.Version})
}

// ready tells the reasons only to who may know more than a probe.
func (a *Admin) ready(ctx *fasthttp.RequestCtx, _ string) {
	reasons := []string{}
	if a.draining.Load() {
		reasons = append(reasons, "draining")
	}
	if a.o.Ready != nil {
		reasons = append(reasons, a.o.Ready()...)
	}
	status := 200
	if len(reasons) > 0 {
		status = 503
	}
	told := map[string]any{"ready": status == 200}
	if a.o.Token == "" || a.known(ctx) {
		told["reasons"] = reasons
	}
	answer(ctx, status, told)
}

func (a *Admin) metrics(ctx *fasthttp.RequestCtx, _ string) {
	ctx.SetContentType("text/plain; version=0.0.4; charset=utf-8")
	a.o.Stats.WritePrometheus(ctx)
}

func (a *Admin) explain(ctx *fasthttp.RequestCtx, _ string) {
	if a.o.Explain == nil {
		fail(ctx, 501, "not-available", "nothing here explains requests")
		return
	}
	within, cancel := a.within()
	defer cancel()
	// Copies: fasthttp uses the buffers again.
	told, err := a.o.Explain(within, Question{
		Path: string(ctx.QueryArgs().Peek("path")), Body: string(ctx.PostBody()), Header: a.asked(ctx),
	})
	if err != nil {
		fail(ctx, 400, "not-explained", err.Error())
		return
	}
	answer(ctx, 200, told)
}

// within is the context of what one request asks of others.
func (a *Admin) within() (context.Context, context.CancelFunc) {
	return context.WithTimeout(a.ctx, 10*time.Second)
}
