package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"recap/cache"
	"recap/config"
	"recap/dashboard"
	"recap/middleware"
	"recap/proxy"
	"recap/pruning"
	"recap/stats"
	"recap/summarizer"
	"recap/tokens"
)

// App is a Recap with everything wired: listeners, proxy, compactor, queue, store.
type App struct {
	Stats *stats.Stats
	Store cache.Store

	cfg       *config.Config
	log       *slog.Logger
	client    *proxy.Client
	clients   summaryClients
	queue     *summarizer.Queue
	counter   *tokens.Counter
	windows   *tokens.Windows
	pruner    *pruning.Pruner
	compactor *middleware.Compactor

	server *proxy.Server
	admin  *dashboard.Admin
	front  net.Listener
	back   net.Listener // nil: no admin listener

	stop  context.CancelFunc
	saved chan struct{}
}

// Grace is how long running answers may go on after the signal to stop.
const Grace = 30 * time.Second

// NewApp opens the store and the listeners; Run serves. A store that cannot be used is reported and replaced by one in
// memory: the proxy is worth more than its checkpoints.
func NewApp(ctx context.Context, cfg *config.Config, log *slog.Logger) (*App, error) {
	if err := dashboard.CheckListen(cfg.Admin.Listen, cfg.Admin.Token); cfg.Admin.Listen != "" && err != nil {
		return nil, err
	}
	a := &App{cfg: cfg, log: log, Stats: stats.New(), saved: make(chan struct{})}
	var err error
	if a.client, err = proxy.New(cfg.Upstreams, proxy.Options{Limits: cfg.Limits}); err != nil {
		return nil, usage{fmt.Errorf("open upstreams: %w", err)}
	}
	a.openStore(ctx)
	if err = a.wire(ctx); err == nil {
		err = a.listen()
	}
	if err != nil {
		return nil, errors.Join(err, a.Store.Close())
	}
	ctx, a.stop = context.WithCancel(context.Background())
	go a.keepLearned(ctx)
	return a, nil
}

func (a *App) openStore(ctx context.Context) {
	o := a.cfg.Store
	o.Report = func(err error) {
		a.Stats.StoreError("background")
		a.log.Warn("store", "error", err)
	}
	store, err := cache.Open(ctx, o)
	if err != nil {
		a.Stats.StoreError("open")
		a.log.Error("store cannot be used, going on in memory: checkpoints will not survive a restart", "error", err)
		store = cache.NewMemory(o)
	}
	a.Store = store
}

// wire makes the parts that decide and write.
func (a *App) wire(ctx context.Context) error {
	cfg := a.cfg
	secret, err := tenantSecret(ctx, cfg, a.Store)
	if err != nil {
		return err
	}
	if a.clients, err = newSummaryClients(cfg); err != nil {
		return err
	}
	a.counter = tokens.NewCounter(cfg.Models)
	a.windows = tokens.NewWindows(cfg.Models, nil)
	a.recallLearned(ctx)
	a.warmWindows()
	a.pruner = pruning.New(prunerRemembers)
	a.queue = summarizer.NewQueue(summarizer.Deps{
		Store: a.Store, Provider: providerByName(cfg), Client: a.clients.of, Window: a.summaryWindow,
		Observe: a.observe, Mirror: cfg.Store.Mirror,
	})
	a.Stats.QueueLength(func() int { return a.queue.Stats().Waiting })
	a.compactor = middleware.NewCompactor(middleware.Deps{
		Config: cfg, Store: a.Store, Queue: a.queue, Counter: a.counter, Windows: a.windows, Pruner: a.pruner,
		Tenant: middleware.NewTenant(cfg.Tenant, secret), Stats: a.Stats, Log: a.log,
		Open: openBody, Bytes: proxy.Bytes, Decompress: proxy.DecodeBody, Relay: a.relay, URL: a.client.URL,
	})
	a.held()
	return nil
}

// prunerRemembers is for how many messages the pruner keeps what their results weigh.
const prunerRemembers = 200_000

func (a *App) listen() error {
	handler := middleware.Chain(a.compactor.Handle,
		middleware.Recover(a.log), middleware.AccessLog(a.log))
	a.server = proxy.NewServer(handler, proxy.ServerOptions{Limits: a.cfg.Limits, Refused: a.refused})
	var err error
	if a.front, err = proxy.Listen(a.cfg.Listen); err != nil {
		return fmt.Errorf("%w; see --listen", err)
	}
	if a.cfg.Admin.Listen == "" {
		return nil
	}
	if a.back, err = proxy.Listen(a.cfg.Admin.Listen); err != nil {
		return errors.Join(fmt.Errorf("%w; see --admin", err), a.front.Close())
	}
	a.admin = dashboard.New(dashboard.Options{
		Token: a.cfg.Admin.Token, Version: Version(), Store: a.Store, Stats: a.Stats,
		Explain: a.explain, Measure: tokens.Estimate, MaxBody: int(a.cfg.Limits.Body),
	})
	return nil
}

func (a *App) refused(remote net.Addr, status int, reason string) {
	a.log.Warn("request refused before it was read", "remote", remote.String(), "status", status, "reason", reason)
}

// Addr is where the proxy listens, AdminAddr where the admin listener does ("" where there is none).
func (a *App) Addr() string { return a.front.Addr().String() }

// AdminAddr is the admin listener's address; see Addr.
func (a *App) AdminAddr() string {
	if a.back == nil {
		return ""
	}
	return a.back.Addr().String()
}

// StorePlace says where checkpoints are kept: a file, or memory.
func (a *App) StorePlace() string {
	if s, ok := a.Store.(*cache.SQLite); ok {
		return s.Path()
	}
	return "memory"
}

// Busy reports whether a chat is being answered or a summary waits or is at work. Exchanges come first: they hand
// summaries on.
func (a *App) Busy() bool {
	if a.compactor.Busy() {
		return true
	}
	s := a.queue.Stats()
	return s.Waiting+s.Working > 0
}

// Run serves until ctx ends, then lets running answers finish for at most Grace, cancels summaries and closes the
// store.
func (a *App) Run(ctx context.Context) error {
	failed := make(chan error, 2)
	var serving sync.WaitGroup
	serving.Go(func() { failed <- a.server.Serve(a.front) })
	if a.admin != nil {
		serving.Go(func() { failed <- a.admin.Serve(a.back) })
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	a.shutdown()
	serving.Wait()
	return err
}

func (a *App) shutdown() {
	if a.admin != nil {
		a.admin.Drain()
	}
	ctx, cancel := context.WithTimeout(context.Background(), Grace)
	defer cancel()
	_ = a.front.Close() // a Serve that has not begun yet is unknown to Shutdown; this ends it too
	if err := a.server.Shutdown(ctx); err != nil {
		a.log.Warn("answers were cut: they took longer than the grace", "grace", Grace)
	}
	a.compactor.Close()
	end, done := context.WithTimeout(context.Background(), 5*time.Second)
	defer done()
	err := a.queue.Close(end)
	a.clients.close()
	a.stop()
	<-a.saved
	a.counter.Close()
	a.windows.Close()
	if a.admin != nil {
		_ = a.back.Close()
		err = errors.Join(err, a.admin.Shutdown(end))
	}
	if failed := errors.Join(err, a.client.Close(), a.Store.Close()); failed != nil {
		a.log.Warn("shutdown was not clean; all requests were served", "error", failed)
	}
}

// relay puts the compactor's words into the proxy's.
func (a *App) relay(ctx *fasthttp.RequestCtx, call middleware.Call) {
	a.client.Relay(ctx, proxy.Call(call))
}

// clientBody is the body of a request, whose errors the compactor knows.
type clientBody struct{ *proxy.BodyReader }

func openBody(ctx *fasthttp.RequestCtx, limit int64) io.Reader {
	return clientBody{proxy.OpenBody(ctx, limit)}
}

// Read implements io.Reader.
func (b clientBody) Read(p []byte) (int, error) {
	n, err := b.BodyReader.Read(p)
	if errors.Is(err, proxy.ErrTooLarge) {
		err = middleware.ErrTooLarge
	}
	return n, err
}
