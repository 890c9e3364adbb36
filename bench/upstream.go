package main

import (
	"net"

	"github.com/valyala/fasthttp"
)

// answer is what the upstream says to everything: a chat completion with usage.
const answer = `{"id":"chatcmpl-bench","object":"chat.completion","created":1790000000,"model":"bench","choices":[{"index":0,` +
	`"message":{"role":"assistant","content":"The build fails since the flag was renamed in the last commit; the test still asks for ` +
	`the old one. I would rename it in cmd/build/main.go, line 41, and run the tests of that package again."},"finish_reason":"stop"}],` +
	`"usage":{"prompt_tokens":612,"completion_tokens":47,"total_tokens":659,"prompt_tokens_details":{"cached_tokens":512}}}`

// upstream is an inference service that answers at once.
type upstream struct {
	server *fasthttp.Server
	addr   string
}

func serveUpstream() (*upstream, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	u := &upstream{addr: listener.Addr().String(), server: &fasthttp.Server{
		MaxRequestBodySize: maxBody,
		Handler: func(ctx *fasthttp.RequestCtx) {
			ctx.SetContentType("application/json")
			ctx.SetBodyString(answer)
		},
	}}
	go func() { _ = u.server.Serve(listener) }()
	return u, nil
}
