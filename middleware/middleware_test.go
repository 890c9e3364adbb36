package middleware_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"recap/middleware"
)

// The first middleware of a chain is the outermost; an empty chain is its end.
func TestChain(t *testing.T) {
	var order []string
	step := func(name string) middleware.Middleware {
		return func(next fasthttp.RequestHandler) fasthttp.RequestHandler {
			return func(ctx *fasthttp.RequestCtx) {
				order = append(order, name)
				next(ctx)
			}
		}
	}
	end := func(*fasthttp.RequestCtx) { order = append(order, "end") }
	middleware.Chain(end, step("a"), step("b"))(&fasthttp.RequestCtx{})
	middleware.Chain(end)(&fasthttp.RequestCtx{})
	if got, want := strings.Join(order, " "), "a b end end"; got != want {
		t.Errorf("order %q, want %q", got, want)
	}
}

// P10: a panic is answered with 500; its text, which may quote a message, reaches neither the answer nor the log.
func TestP10Recover(t *testing.T) {
	var log bytes.Buffer
	handler := middleware.Recover(slog.New(slog.NewTextHandler(&log, nil)))(func(*fasthttp.RequestCtx) { panic("WORDS of a message") })
	ctx := &fasthttp.RequestCtx{}
	handler(ctx)
	if ctx.Response.StatusCode() != 500 {
		t.Errorf("status %d, want 500", ctx.Response.StatusCode())
	}
	if strings.Contains(log.String(), "WORDS") || strings.Contains(string(ctx.Response.Body()), "WORDS") {
		t.Errorf("the text got out:\n%s\n%s", log.String(), ctx.Response.Body())
	}
	if !strings.Contains(log.String(), "panicked") {
		t.Error("the log says nothing")
	}
}

// The client's id is taken where it is short and printable; else each request has one of its own.
func TestRequestID(t *testing.T) {
	f := func(given string, taken bool) {
		t.Helper()
		ctx := &fasthttp.RequestCtx{}
		ctx.Request.Header.Set("X-Request-Id", given)
		got := middleware.RequestID(ctx)
		if (got == given) != taken || got == "" {
			t.Errorf("id %q for %q, taken %v, want %v", got, given, got == given, taken)
		}
	}
	f("abc-1", true)
	f("", false)
	f("a\tb", false)
	f("zażółć", false)
	f(strings.Repeat("x", 200), false)
}

// P10: each credential is a tenant of its own, wherever clients of chat services put it; without any there is one.
func TestP10Tenant(t *testing.T) {
	tenants := middleware.NewTenant("credential", []byte("secret"))
	of := func(query string, header ...string) string {
		return tenants.Of(func(name string) string {
			for i := 0; i < len(header); i += 2 {
				if strings.EqualFold(header[i], name) {
					return header[i+1]
				}
			}
			return ""
		}, query)
	}
	seen := map[string]string{}
	f := func(name, tenant string) {
		t.Helper()
		if other, ok := seen[tenant]; ok {
			t.Errorf("%s and %s are one tenant", name, other)
		}
		if strings.Contains(tenant, "KEY") || len(tenant) != 32 {
			t.Errorf("tenant %q", tenant)
		}
		seen[tenant] = name
	}
	f("nobody", of(""))
	f("a", of("", "Authorization", "Bearer KEY1"))
	f("b", of("", "Authorization", "Bearer KEY2"))
	f("as x-api-key", of("", "X-Api-Key", "Bearer KEY1"))
	f("as api-key", of("", "Api-Key", "Bearer KEY1"))
	f("google", of("", "X-Goog-Api-Key", "KEY1"))
	f("query", of("key=KEY1"))
	f("another query", of("api-version=1&key=KEY2"))
	f("cookie", of("", "Cookie", "session=KEY1"))
	f("another cookie", of("", "Cookie", "session=KEY2"))
	if of("", "Authorization", "x", "Cookie", "a") != of("", "Authorization", "x", "Cookie", "b") {
		t.Error("beside a key, cookies tell tenants apart: they change too often")
	}
	if of("") != of("api-version=1") {
		t.Error("a parameter that is no credential tells tenants apart")
	}
	other := middleware.NewTenant("credential", []byte("another secret"))
	if other.Of(func(string) string { return "x" }, "") == tenants.Of(func(string) string { return "x" }, "") {
		t.Error("the digest does not depend on the secret")
	}
	byHeader := middleware.NewTenant("header:X-User", nil)
	if byHeader.Of(func(n string) string { return n }, "") == byHeader.Of(func(string) string { return "" }, "") {
		t.Error("header:X-User does not read it")
	}
	if got := middleware.NewTenant("none", nil).Of(func(string) string { return "x" }, ""); got != "" {
		t.Errorf("tenant %q with none", got)
	}
}
