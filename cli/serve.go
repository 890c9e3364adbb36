package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"recap/config"
)

// serveCmd runs the proxy until a signal.
type serveCmd struct{}

// Run serves. The first SIGINT or SIGTERM lets running answers finish, the second one ends the process at once.
func (c *serveCmd) Run(s *shell) error {
	cfg, err := s.loadConfig("")
	if err != nil {
		return err
	}
	log := newLog(cfg.Log, s.err)
	if _, set := s.lookup("GOGC"); !set {
		tuneGarbage()
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	app, err := NewApp(ctx, cfg, log)
	if err != nil {
		return err
	}
	announce(app, cfg, log)
	go func() {
		<-ctx.Done()
		stop() // the next signal has its default effect
		log.Info("stopping: running answers may finish, a second signal ends them", "grace", Grace)
	}()
	return app.Run(ctx)
}

// announce says where Recap listens, before whom it stands and what it keeps.
func announce(app *App, cfg *config.Config, log *slog.Logger) {
	for _, up := range cfg.Upstreams {
		log.Info("upstream", "name", up.Name, "url", up.URL, "models", strings.Join(up.Models, " "))
	}
	log.Info("recap serves", "listen", app.Addr(), "admin", app.AdminAddr(), "store", app.StorePlace(), "version", Version())
}

// newLog returns the logger of the `log` section.
func newLog(o config.Log, w io.Writer) *slog.Logger {
	var level slog.Level
	if level.UnmarshalText([]byte(o.Level)) != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	if o.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// explainCmd tells what would be done to a request body.
type explainCmd struct {
	File   string `arg:"" help:"A request body, JSON; - reads standard input."`
	Path   string `help:"Path of the chat API: /v1/chat/completions or /api/chat." default:"/v1/chat/completions" placeholder:"PATH"`
	Format string `help:"text or json." enum:"text,json" default:"text"`
	Window int    `help:"The window in tokens, instead of asking the upstream." placeholder:"TOKENS"`
}

// Run prints the explanation.
func (c *explainCmd) Run(s *shell) error {
	cfg, err := s.loadConfig("")
	if err != nil {
		return err
	}
	if c.Window < 0 {
		return usage{fmt.Errorf("read --window: want a positive number of tokens")}
	}
	if _, err := os.Stat(cfg.Store.Path); cfg.Store.Path != "" && err != nil {
		cfg.Store.Kind = "memory" // explaining leaves no empty store behind
	}
	return explainBody(cfg, explainQuestion{file: c.File, path: c.Path, format: c.Format, window: c.Window}, s.in, s.out)
}
