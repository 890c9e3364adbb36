package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"github.com/valyala/fasthttp"
)

// maxBody is what relay and upstream take, in bytes.
const maxBody = 64 << 20

// listenAndTell opens a listener on loopback and writes its address to standard output. The process ends on SIGTERM.
func listenAndTell() (net.Listener, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	fmt.Println(listener.Addr())
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, os.Interrupt)
	go func() {
		<-stop
		os.Exit(0)
	}()
	return listener, nil
}

// serveBare is the least that a proxy can do with fasthttp: the request as it came, the answer as a stream.
func serveBare(upstream string) error {
	client := &fasthttp.HostClient{Addr: upstream, StreamResponseBody: true, MaxConns: 1 << 16}
	server := &fasthttp.Server{
		MaxRequestBodySize:    maxBody,
		NoDefaultServerHeader: true,
		Handler: func(ctx *fasthttp.RequestCtx) {
			if err := client.Do(&ctx.Request, &ctx.Response); err != nil {
				ctx.Error(err.Error(), fasthttp.StatusBadGateway)
			}
		},
	}
	listener, err := listenAndTell()
	if err != nil {
		return err
	}
	return server.Serve(listener)
}

// serveStandard is what the standard library offers for the same.
func serveStandard(upstream string) error {
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: upstream})
	proxy.FlushInterval = -1
	proxy.Transport = &http.Transport{MaxIdleConnsPerHost: 1 << 16, DisableCompression: true}
	listener, err := listenAndTell()
	if err != nil {
		return err
	}
	return http.Serve(listener, proxy)
}
