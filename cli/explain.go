package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"

	"recap/config"
	"recap/dashboard"
	"recap/proxy"
	"recap/stats"
)

// explain answers the admin listener's POST /api/explain.
func (a *App) explain(ctx context.Context, q dashboard.Question) (any, error) {
	return a.compactor.Explain(ctx, q.Path, q.Body, q.Header)
}

// explainQuestion is what `recap explain` was asked.
type explainQuestion struct {
	file, path, format string
	window             int // tokens; 0 = ask the upstream
}

// header gives the request headers that stand for the command's flags.
func (q *explainQuestion) header(name string) string {
	if q.window > 0 && name == "X-Recap-Context-Window" {
		return strconv.Itoa(q.window)
	}
	return ""
}

// explainBody prints what would be done to the request body in q.file ("-": in), as text or JSON. It reads the store and
// asks the upstream for its window, and changes nothing.
func explainBody(cfg *config.Config, q explainQuestion, in io.Reader, out io.Writer) error {
	body, err := readFileOr(q.file, in)
	if err != nil {
		return err
	}
	ctx := context.Background()
	a := &App{cfg: cfg, log: slog.New(slog.DiscardHandler), Stats: stats.New()}
	if a.client, err = proxy.New(cfg.Upstreams, proxy.Options{Limits: cfg.Limits}); err != nil {
		return usage{fmt.Errorf("open upstreams: %w", err)}
	}
	a.openStore(ctx)
	if err := a.wire(ctx); err != nil {
		return err
	}
	defer a.unwire(ctx)
	e, err := a.compactor.Explain(ctx, q.path, body, q.header)
	if err != nil {
		return err
	}
	if q.format == "json" {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		return enc.Encode(e)
	}
	return e.Write(out)
}

// unwire frees what wire made, where nothing was served.
func (a *App) unwire(ctx context.Context) {
	_ = a.queue.Close(ctx)
	a.counter.Close()
	a.windows.Close()
	_ = a.client.Close()
	_ = a.Store.Close()
}

func readFileOr(file string, in io.Reader) (string, error) {
	if file == "-" {
		b, err := io.ReadAll(in)
		if err != nil {
			return "", fmt.Errorf("read standard input: %w", err)
		}
		return string(b), nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read request body: %w", err)
	}
	return string(b), nil
}
