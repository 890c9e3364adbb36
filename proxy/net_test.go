package proxy_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recap/proxy"

	"github.com/valyala/fasthttp"
)

// C18: one rule, never /v1/v1 and never //.
func TestC18Join(t *testing.T) {
	f := func(base, path, want string) {
		t.Helper()
		if got := proxy.Join(base, path); got != want {
			t.Errorf("Join(%q, %q) = %q, want %q", base, path, got, want)
		}
	}
	for _, base := range []string{"http://h", "http://h/"} {
		f(base, "/v1/chat/completions", "http://h/v1/chat/completions")
		f(base, "/chat/completions", "http://h/chat/completions")
		f(base, "/api/chat", "http://h/api/chat")
		f(base, "/v1/models?x=1", "http://h/v1/models?x=1")
		f(base, "/", "http://h/")
		f(base, "", "http://h/")
		f(base, "/?x", "http://h/?x")
	}
	for _, base := range []string{"http://h/v1", "http://h/v1/", "http://h/v1//"} {
		f(base, "/v1/chat/completions", "http://h/v1/chat/completions")
		f(base, "/chat/completions", "http://h/v1/chat/completions")
		f(base, "//chat/completions", "http://h/v1/chat/completions")
		f(base, "/v1/models?x=1", "http://h/v1/models?x=1")
		f(base, "/v1?x=/v1/", "http://h/v1?x=/v1/")
		f(base, "/v1", "http://h/v1")
		f(base, "/v10/models", "http://h/v1/v10/models")
		f(base, "/", "http://h/v1/")
	}
	f("http://h/ollama/", "/api/chat", "http://h/ollama/api/chat")
	f("http://h/ollama", "/ollama/api/chat", "http://h/ollama/api/chat")
	f("http://h/ollama", "/v1/models?x=1", "http://h/ollama/v1/models?x=1")
	f("https://h:8443/openai/v1", "/openai/v1/responses", "https://h:8443/openai/v1/responses")
	f("https://h:8443/openai/v1", "/v1/responses", "https://h:8443/openai/v1/responses")
	f("http://h/api", "/api/tags", "http://h/api/tags")
	f("http://h/a", "/x//y/%2F/../z", "http://h/a/x//y/%2F/../z")
	f("http://h/xv1", "/v1/models", "http://h/xv1/v1/models")
	f("http://[::1]:80/v1", "/v1/models", "http://[::1]:80/v1/models")
}

// C18: URL gives callers the same rule; what can never work is refused at the start, with the key that mends it.
func TestC18BaseURLs(t *testing.T) {
	f := func(url, want string) {
		t.Helper()
		c, err := proxy.New([]proxy.Upstream{{Name: "a", URL: url}}, proxy.Options{})
		if err != nil {
			if want == "" || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `upstream "a": url`) || strings.Contains(err.Error(), "SECRET") {
				t.Errorf("%q: error %q, want one about %q", url, err, want)
			}
			return
		}
		defer c.Close()
		if want != "" {
			t.Errorf("%q was accepted, want an error about %q", url, want)
		}
		if got, err := c.URL("a", "/v1/models?x=1"); err != nil || strings.Contains(got, "/v1/v1") {
			t.Errorf("%q: URL = %q, %v", url, got, err)
		}
		if _, err := c.URL("b", "/"); err == nil {
			t.Error("URL of an unknown upstream gave no error")
		}
	}
	f("http://127.0.0.1:11434", "")
	f("https://api.openai.com/v1/", "")
	f("HTTP://h/v1", "")
	f("", "http://")
	f("127.0.0.1:11434", "read as a URL")
	f("localhost:11434", "http://")
	f("ftp://h", "http://")
	f("http://", "host")
	f("http://u:SECRET@h", "apiKey")
	f("http://u:SECRET@h:port", "read as a URL")
	f("http://h/v1?key=SECRET", "query")
	f("http://h/v1#x", "fragment")
	f("http://h/v1/chat/completions/", "endpoint")
	f("http://h/api/chat", "endpoint")
	if _, err := proxy.New([]proxy.Upstream{{Name: "a", URL: "http://h"}, {Name: "a", URL: "http://h"}}, proxy.Options{}); err == nil {
		t.Error("two upstreams of one name were accepted")
	}
	if _, err := proxy.New([]proxy.Upstream{{Name: "a", URL: "http://h", APIKey: "k\r\nX: y"}}, proxy.Options{}); err == nil {
		t.Error("a key with a line end was accepted")
	}
}

// certificate makes a self-signed server certificate; its PEM is its own authority.
func certificate(t *testing.T, host string, until time.Time) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: until,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if ip := net.ParseIP(host); ip != nil {
		form.IPAddresses = []net.IP{ip}
	} else {
		form.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

// F8: a private authority is trusted by caFile; what is wrong with a certificate is said.
func TestF8PrivateCertificates(t *testing.T) {
	t.Parallel()
	f := func(name, host string, until time.Time, trust bool, status int, part string) {
		t.Helper()
		cert, file := certificate(t, host, until)
		ln, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{cert}})
		if err != nil {
			t.Fatal(err)
		}
		s := newStubAt(t, ln, func(s *session, r *http.Request) { s.json("{}") })
		r := newRig(t, "https://"+ln.Addr().String(), func(set *setting) {
			if trust {
				set.up.CAFile = file
			}
		})
		p := r.dial()
		for range 2 {
			p.post("/x", "{}")
			if resp, body := p.answer("POST"); resp.StatusCode != status || !strings.Contains(body, part) {
				t.Errorf("%s: %d %s, want %d with %q", name, resp.StatusCode, body, status, part)
			}
		}
		if n := s.opened.Load(); status == 200 && n != 1 {
			t.Errorf("%s: %d connections for two requests, want 1", name, n)
		}
	}
	day := time.Now().Add(24 * time.Hour)
	f("trusted", "127.0.0.1", day, true, 200, "{}")
	f("unknown authority", "127.0.0.1", day, false, 502, "caFile")
	f("expired", "127.0.0.1", time.Now().Add(-time.Hour), true, 502, "expired")
	f("wrong name", "other.example", day, true, 502, "host name")

	plain := newStub(t, func(s *session, r *http.Request) {})
	r := newRig(t, "https://"+plain.ln.Addr().String(), func(set *setting) { set.up.Timeouts.Connect = time.Second })
	p := r.dial()
	p.post("/x", "{}")
	if resp, body := p.answer("POST"); resp.StatusCode < 502 {
		t.Errorf("https to a plain port: %d %s", resp.StatusCode, body)
	}
}

// F8: New reads the file that upstreams[].caFile names, whatever the scheme, so that a check of the settings finds a wrong one.
func TestF8CAFileIsReadAtOnce(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f := func(url, file string) {
		t.Helper()
		c, err := proxy.New([]proxy.Upstream{{Name: "a", URL: url, CAFile: file}}, proxy.Options{})
		if err == nil {
			c.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "upstreams[].caFile") {
			t.Errorf("%s with %s: %v, want an error that names the key", url, file, err)
		}
	}
	f("https://h", "/nowhere/ca.pem")
	f("http://h", "/nowhere/ca.pem")
	f("https://h", empty)
	f("http://h", empty)
}

// F9: IPv6 upstreams, names with both families where one listens, and listen addresses as written.
func TestF9BothFamilies(t *testing.T) {
	f := func(listen, url, proxyAddr string) {
		t.Helper()
		s := newStubOn(t, listen, func(s *session, r *http.Request) { s.json("{}") })
		_, port, _ := net.SplitHostPort(s.ln.Addr().String())
		r := newRig(t, strings.ReplaceAll(url, "PORT", port), func(set *setting) { set.addr = proxyAddr })
		_, own, _ := net.SplitHostPort(r.addr)
		r.addr = net.JoinHostPort("127.0.0.1", own)
		p := r.dial()
		start := time.Now()
		p.post("/x", "{}")
		if resp, body := p.answer("POST"); resp.StatusCode != 200 {
			t.Errorf("%s for %s: %d %s", url, listen, resp.StatusCode, body)
		}
		if d := time.Since(start); d >= 5*time.Second { // the connect timeout
			t.Errorf("%s for %s took %s", url, listen, d)
		}
	}
	f("127.0.0.1:0", "http://localhost:PORT", ":0")
	f("[::1]:0", "http://[::1]:PORT", "[::]:0")
	if addrs, _ := net.LookupHost("localhost"); len(addrs) > 1 {
		f("[::1]:0", "http://localhost:PORT", "127.0.0.1:0")
	}
}

// F11: a shutdown lets answers end, new connections are refused; when the grace is over, what is left is cut so that
// the client can tell.
func TestF11ShutdownDrainsThenCuts(t *testing.T) {
	t.Parallel()
	f := func(version string, grace time.Duration, whole bool) {
		t.Helper()
		step := make(chan struct{})
		s := newStub(t, func(s *session, r *http.Request) {
			s.say(strings.Replace(sseHead, "Transfer-Encoding: chunked", "Connection: close", 1))
			s.say("data: 1\n\n")
			<-step
			s.say("data: 2\n\n")
			s.close = true
		})
		r := newRig(t, s.url(), nil)
		p := r.dial()
		p.send("POST /x HTTP/" + version + "\r\nHost: p\r\nContent-Length: 2\r\n\r\n{}")
		resp := p.head("POST")
		io.ReadFull(resp.Body, make([]byte, 9))
		down := make(chan error, 1)
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), grace)
			defer cancel()
			down <- r.server.Shutdown(ctx)
		}()
		for { // until the listener is closed
			c, err := net.Dial("tcp", r.addr)
			if err != nil {
				break
			}
			c.Close()
			time.Sleep(5 * time.Millisecond)
		}
		if whole {
			step <- struct{}{}
		}
		rest, err := io.ReadAll(resp.Body)
		if whole != (err == nil && string(rest) == "data: 2\n\n") {
			t.Errorf("HTTP/%s, grace %s: %q, %v; want whole = %v", version, grace, rest, err, whole)
		}
		if err := within(t, patience, "shutdown", down); whole != (err == nil) {
			t.Errorf("HTTP/%s: Shutdown = %v, want an error = %v", version, err, !whole)
		}
		if !whole {
			close(step)
		}
		if o := r.outcome(); o.Complete != whole {
			t.Errorf("HTTP/%s: outcome %+v, want complete = %v", version, o, whole)
		}
	}
	f("1.1", patience, true)
	f("1.0", patience, true)
	f("1.1", 150*time.Millisecond, false)
}

// An address that cannot be used says so; an old socket file does not stand in the way, a live one does.
func TestListen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	first, err := proxy.Listen("unix:" + path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := proxy.Listen("unix:" + path); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("second listener: %v, want a refusal", err)
	}
	first.(*net.UnixListener).SetUnlinkOnClose(false)
	first.Close()
	again, err := proxy.Listen("unix:" + path)
	if err != nil {
		t.Fatalf("old socket file: %v", err)
	}
	again.Close()
	if _, err := proxy.Listen("nonsense"); err == nil {
		t.Error("nonsense was listened on")
	}
	os.WriteFile(path, []byte("precious"), 0o600)
	if _, err := proxy.Listen("unix:" + path); err == nil {
		t.Error("a file that is no socket was replaced")
	}
}

// A panic in a handler is one 500; the next request on a new connection is served.
func TestHandlerPanicIsContained(t *testing.T) {
	s := newStub(t, func(s *session, r *http.Request) { s.json("{}") })
	heard := make(chan int, 1)
	r := newRig(t, s.url(), func(set *setting) {
		set.server.Refused = func(_ netAddr, status int, _ string) { heard <- status }
		set.call = func(ctx *fasthttp.RequestCtx, c *proxy.Call) bool {
			if string(ctx.Path()) == "/panic" {
				panic("SECRET")
			}
			c.Header = func(*fasthttp.ResponseHeader, int) { panic("header") }
			return true
		}
	})
	p := r.dial()
	p.post("/panic", "{}")
	if resp, body := p.answer("POST"); resp.StatusCode != 500 || strings.Contains(body, "SECRET") {
		t.Errorf("%d %s, want 500 without the panic's text", resp.StatusCode, body)
	}
	if got := <-heard; got != 500 {
		t.Errorf("hook heard %d", got)
	}
	p = r.dial()
	p.post("/x", "{}")
	if resp, _ := p.answer("POST"); resp.StatusCode != 200 {
		t.Errorf("after the panic: %d", resp.StatusCode)
	}
}

// Close cuts what is still open.
func TestCloseCutsOpenExchanges(t *testing.T) {
	s := newStub(t, func(s *session, r *http.Request) { s.close = true; s.br.ReadByte() })
	r := newRig(t, s.url(), nil)
	p := r.dial()
	p.post("/x", "{}")
	for s.seen.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(2 * time.Millisecond)
	go r.client.Close()
	if resp, body := p.answer("POST"); resp.StatusCode != 503 {
		t.Errorf("%d %s, want 503", resp.StatusCode, body)
	}
}
