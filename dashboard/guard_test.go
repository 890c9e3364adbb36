package dashboard_test

import (
	"encoding/base64"
	"testing"

	"recap/dashboard"
)

func TestCheckListen(t *testing.T) {
	f := func(addr, token string, ok bool) {
		t.Helper()
		if err := dashboard.CheckListen(addr, token); (err == nil) != ok {
			t.Errorf("%q, token %q: %v", addr, token, err)
		}
	}
	f("127.0.0.1:8788", "", true)
	f("127.8.9.1:8788", "", true)
	f("localhost:8788", "", true)
	f("[::1]:8788", "", true)
	f("unix:/run/recap.sock", "", true)
	f("0.0.0.0:8788", "", false)
	f("[::]:8788", "", false)
	f(":8788", "", false)
	f("192.168.1.2:8788", "", false)
	f("recap.lan:8788", "", false)
	f("localhost.evil.example:8788", "", false)
	f("127.0.0.1", "", false)
	f(":8788", "secret", true)
}

// TestF13Hosts: without a token only this machine's names are answered to, and other pages change nothing.
func TestF13Hosts(t *testing.T) {
	s := serve(t, dashboard.Options{})
	pin := "/api/checkpoints/" + s.key.String() + "/pin"
	f := func(want int, method, path string, headers ...string) {
		t.Helper()
		if got, body := s.ask(t, method, path, "", headers...); got != want {
			t.Errorf("%s %s %q: %d %s, want %d", method, path, headers, got, body, want)
		}
	}
	for _, host := range []string{"localhost", "LOCALHOST:8788", "127.0.0.1:1", "[::1]:8788", "[::1]", "recap.localhost:8788"} {
		f(200, "GET", "/api/sessions", "Host", host)
	}
	for _, host := range []string{"evil.example", "evil.example:8788", "192.168.0.10:8788", "localhost.evil.example", "127.0.0.1.nip.io"} {
		f(403, "GET", "/api/sessions", "Host", host)
		f(403, "GET", "/", "Host", host)
		f(403, "GET", "/nothing", "Host", host)
		f(403, "POST", pin, "Host", host)
		f(200, "GET", "/healthz", "Host", host) // probes come under any name
		f(200, "GET", "/readyz", "Host", host)
	}
	f(200, "POST", pin, "Host", "localhost:8788", "Origin", "http://localhost:8788")
	f(200, "GET", "/api/sessions", "Host", "localhost:8788", "Origin", "http://evil.example")
	for _, origin := range []string{"http://evil.example", "http://localhost:3000", "null", "http://localhost:8788.evil.example", "%"} {
		f(403, "POST", pin, "Host", "localhost:8788", "Origin", origin)
		f(403, "DELETE", pin[:len(pin)-4], "Host", "localhost:8788", "Origin", origin)
	}
	f(403, "POST", pin, "Sec-Fetch-Site", "cross-site")
	f(200, "POST", pin, "Sec-Fetch-Site", "same-origin")
}

func TestToken(t *testing.T) {
	s := serve(t, dashboard.Options{Token: "secret", Ready: func() []string { return []string{"detail"} }})
	basic := func(pair string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(pair)) }
	f := func(want int, method, path string, headers ...string) {
		t.Helper()
		if got, body := s.ask(t, method, path, "", headers...); got != want {
			t.Errorf("%s %s %q: %d %s, want %d", method, path, headers, got, body, want)
		}
	}
	for _, path := range []string{"/", "/metrics", "/api/events", "/api/sessions", "/api/checkpoints", "/nothing"} {
		f(401, "GET", path)
	}
	for _, header := range []string{"Bearer ", "Bearer secre", "Bearer secretx", "secret", "Basic secret", basic("secret:"), basic("secret"), "Bearer Secret"} {
		f(401, "GET", "/api/sessions", "Authorization", header)
	}
	f(200, "GET", "/api/sessions", "Authorization", "Bearer secret")
	f(200, "GET", "/api/sessions", "Authorization", "bearer  secret")
	f(200, "GET", "/api/sessions", "Authorization", basic("anybody:secret"))
	f(200, "GET", "/api/sessions", "Authorization", "Bearer secret", "Host", "recap.lan")
	f(403, "POST", "/api/explain", "Authorization", basic("x:secret"), "Origin", "http://evil.example")
	f(200, "GET", "/healthz")
	if _, body := s.ask(t, "GET", "/readyz", ""); body != `{"ready":false}`+"\n" {
		t.Errorf("a stranger is told %s", body)
	}
	if _, body := s.ask(t, "GET", "/readyz", "", "Authorization", "Bearer secret"); body != `{"ready":false,"reasons":["detail"]}`+"\n" {
		t.Errorf("the owner is told %s", body)
	}
}
