package cli_test

import (
	"context"
	"log/slog"
	"testing"

	"go.uber.org/goleak"

	"recap/cli"
	"recap/config"
)

// A signal may come before the listeners are served: nothing goes on serving behind the end of Run.
func TestRunEndsWhereTheSignalComesFirst(t *testing.T) {
	before := goleak.IgnoreCurrent()
	defer func() {
		goleak.VerifyNone(t, before,
			goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
			goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
			goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*TCPDialer).tcpAddrsClean"))
	}()
	for range 10 {
		cfg := config.Default()
		cfg.Listen, cfg.Admin.Listen, cfg.Store.Kind = "127.0.0.1:0", "127.0.0.1:0", "memory"
		ctx, stop := context.WithCancel(t.Context())
		app, err := cli.NewApp(ctx, cfg, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		stop()
		if err := app.Run(ctx); err != nil {
			t.Errorf("run: %v", err)
		}
	}
}
