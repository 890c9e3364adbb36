package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"

	"github.com/valyala/fasthttp"

	"recap/config"
	"recap/dashboard"
	"recap/proxy"
	"recap/stats"
)

// explain answers the admin listener's POST /api/explain.
func (a *App) explain(ctx context.Context, q dashboard.Question) (any, error) {
	return a.compactor.Explain(ctx, q.Path, q.Body, q.Header)
}

// explainCmd tells what would be done to a request body.
type explainCmd struct {
	File   string `arg:"" help:"A request body, JSON; - reads standard input."`
	Path   string `help:"Path of the chat API: /v1/chat/completions or /api/chat." default:"/v1/chat/completions" placeholder:"PATH"`
	Format string `help:"text or json." enum:"text,json" default:"text"`
	Window int    `help:"The window in tokens, instead of asking the upstream." placeholder:"TOKENS"`

	Header []string `help:"A header of the request: an override, or the credential whose checkpoints count; again for more." placeholder:"NAME: VALUE" sep:"none"`
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
	q := explainQuestion{file: c.File, path: c.Path, format: c.Format}
	if q.header, err = c.header(); err != nil {
		return err
	}
	if path, err := storePath(cfg); err != nil || !exists(path) {
		cfg.Store.Kind = "memory" // explaining leaves no empty store behind
	}
	return explainBody(cfg, &q, s.in, s.out)
}

// header is that of the request that is explained.
func (c *explainCmd) header() (*fasthttp.RequestHeader, error) {
	h := &fasthttp.RequestHeader{}
	for _, line := range c.Header {
		name, value, ok := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, usage{errors.New(`read --header: want NAME: VALUE, like "Authorization: Bearer …"`)}
		}
		h.Add(name, strings.TrimSpace(value))
	}
	if c.Window > 0 {
		h.Set("X-Recap-Context-Window", strconv.Itoa(c.Window))
	}
	return h, nil
}

// explainQuestion is what `recap explain` was asked.
type explainQuestion struct {
	file, path, format string
	header             *fasthttp.RequestHeader // of the request
}

// explainBody prints what would be done to the request body in q.file ("-": in), as text or JSON. It reads the store and
// asks the upstream for its window, and changes nothing.
func explainBody(cfg *config.Config, q *explainQuestion, in io.Reader, out io.Writer) error {
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
	var bad *config.BadHeader
	if errors.As(err, &bad) {
		return usage{err}
	}
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
