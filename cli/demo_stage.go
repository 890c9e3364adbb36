package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"recap/config"
	"recap/internal/fakellm"
	"recap/pruning"
	"recap/tokens"
)

// stage is everything that runs: the model, Recap before it, an agent, and the feed of what Recap says about itself.
type stage struct {
	play   []task
	model  *fakellm.Server
	app    *App
	agent  *agent
	events chan event

	stop    context.CancelFunc
	running sync.WaitGroup
	ended   error // of the app
}

// demoConfig is Recap's as a user would have it who turned pruning on, but for sizes that suit a small window.
func demoConfig(upstream string) *config.Config {
	cfg := config.Default()
	cfg.Listen, cfg.Admin.Listen, cfg.Store.Kind = "127.0.0.1:0", "127.0.0.1:0", "memory"
	cfg.Upstreams[0].Name, cfg.Upstreams[0].URL = "demo", upstream
	p := &cfg.Summarization.ContextPruning
	p.Enabled, p.Strategy, p.ProtectTokens, p.ClearAtLeast, p.DigestChars = true, pruning.Budget, 3000, 1800, 160
	return cfg
}

// newStage starts everything on free ports of loopback. change, where it is not nil, has the last word on Recap's settings.
func newStage(ctx context.Context, play []task, speed float64, change func(*config.Config)) (*stage, error) {
	script := &demoModel{play: play, speed: speed}
	model, err := fakellm.Start(script.options())
	if err != nil {
		return nil, err
	}
	s := &stage{play: play, model: model, agent: newAgent(), events: make(chan event, 64)}
	cfg := demoConfig(model.URL())
	if change != nil {
		change(cfg)
	}
	if s.app, err = NewApp(ctx, cfg, slog.New(slog.DiscardHandler)); err != nil {
		model.Close()
		return nil, err
	}
	within, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.running.Go(func() { s.ended = s.app.Run(within) })
	if err = s.watch(within); err == nil {
		err = s.learnWindow(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// close ends everything and waits for it.
func (s *stage) close() error {
	s.agent.client.CloseIdleConnections()
	s.stop()
	s.running.Wait()
	s.agent.client.CloseIdleConnections()
	s.model.Close()
	if s.ended != nil {
		return fmt.Errorf("stop demo: %w", s.ended)
	}
	return nil
}

func (s *stage) url() string      { return "http://" + s.app.Addr() }
func (s *stage) adminURL() string { return "http://" + s.app.AdminAddr() }

// demoPatience bounds each wait for something that takes milliseconds.
const demoPatience = time.Minute

// learnWindow waits until Recap has asked the model for its window; a request that came before would be relayed as it is.
func (s *stage) learnWindow(ctx context.Context) error {
	ask := tokens.Ask{Upstream: s.app.cfg.Upstreams[0].Name, URL: s.model.URL(), Model: demoModelName}
	for end := time.Now().Add(demoPatience); s.app.windows.Lookup(ask).Source != "upstream"; {
		if time.Now().After(end) {
			return errors.New("the model's window is not known after " + demoPatience.String())
		}
		if !sleep(ctx, 5*time.Millisecond) {
			return ctx.Err()
		}
	}
	return nil
}

// sleep waits, false when ctx ended.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// event is what the admin listener's stream tells, as far as the demo looks at it.
type event struct {
	Kind string `json:"kind"`
	Data struct {
		From    int     `json:"from"`
		To      int     `json:"to"`
		Tokens  int     `json:"tokens"`
		Seconds float64 `json:"seconds"`
		Reason  string  `json:"reason"`
	} `json:"data"`
}

// watch subscribes to /api/events; they come on s.events until ctx ends.
func (s *stage) watch(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.adminURL()+"/api/events", nil)
	if err != nil {
		return fmt.Errorf("watch events: %w", err)
	}
	resp, err := s.agent.client.Do(req)
	if err != nil {
		return fmt.Errorf("watch events: %w", err)
	}
	s.running.Go(func() {
		defer resp.Body.Close()
		s.pass(ctx, resp.Body)
	})
	return nil
}

func (s *stage) pass(ctx context.Context, stream io.Reader) {
	lines := bufio.NewScanner(stream)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		var e event
		if !ok || json.Unmarshal([]byte(data), &e) != nil {
			continue
		}
		select {
		case s.events <- e:
		case <-ctx.Done():
			return
		}
	}
}
