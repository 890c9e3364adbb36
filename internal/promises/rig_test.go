package promises_test

import (
	"bytes"
	"context"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"recap/cli"
	"recap/config"
	"recap/internal/fakellm"
	"recap/tokens"
)

func TestMain(m *testing.M) {
	_ = flag.Set("test.parallel", "4") // they wait half of their time; the command line still decides
	goleak.VerifyTestMain(m,
		// fasthttp keeps its clock and its buffers' sweepers for the life of the process.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*TCPDialer).tcpAddrsClean"),
	)
}

// rig is a Recap between a client and the strict upstream.
type rig struct {
	t   testing.TB
	up  *fakellm.Server
	app *cli.App
	url string
	log *logBuffer

	stop context.CancelFunc
	done chan error
}

// newRig starts an upstream and a Recap in front of it with a window of that many tokens (0: unknown).
func newRig(t testing.TB, window int, o fakellm.Options, change func(*config.Config)) *rig {
	t.Helper()
	r := &rig{t: t, up: fakellm.New(o), log: &logBuffer{}}
	t.Cleanup(r.up.Close)
	r.start(window, change)
	return r
}

func (r *rig) start(window int, change func(*config.Config)) {
	r.t.Helper()
	cfg := config.Default()
	cfg.Listen, cfg.Admin.Listen = "127.0.0.1:0", "127.0.0.1:0"
	cfg.Upstreams[0].URL = r.up.URL()
	cfg.Store.Kind, cfg.Store.Patience = "memory", patience
	if window > 0 {
		cfg.Models = []tokens.Model{{Match: "*", ContextWindow: window}}
	}
	if change != nil {
		change(cfg)
	}
	log := slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	ctx, stop := context.WithCancel(context.Background())
	app, err := cli.NewApp(ctx, cfg, log)
	if err != nil {
		r.t.Fatalf("start recap: %v", err)
	}
	r.app, r.url, r.stop, r.done = app, "http://"+app.Addr(), stop, make(chan error, 1)
	go func() { r.done <- app.Run(ctx) }()
	r.t.Cleanup(r.close)
}

// close stops Recap and waits for it; more than once is fine.
func (r *rig) close() {
	r.stop()
	select {
	case err, open := <-r.done:
		if open && err != nil {
			r.t.Errorf("recap ended with %v", err)
		}
		if open {
			close(r.done)
		}
	case <-time.After(patience):
		r.t.Error("recap did not stop")
	}
}

// answer is what a client got.
type answer struct {
	code   int
	header http.Header
	body   []byte
}

func (a *answer) status() string { return a.header.Get("X-Recap-Status") }

func (r *rig) do(method, path, body string, header ...string) answer {
	r.t.Helper()
	a, err := do(method, r.url+path, body, header...)
	if err != nil {
		r.t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

// do sends one request on a connection of its own.
func do(method, url, body string, header ...string) (answer, error) {
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	req.Close = true
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := client.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, text}, err
}

var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}}

var paths = map[string]string{"openai": "/v1/chat/completions", "ollama": "/api/chat"}

func (r *rig) chat(dialect string, body []byte, header ...string) answer {
	r.t.Helper()
	return r.do("POST", paths[dialect], string(body), header...)
}

// sent is the chat body that the upstream received last.
func (r *rig) sent() []byte { return r.up.LastChatBody() }

// patience bounds every wait for something that happens. A wait that takes it all has failed, however busy the machine.
const patience = time.Minute

// settle waits until no chat is being answered and no summary is queued or at work. It gives up where nothing moves any
// more: how long all of it takes is the machine's affair.
func (r *rig) settle() {
	r.t.Helper()
	for since, before := time.Now(), r.moved(); r.app.Busy(); time.Sleep(100 * time.Microsecond) {
		if time.Since(since) < patience {
			continue
		}
		now := r.moved()
		if now == before {
			r.t.Fatal("summaries do not come to an end")
		}
		since, before = time.Now(), now
	}
}

// moved grows with whatever is asked of the upstream or logged.
func (r *rig) moved() int { return len(r.up.Requests()) + len(r.log.String()) }

// until waits for something to be true.
func (r *rig) until(what string, is func() bool) {
	r.t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			r.t.Fatalf("%s: not within %s", what, patience)
		}
	}
}

// logBuffer collects what is logged.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// talk is a generated conversation and how far it has been sent.
func talk(seed uint64, turns, rounds int) *fakellm.Conversation {
	return fakellm.NewConversation(fakellm.ConversationOptions{
		Seed: seed, Turns: turns, Rounds: rounds, Parallel: 3, ResultChars: 600, TextChars: 250, Facts: 8,
	})
}

// drive sends a conversation point by point and checks each body that goes upstream.
func (r *rig) drive(dialect string, c *fakellm.Conversation, each func(point int, client []byte, a answer)) {
	r.t.Helper()
	for _, point := range c.Points() {
		body := c.Body(dialect, point)
		a := r.chat(dialect, body)
		if a.code != 200 {
			r.t.Fatalf("point %d: %d %s (%s)", point, a.code, a.body, a.status())
		}
		if err := fakellm.CheckKept(dialect, body, r.sent()); err != nil {
			r.t.Fatalf("point %d (%s): %v", point, a.status(), err)
		}
		if each != nil {
			each(point, body, a)
		}
		r.settle()
	}
	if refusals := r.up.Refusals(); len(refusals) > 0 {
		r.t.Errorf("%d refusals, first: %s", len(refusals), refusals[0])
	}
}

func has(header, word string) bool {
	return header == word || strings.HasPrefix(header, word+";")
}
