package dashboard

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/valyala/fasthttp"
)

// CheckListen refuses an address that others can reach while there is no token. A Unix socket is nobody else's.
func CheckListen(addr, token string) error {
	if token != "" || strings.HasPrefix(addr, "unix:") {
		return nil
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("check admin.listen %q: want host:port or unix:/path: %w", addr, err)
	}
	if !loopback(host) {
		return fmt.Errorf("check admin.listen %q: others can reach it: set admin.token, or listen on 127.0.0.1", addr)
	}
	return nil
}

// loopback reports whether host, without a port, can only mean this machine. An empty one means every address.
func loopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && ip.IsLoopback()
}

// guard refuses who must not ask, and reports whether it let the request pass. Without a token the Host must be
// this machine's: a web page whose name was made to point here (DNS rebinding) carries its own. With or without, a
// page of another origin changes nothing: browsers send credentials along without asking.
func (a *Admin) guard(ctx *fasthttp.RequestCtx) bool {
	host := string(ctx.Host())
	switch {
	case a.o.Token != "" && !a.known(ctx):
		ctx.Response.Header.Set("WWW-Authenticate", `Basic realm="recap", charset="UTF-8"`)
		fail(ctx, 401, "unauthorized", "send the admin token as bearer token, as password or as "+tokenHeader)
	case a.o.Token == "" && !loopback(hostname(host)):
		fail(ctx, 403, "foreign-host", "ask for localhost, or set admin.token")
	case writes(ctx) && foreign(ctx, host):
		fail(ctx, 403, "foreign-origin", "pages of other origins change nothing")
	default:
		return true
	}
	return false
}

func writes(ctx *fasthttp.RequestCtx) bool { return !ctx.IsGet() && !ctx.IsHead() }

// foreign reports whether the request comes from a page that is not ours.
func foreign(ctx *fasthttp.RequestCtx, host string) bool {
	if site := string(ctx.Request.Header.Peek("Sec-Fetch-Site")); site == "cross-site" || site == "same-site" {
		return true
	}
	origin := string(ctx.Request.Header.Peek("Origin"))
	if origin == "" {
		return false
	}
	u, err := url.Parse(origin)
	return err != nil || !strings.EqualFold(u.Host, host)
}

// hostname returns host without its port.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return host
}

// tokenHeader carries the token where Authorization is another's: a chat's that is explained.
const tokenHeader = "X-Recap-Admin-Token"

// known reports whether the request carries the token.
func (a *Admin) known(ctx *fasthttp.RequestCtx) bool {
	return a.isToken(string(ctx.Request.Header.Peek(tokenHeader))) || a.authorized(ctx)
}

// authorized looks for the token in Authorization: Bearer, or as the password of Basic, which is what a browser can send.
func (a *Admin) authorized(ctx *fasthttp.RequestCtx) bool {
	scheme, value, _ := strings.Cut(string(ctx.Request.Header.Peek("Authorization")), " ")
	value = strings.TrimSpace(value)
	switch strings.ToLower(scheme) {
	case "bearer":
	case "basic":
		pair, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			return false
		}
		_, value, _ = strings.Cut(string(pair), ":")
	default:
		return false
	}
	return a.isToken(value)
}

// isToken compares digests, that not even the length is told by the time it takes.
func (a *Admin) isToken(value string) bool {
	got, want := sha256.Sum256([]byte(value)), sha256.Sum256([]byte(a.o.Token))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1
}

// asked is the header of a request without what let it in here: that is nothing for an upstream, nor anybody's chat.
func (a *Admin) asked(ctx *fasthttp.RequestCtx) *fasthttp.RequestHeader {
	header, ours := &fasthttp.RequestHeader{}, a.o.Token != "" && a.authorized(ctx)
	for name, value := range ctx.Request.Header.All() {
		if ours && strings.EqualFold(string(name), "Authorization") || strings.EqualFold(string(name), tokenHeader) {
			continue
		}
		header.AddBytesKV(name, value)
	}
	return header
}
