package main

import (
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/valyala/fasthttp"
)

// maxBody is what relay and upstream take, in bytes.
const maxBody = 64 << 20

// serveRelay is the least that a proxy can do with fasthttp: the request as it came, the answer as a stream. It writes its
// address to standard output.
func serveRelay(upstream string) error {
	client := &fasthttp.HostClient{Addr: upstream, StreamResponseBody: true, MaxConns: 1024}
	server := &fasthttp.Server{
		MaxRequestBodySize:    maxBody,
		NoDefaultServerHeader: true,
		Handler: func(ctx *fasthttp.RequestCtx) {
			if err := client.Do(&ctx.Request, &ctx.Response); err != nil {
				ctx.Error(err.Error(), fasthttp.StatusBadGateway)
			}
		},
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, os.Interrupt)
	go func() {
		<-stop
		os.Exit(0)
	}()
	return server.Serve(listener)
}
