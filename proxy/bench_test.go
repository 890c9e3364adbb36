package proxy_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"recap/proxy"

	"github.com/valyala/fasthttp"
)

// serving runs a server until the benchmark is over, and returns its address. Nothing of it is left afterwards.
func serving(b testing.TB, serve func(net.Listener) error, stop func(context.Context) error) string {
	ln, err := proxy.Listen("127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- serve(ln) }()
	b.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience) // b's own context has ended
		defer cancel()
		if err := stop(ctx); err != nil {
			b.Errorf("stop: %v", err)
		}
		if err := <-served; err != nil {
			b.Errorf("serve: %v", err)
		}
	})
	return ln.Addr().String()
}

// benchUpstream answers every request with text, which may be a stream of many packets.
func benchUpstream(b testing.TB, answer string, flushes int) string {
	s := &fasthttp.Server{MaxRequestBodySize: 64 << 20, Handler: func(ctx *fasthttp.RequestCtx) {
		if flushes == 0 {
			ctx.SetContentType("application/json")
			ctx.SetBodyString(answer)
			return
		}
		ctx.SetContentType("text/event-stream")
		ctx.SetBodyStreamWriter(func(w *bufio.Writer) {
			for range flushes {
				w.WriteString(answer)
				w.Flush()
			}
		})
	}}
	return "http://" + serving(b, s.Serve, s.ShutdownWithContext)
}

// bareRelay is the yardstick: what a relay on fasthttp costs when it does nothing else.
func bareRelay(b testing.TB, url string) string {
	up := &fasthttp.HostClient{Addr: strings.TrimPrefix(url, "http://"), StreamResponseBody: true, ReadBufferSize: 16 << 10}
	s := &fasthttp.Server{MaxRequestBodySize: 64 << 20, ReadBufferSize: 16 << 10, Handler: func(ctx *fasthttp.RequestCtx) {
		ctx.Request.SetHost(up.Addr)
		if err := up.Do(&ctx.Request, &ctx.Response); err != nil {
			ctx.Error(err.Error(), 502)
		}
	}}
	return serving(b, s.Serve, func(ctx context.Context) error {
		defer up.CloseIdleConnections()
		return s.ShutdownWithContext(ctx)
	})
}

// ownRelay is this package, with the body read as for a chat or streamed on.
func ownRelay(b testing.TB, url string, read bool) string {
	client, err := proxy.New([]proxy.Upstream{{Name: "local", URL: url}}, proxy.Options{})
	if err != nil {
		b.Fatal(err)
	}
	s := proxy.NewServer(func(ctx *fasthttp.RequestCtx) {
		call := proxy.Call{Upstream: "local"}
		if read {
			body, err := wholeBody(ctx, 0)
			if err != nil {
				b.Error(err)
			}
			call.Body = body
		}
		client.Relay(ctx, call)
	}, proxy.ServerOptions{})
	return serving(b, s.Serve, func(ctx context.Context) error {
		defer client.Close()
		return s.Shutdown(ctx)
	})
}

// drive sends the same request over one connection b.N times; the time is that of client, relay and upstream together.
func drive(b *testing.B, addr string, request []byte) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	br := bufio.NewReaderSize(c, 64<<10)
	var resp fasthttp.Response
	b.ResetTimer()
	for b.Loop() {
		c.Write(request)
		if err := resp.Read(br); err != nil || resp.StatusCode() != 200 {
			b.Fatalf("%v %d", err, resp.StatusCode())
		}
		io.Discard.Write(resp.Body())
	}
}

// BenchmarkRelay compares the relay with a bare fasthttp relay in the same run, so that the ratio can be read.
func BenchmarkRelay(b *testing.B) {
	request := func(size int) []byte {
		body := `{"messages":[{"role":"user","content":"` + strings.Repeat("x", size-42) + `"}]}`
		return []byte(fmt.Sprintf("POST /v1/chat/completions HTTP/1.1\r\nHost: p\r\nContent-Type: application/json\r\n"+
			"Authorization: Bearer key\r\nUser-Agent: bench\r\nAccept: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
	}
	event := "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word \"}}]}\n\n"
	for _, c := range []struct {
		name    string
		size    int
		answer  string
		flushes int
	}{
		{"2k", 2 << 10, strings.Repeat("a", 600), 0},
		{"256k", 256 << 10, strings.Repeat("a", 600), 0},
		{"sse200", 2 << 10, event, 200},
	} {
		url := benchUpstream(b, c.answer, c.flushes)
		bare, own, streamed := bareRelay(b, url), ownRelay(b, url, true), ownRelay(b, url, false)
		b.Run(c.name+"/bare", func(b *testing.B) { drive(b, bare, request(c.size)) })
		b.Run(c.name+"/relay", func(b *testing.B) { drive(b, own, request(c.size)) })
		b.Run(c.name+"/streamed", func(b *testing.B) { drive(b, streamed, request(c.size)) })
	}
}
