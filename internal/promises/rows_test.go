package promises_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"recap/cache"
	"recap/chat"
	"recap/config"
	"recap/dialect"
	"recap/internal/fakellm"
	"recap/middleware"
	"recap/proxy"
	"recap/pruning"
	"recap/stats"
	"recap/summarizer"
	"recap/tokens"
)

// N1: a turn costs only its new messages: what was read before is not read again, and what it weighs is known; the
// text of the history is put together for a job alone.
func TestN1TurnCostsItsNewMessages(t *testing.T) {
	facts := chat.NewMemo[dialect.Print, *chat.Facts](10_000)
	counter := tokens.NewCounter(nil)
	defer counter.Close()
	decode := func(turns int) *chat.Chat {
		c, err := dialect.ByName("openai").Decode(string(plain(`{"role":"system","content":"S"}`, turns, 500, lastUser)), facts)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := decode(50)
	counter.Sizes(first, "u")
	for i := range first.Messages {
		if first.Messages[i].Weight.Load() == nil {
			t.Fatalf("message %d has no weight", i)
		}
	}
	next := decode(51)
	fresh := 0
	for i := range next.Messages {
		if next.Messages[i].Weight.Load() == nil {
			fresh++
		}
	}
	if fresh != 2 { // the last message is the same one
		t.Errorf("%d messages are new, want 2", fresh)
	}
	for i := range 100 {
		if next.Messages[i].Facts != first.Messages[i].Facts {
			t.Fatalf("message %d was read again", i)
		}
	}
}

// N2: the count trigger fires with more than 200 tokens and five finished turns, and one turn later than the answer.
func TestN2EpisodesThroughTheProxy(t *testing.T) {
	r := newRig(t, 4096, fakellm.Options{}, func(c *config.Config) {
		c.Summarization.Trigger = summarizer.Trigger{Type: "token_count", Value: 200, MinTurns: 5}
	})
	for n := 1; n <= 5; n++ {
		a := r.chat("openai", plain("", n, 500, lastUser))
		r.settle()
		if due := a.header.Get("X-Recap-Summary") == "due"; due != (n == 5) || (len(r.up.Summaries()) > 0) != (n == 5) {
			t.Errorf("%d finished turns: %q, %d calls", n, a.header.Get("X-Recap-Summary"), len(r.up.Summaries()))
		}
	}
}

// N4, N5, N6: rows that are full stay as they are; all are injected, oldest first, each with the messages it stands for.
func TestN5RowsThroughTheProxy(t *testing.T) {
	r := newRig(t, 8192, fakellm.Options{}, func(c *config.Config) { c.Summarization.RowTokens = 1 })
	row, most := regexp.MustCompile(`Messages (\d+)–(\d+):`), 0
	for n := 60; n < 160; n += 12 {
		a := r.chat("openai", plain("", n, 500, lastUser))
		next := 1
		rows := row.FindAllStringSubmatch(string(r.sent()), -1)
		for _, m := range rows {
			if m[1] != fmt.Sprint(next) {
				t.Errorf("%d turns: a row begins at %s, want %d", n, m[1], next)
			}
			next, _ = strconv.Atoi(m[2])
			next++
		}
		if said := fmt.Sprintf("covers=%d;rows=%d", next-1, len(rows)); len(rows) > 0 && !strings.HasSuffix(a.header.Get("X-Recap-Checkpoint"), said) {
			t.Errorf("%d turns: %s, want %s", n, a.header.Get("X-Recap-Checkpoint"), said)
		}
		most = max(most, len(rows))
		r.settle()
	}
	if most < 2 {
		t.Errorf("%d rows at most: the test proves nothing", most)
	}
}

// N12: through the proxy, a chat whose label is a number is mirrored.
func TestN12MirrorThroughTheProxy(t *testing.T) {
	memory := fakellm.New(fakellm.Options{})
	t.Cleanup(memory.Close)
	r := newRig(t, 4096, fakellm.Options{}, func(c *config.Config) { c.Store.Mirror = memory.URL() })
	for _, label := range []string{"42", "words"} {
		r.chat("openai", plain(`{"role":"user","content":"`+label+`"},{"role":"assistant","content":"x"}`, 40, 500, lastUser), "X-Recap-Session", label)
		r.settle()
	}
	r.close()
	got := memory.Find(func(q *fakellm.Recorded) bool { return q.Path == "/summaries" })
	if len(got) != 1 || got[0].Method != "POST" || !strings.Contains(string(got[0].Body), `"sessionId":42`) || !strings.Contains(string(got[0].Body), `"episodeRange":"1-`) {
		t.Errorf("%d calls of the memory service: %+v", len(got), got)
	}
}

// P3, N14: the summary call begins when the answer has ended, not before.
func TestP3N14JobsFollowTheAnswer(t *testing.T) {
	r := newRig(t, 4096, fakellm.Options{Reply: func(*fakellm.Recorded) fakellm.Reply {
		return fakellm.Reply{Text: strings.Repeat("word ", 30), Gap: 10e6}
	}}, nil)
	r.chat("openai", []byte(strings.Replace(string(plain("", 20, 500, lastUser)), `{"model"`, `{"stream":true,"model"`, 1)))
	r.settle()
	chats, calls := r.up.Chats(), r.up.Summaries()
	if len(chats) == 0 || len(calls) == 0 || calls[0].At.Before(chats[0].Ended) {
		t.Fatalf("%d chats, %d calls; want the call behind the answer's end", len(chats), len(calls))
	}
}

// L14: pruning works with summaries switched off, and says so; nothing else changes.
func TestL14PruningAlone(t *testing.T) {
	r := newRig(t, 200_000, fakellm.Options{}, func(c *config.Config) {
		c.Summarization.Enabled, c.Summarization.ContextPruning.Enabled = false, true
		c.Summarization.ContextPruning.Cadence = "everyRequest"
	})
	result := func(i int) string {
		return fmt.Sprintf(`{"role":"user","content":"q%d"},{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function","function":{"name":"f","arguments":"{}"}}]},`+
			`{"role":"tool","tool_call_id":"c%d","content":"%s"},{"role":"assistant","content":"a"}`, i, i, i, strings.Repeat("z", 60_000))
	}
	var list []string
	for i := range 10 {
		list = append(list, result(i))
	}
	body := plain(`{"role":"system","content":"S"}`, 0, 0, append(list, lastUser)...)
	a := r.chat("openai", body)
	sent := messages(t, r.sent())
	cleared, trimmed := 0, 0
	for _, m := range sent {
		if strings.Contains(m, "[Old tool result content cleared]") {
			cleared++
		} else if strings.Contains(m, "zzz") && len(m) < 5000 {
			trimmed++
		}
	}
	if !has(a.status(), "pruned") || len(sent) != 42 || cleared != 5 || trimmed != 2 { // the first golden case
		t.Errorf("status %q, %d messages, %d cleared, %d trimmed; want pruned, 42, 5, 2", a.status(), len(sent), cleared, trimmed)
	}
	if err := fakellm.CheckKept("openai", body, r.sent()); err != nil {
		t.Error(err)
	}
}

// L24: with the switch on, token counts and pruning are in the log; with it off they are not.
func TestL24Diagnostics(t *testing.T) {
	for _, on := range []bool{true, false} {
		r := newRig(t, 4096, fakellm.Options{}, func(c *config.Config) { c.Log.Diagnostics = on })
		r.chat("openai", plain("", 40, 500, lastUser))
		r.close()
		if got := strings.Contains(r.log.String(), "token counts"); got != on {
			t.Errorf("diagnostics %v: token counts in the log: %v", on, got)
		}
	}
}

// P7: another process on the same store, with nothing in memory, sends the same bytes.
func TestP7OtherReplica(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/recap.db"
	disk := func(c *config.Config) { c.Store.Kind, c.Store.Path = "sqlite", path }
	one, two := newRig(t, 8192, fakellm.Options{}, disk), newRig(t, 8192, fakellm.Options{}, disk)
	n, a := 60, answer{}
	for ; !has(a.status(), "compacted"); n++ { // until one was sent, calibration may decide
		if n > 80 {
			t.Fatalf("never compacted: %s", a.status())
		}
		a = one.chat("openai", plain("", n, 500, lastUser))
		one.settle()
	}
	name, _, _ := strings.Cut(strings.Trim(a.header.Get("X-Recap-Checkpoint"), `"`), `"`)
	key, err := chat.ParseKey(name)
	if err != nil {
		t.Fatal(err)
	}
	two.until("the other replica sees the mark", func() bool { // it looks twice a second for what others wrote
		list, err := two.app.Store.Find(t.Context(), []chat.Key{key})
		return err == nil && len(list) == 1 && list[0].SentFor(8192)
	})
	for range 5 {
		body := plain("", n, 500, lastUser)
		a, b := one.chat("openai", body), two.chat("openai", body)
		if got, want := string(two.sent()), string(one.sent()); got != want || !has(a.status(), "compacted") {
			t.Errorf("%d turns (%s, %s): the second sends %d bytes, the first %d", n, a.status(), b.status(), len(got), len(want))
		}
		n++
	}
}

// P8: what gains less than 2 % of the window is neither written nor sent, even when it is forced; the same chat in a
// small window is.
func TestP8TheMarginThroughTheProxy(t *testing.T) {
	f := func(window int, want string, calls int) {
		t.Helper()
		r := newRig(t, window, fakellm.Options{}, nil)
		a := r.chat("openai", plain("", 8, 300, lastUser), "X-Recap-Mode", "force")
		r.settle()
		if n := len(r.up.Summaries()); !has(a.status(), want) || n != calls {
			t.Errorf("window %d: status %q, %d calls; want %s, %d", window, a.status(), n, want, calls)
		}
	}
	f(100_000, "clear", 0)
	f(4096, "compacted", 1)
}

// panicking is a store that is broken in the worst way.
type panicking struct{ cache.Store }

func (panicking) Find(context.Context, []chat.Key) ([]chat.Checkpoint, error) { panic("store") }

// P2: a panic while the plan is made sends the original bytes, is counted, and its text stays out of the log.
func TestP2PanicInThePlanner(t *testing.T) {
	cfg := config.Default()
	cfg.Models = []tokens.Model{{Match: "*", ContextWindow: 4096}}
	store, log := cache.NewMemory(cache.Options{}), &logBuffer{}
	body, sent, status := string(plain("", 40, 500, lastUser)), "", ""
	d := middleware.Deps{
		Config: cfg, Store: panicking{store}, Queue: summarizer.NewQueue(summarizer.Deps{Store: store}),
		Counter: tokens.NewCounter(cfg.Models), Windows: tokens.NewWindows(cfg.Models, nil), Pruner: pruning.New(10),
		Tenant: middleware.NewTenant("credential", []byte("secret")), Stats: stats.New(), Log: slog.New(slog.NewTextHandler(log, nil)),
		Open:  func(*fasthttp.RequestCtx, int64) io.Reader { return strings.NewReader(body) },
		Bytes: proxy.Bytes, Decompress: proxy.DecodeBody,
		URL: func(_, path string) (string, error) { return "http://127.0.0.1:1" + path, nil },
		Relay: func(ctx *fasthttp.RequestCtx, call middleware.Call) {
			sent = string(call.Body)
			call.Header(&ctx.Response.Header, http.StatusOK)
			status = string(ctx.Response.Header.Peek("X-Recap-Status"))
			call.Ended(middleware.Outcome{Status: http.StatusOK, Complete: true})
		},
	}
	ctx := &fasthttp.RequestCtx{}
	ctx.Request.Header.SetMethod("POST")
	ctx.Request.SetRequestURI("/v1/chat/completions")
	c := middleware.NewCompactor(d)
	c.Handle(ctx)
	c.Close()
	d.Counter.Close()
	d.Windows.Close()
	if err := d.Queue.Close(t.Context()); err != nil {
		t.Error(err)
	}
	var shown strings.Builder
	d.Stats.WritePrometheus(&shown)
	if sent != body || status != "bypass;reason=panic" || !strings.Contains(shown.String(), "recap_panics_total 1") {
		t.Errorf("status %q, the body as it came: %v\n%.200s", status, sent == body, shown.String())
	}
	if text := log.String(); !strings.Contains(text, "panic") || strings.Contains(text, "question 1") {
		t.Errorf("the log says %.300s", text)
	}
	_ = store.Close()
}

// C21: with a key configured for the upstream, neither the chat nor its summary carries the client's.
func TestC21ConfiguredKeyForSummariesToo(t *testing.T) {
	r := newRig(t, 4096, fakellm.Options{}, func(c *config.Config) { c.Upstreams[0].APIKey = "SERVER" })
	r.chat("openai", plain("", 40, 500, lastUser), "Authorization", "Bearer CLIENT", "X-Api-Key", "CLIENT", "Cookie", "sid=CLIENT")
	r.settle()
	if len(r.up.Summaries()) == 0 {
		t.Fatal("no summary call")
	}
	for _, q := range r.up.Find(func(q *fakellm.Recorded) bool { return q.Chat }) {
		if q.Header.Get("Authorization") != "Bearer SERVER" || strings.Contains(q.Header.Get("X-Api-Key"), "CLIENT") {
			t.Errorf("summary %v: Authorization %q, X-Api-Key %q", q.Summary, q.Header.Get("Authorization"), q.Header.Get("X-Api-Key"))
		}
	}
}

// C4: no option of ours asks the upstream for usage: the three ways of saying it leave as they came.
func TestC4UsageIsNotAskedFor(t *testing.T) {
	r := newRig(t, 100_000, fakellm.Options{}, nil)
	for _, options := range []string{"", `"stream_options":{"include_usage":false},`, `"stream_options":{"include_usage":true},`} {
		body := `{"stream":true,` + options + `"model":"fake-model","messages":[{"role":"user","content":"hi"}]}`
		a := r.chat("openai", []byte(body))
		if asked := strings.Contains(options, "true"); string(r.sent()) != body || strings.Contains(string(a.body), `"choices":[]`) != asked {
			t.Errorf("%s: sent %s, answer %s", options, r.sent(), a.body)
		}
	}
}
