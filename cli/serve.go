package cli

import (
	"context"
	"io"
	"log/slog"
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
