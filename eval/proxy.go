package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"recap/cli"
	"recap/config"
	"recap/internal/fakellm"
	"recap/tokens"
)

// proxy is the whole of Recap between a client and the strict upstream, over loopback.
type proxy struct {
	up     *fakellm.Server
	app    *cli.App
	url    string
	client *http.Client
	stop   context.CancelFunc
	done   chan error
}

// startProxy starts an upstream and a Recap in front of it, with its memory for a store.
func startProxy(window int, o fakellm.Options, change func(*config.Config)) (*proxy, error) {
	up, err := fakellm.Start(o)
	if err != nil {
		return nil, err
	}
	cfg := config.Default()
	cfg.Listen, cfg.Admin.Listen = "127.0.0.1:0", ""
	cfg.Upstreams[0].URL = up.URL()
	cfg.Store.Kind = "memory"
	cfg.Models = []tokens.Model{{Match: "*", ContextWindow: window}}
	if change != nil {
		change(cfg)
	}
	ctx, stop := context.WithCancel(context.Background())
	app, err := cli.NewApp(ctx, cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		stop()
		up.Close()
		return nil, fmt.Errorf("start recap: %w", err)
	}
	p := &proxy{
		up: up, app: app, url: "http://" + app.Addr(), stop: stop, done: make(chan error, 1),
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}},
	}
	go func() { p.done <- app.Run(ctx) }()
	return p, nil
}

// close ends all of it.
func (p *proxy) close() error {
	p.client.CloseIdleConnections()
	p.stop()
	err := <-p.done
	p.up.Close()
	return err
}

var paths = map[string]string{"openai": "/v1/chat/completions", "ollama": "/api/chat"}

// answer is what a client got.
type answer struct {
	status string // X-Recap-Status
	took   time.Duration
}

var errRefused = errors.New("the request was refused")

// chat sends one request.
func (p *proxy) chat(dialect, body string) (answer, error) {
	began := time.Now()
	resp, err := p.client.Post(p.url+paths[dialect], "application/json", strings.NewReader(body))
	if err != nil {
		return answer{}, fmt.Errorf("send chat: %w", err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return answer{}, fmt.Errorf("read answer: %w", err)
	}
	a := answer{resp.Header.Get("X-Recap-Status"), time.Since(began)}
	if resp.StatusCode != http.StatusOK {
		return a, fmt.Errorf("send chat: status %d: %w", resp.StatusCode, errRefused)
	}
	return a, nil
}

// settle waits until no chat is being answered and no summary is queued or at work.
func (p *proxy) settle() error {
	for deadline := time.Now().Add(30 * time.Second); p.app.Busy(); time.Sleep(100 * time.Microsecond) {
		if time.Now().After(deadline) {
			return errors.New("settle: summaries do not come to an end")
		}
	}
	return nil
}

// declared reports whether an answer says that the prefix was broken.
func (a *answer) declared() bool { return strings.Contains(a.status, "broke-prefix") }
