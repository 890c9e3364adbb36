package cli

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
	"time"

	"recap/cache"
	"recap/chat"
	"recap/config"
	"recap/proxy"
	"recap/stats"
	"recap/summarizer"
	"recap/tokens"
)

// The names of what the store keeps beside checkpoints.
const (
	settingTenantSecret = "tenant-secret"
	settingCalibration  = "calibration"
	settingWindows      = "windows"
)

// tenantSecret keys the digests of credentials: RECAP_TENANT_KEY where replicas share it, else a random one that the
// store keeps.
func tenantSecret(ctx context.Context, cfg *config.Config, store cache.Store) ([]byte, error) {
	if cfg.TenantKey != "" {
		return []byte(cfg.TenantKey), nil
	}
	fresh := make([]byte, 32)
	_, _ = rand.Read(fresh) // never fails since Go 1.24
	secret, err := store.Setting(ctx, settingTenantSecret, fresh, false)
	if err != nil {
		return nil, fmt.Errorf("read tenant secret: %w", err)
	}
	return secret, nil
}

// newSummaryClients returns the HTTP client of each upstream for summary calls: one of their own, so that summaries never
// take a chat's connection.
func newSummaryClients(cfg *config.Config) (summaryClients, error) {
	clients := summaryClients{}
	for _, up := range cfg.Upstreams {
		if up.CAFile == "" {
			continue
		}
		pem, err := os.ReadFile(up.CAFile)
		if err != nil {
			return nil, fmt.Errorf("read upstreams[].caFile: %w", err)
		}
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("read upstreams[].caFile %s: no certificate in it", up.CAFile)
		}
		clients[up.Name] = summarizer.NewClient(&tls.Config{RootCAs: pool})
	}
	clients[""] = summarizer.NewClient(nil)
	return clients, nil
}

// summaryClients are the HTTP clients for summary calls by upstream; "" is that of all others.
type summaryClients map[string]*http.Client

func (c summaryClients) of(name string) *http.Client {
	if client, ok := c[name]; ok {
		return client
	}
	return c[""]
}

func (c summaryClients) close() {
	for _, client := range c {
		client.CloseIdleConnections()
	}
}

func providerByName(cfg *config.Config) func(string) (summarizer.Provider, bool) {
	return func(name string) (summarizer.Provider, bool) {
		for _, p := range cfg.Providers {
			if p.Name == name {
				return p, true
			}
		}
		return summarizer.Provider{}, false
	}
}

// warmWindows asks the upstreams what they are before the first request comes.
func (a *App) warmWindows() {
	for _, up := range a.cfg.Upstreams {
		a.windows.Warm(tokens.Ask{Upstream: up.Name, URL: up.URL, Header: func() http.Header { return keyHeader(up) }})
	}
}

func keyHeader(up proxy.Upstream) http.Header {
	h := http.Header{}
	if up.APIKey != "" {
		h.Set("Authorization", "Bearer "+up.APIKey)
	}
	return h
}

// summaryWindow tells the window of a model that is not the chat's.
func (a *App) summaryWindow(_ context.Context, target summarizer.Target, model string) int {
	w := a.windows.Lookup(tokens.Ask{
		Upstream: target.Name, URL: target.URL, Header: func() http.Header { return target.Header }, Model: model,
		Native: target.Dialect == "ollama",
	})
	return w.Size
}

// observe passes the steps of summary jobs on to the metrics, the events and the log.
func (a *App) observe(n summarizer.Notice) {
	used := chat.Usage{Prompt: n.TokensIn, Completion: n.TokensOut}
	spent := stats.Spend{
		Calls: n.Calls, Prompt: int64(n.TokensIn), Completion: int64(n.TokensOut),
		Cost: tokens.PriceOf(a.cfg.Models, n.Model).Cost(used),
	}
	a.Stats.Summary(n.Kind, stats.Summary{
		Key: n.Key.String(), Session: n.Session, Upstream: n.Upstream, Model: n.Model, From: n.From, To: n.To,
		Tokens: n.Tokens, Seconds: n.Took.Seconds(), Spent: spent, Reason: n.Reason,
	})
	if n.Took > 0 || n.Kind == summarizer.NoticeDropped {
		a.Stats.Branches().Summarised(n.Key, n.To, spent, true)
	}
	a.Stats.SummaryGates(n.Found)
	if n.Pinned > 0 {
		a.log.Warn("pinned checkpoints leave a chat little of its window; unpin some (recap checkpoints pin --off) or take a larger window",
			"upstream", n.Upstream, "pinned", n.Pinned, "share", n.Share, "to", n.To)
	}
	switch n.Kind {
	case summarizer.NoticeReady:
		said := []any{
			"upstream", n.Upstream, "model", n.Model, "from", n.From, "to", n.To, "tokens", n.Tokens, "calls", n.Calls, "mode", n.Mode,
			"prompt", n.TokensIn, "cached", n.TokensCached, "ms", n.Took.Milliseconds(),
		}
		if len(n.Found) > 0 {
			said = append(said, "gates", n.Found)
		}
		a.log.Info("summary ready", said...)
	case summarizer.NoticeFailed:
		a.log.Warn("summary failed, the chat goes on as it was", "upstream", n.Upstream, "provider", n.Provider, "model", n.Model,
			"to", n.To, "reason", n.Reason, "inARow", n.Failures, "rests", n.Rest)
	default:
		a.log.Debug(n.Kind, "upstream", n.Upstream, "to", n.To)
	}
}

const learnedEvery = time.Minute

// learner is what learns from answers and should still know it after a restart.
type learner struct {
	setting string
	export  func() []byte
	load    func([]byte) error
	last    string // as it was stored
}

func (a *App) learners() []learner {
	return []learner{
		{setting: settingCalibration, export: a.counter.Export, load: a.counter.Import},
		{setting: settingWindows, export: a.windows.Export, load: a.windows.Import},
	}
}

// recallLearned takes up what earlier runs learned; losing it costs nothing but accuracy.
func (a *App) recallLearned(ctx context.Context) {
	for _, l := range a.learners() {
		saved, err := a.Store.Setting(ctx, l.setting, nil, false)
		if err == nil && len(saved) > 0 {
			err = l.load(saved)
		}
		if err != nil {
			a.log.Warn("what was learned before is lost", "of", l.setting, "error", err)
		}
	}
}

// keepLearned stores what is learned, now and then and at the end.
func (a *App) keepLearned(ctx context.Context) {
	defer close(a.saved)
	tick := time.NewTicker(learnedEvery)
	defer tick.Stop()
	list := a.learners()
	for i := range list {
		list[i].last = string(list[i].export())
	}
	for running := true; running; {
		select {
		case <-ctx.Done():
			running = false
		case <-tick.C:
		}
		for i := range list {
			a.keep(&list[i])
		}
	}
}

func (a *App) keep(l *learner) {
	now := string(l.export())
	if now == l.last {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if _, err := a.Store.Setting(ctx, l.setting, []byte(now), true); err != nil {
		a.Stats.StoreError("setting")
		a.log.Warn("what was learned is not kept", "of", l.setting, "error", err)
		return
	}
	l.last = now
}
