package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
)

// turns is the length of the chat: three to four windows.
const turns = 60

// direct leaves Recap out, to try the harness against the engine alone: RECAP_E2E_DIRECT=1.
var direct = os.Getenv("RECAP_E2E_DIRECT") != ""

// TestSixtyTurns is issue 2's run on a real engine: no turn fails, no request exceeds the window (P3: also before
// the first summary is there), the model's own summaries are swapped in (P9), the upstream's prompt cache is kept
// between swaps (P6, E6), and what the user said first is still there at the end.
func TestSixtyTurns(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a real engine")
	}
	relay := startRelay(t, startEngine(t))
	base := relay.url
	var proxy *recap
	if !direct {
		proxy = startRecap(t, relay.url, settings{})
		base = proxy.url
	}
	checkTransparent(t, base, relay)
	history := converse(t, newChatter(base), turns, question)
	if direct {
		return
	}
	checkCache(t, history)
	checkWindow(t, history)
	checkEstimates(t, history)
	checkSummaries(t, history, relay, proxy.run(t, "checkpoints", "list"))
	checkFirstWords(t, relay)
}

// TestKeptConnections chats without the relay in between: llama-server closes each connection after a few requests, and
// no turn may fail for it (C16).
func TestKeptConnections(t *testing.T) {
	if testing.Short() || direct {
		t.Skip("starts a real engine behind Recap")
	}
	converse(t, newChatter(startRecap(t, startEngine(t), settings{}).url), 20, question)
}

// question is the user's n-th message: a fact worth keeping and something to answer.
func question(n int) string {
	towns := []string{"Gdynia", "Kraków", "Łódź", "Poznań", "Toruń", "Wrocław"}
	goods := []string{"bolts", "maps", "lamps", "ropes", "seeds"}
	if n == 0 {
		return "My name is Ada Kowal and my order number is KX-40713. I keep a list of depots. What is a depot?"
	}
	good := goods[n%len(goods)]
	return fmt.Sprintf("Please note that depot %d in %s holds %d boxes of %s, that its door code is %d-%c, and that its keeper can be "+
		"reached from %d to %d o'clock. What are %s used for?",
		100+n, towns[n%len(towns)], 7*n+3, good, 1000+37*n, 'A'+rune(n%26), 6+n%5, 14+n%7, good)
}

// converse chats for some turns or until the first failure. In direct mode it stops where the window is full.
func converse(t *testing.T, c *chatter, turns int, question func(n int) string) []turn {
	t.Helper()
	var history []turn
	for n := range turns {
		u, err := c.say(t.Context(), question(n))
		if err != nil {
			t.Fatal(err)
		}
		t.Log(u)
		if u.prompt+maxReply > window {
			t.Fatalf("turn %d: %d tokens of prompt and %d of reply exceed the window of %d", u.number, u.prompt, maxReply, window)
		}
		if direct && u.prompt+4*maxReply > window {
			t.Logf("without Recap the window is full after %d turns", u.number)
			break
		}
		history = append(history, u)
	}
	return history
}

// checkTransparent: P1, a path that is no chat goes through byte for byte, with its headers.
func checkTransparent(t *testing.T, base string, relay *relay) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/v1/models", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer e2e")
	req.Header.Set("X-Anything", "as it came")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	rec := relay.last(func(r *record) bool { return r.path == "/v1/models" && r.header.Get("X-Anything") != "" })
	switch {
	case rec == nil:
		t.Fatal("/v1/models did not reach the engine")
	case resp.StatusCode != rec.status || !bytes.Equal(body, rec.answer.Bytes()):
		t.Errorf("answer of /v1/models changed:\n got %d %s\nwant %d %s", resp.StatusCode, body, rec.status, rec.answer.Bytes())
	}
	for _, name := range []string{"Authorization", "X-Anything", "User-Agent", "Accept-Encoding"} {
		want := req.Header.Get(name)
		if want == "" { // net/http's own
			want = map[string]string{"User-Agent": "Go-http-client/1.1", "Accept-Encoding": "gzip"}[name]
		}
		if got := rec.header.Get(name); got != want {
			t.Errorf("header %s of /v1/models: got %q, want %q", name, got, want)
		}
	}
}

// checkCache: P6 as llama.cpp itself sees it. Between two swaps the engine still has nearly all of the prompt before.
func checkCache(t *testing.T, history []turn) {
	t.Helper()
	for i := 1; i < len(history); i++ {
		before, u := history[i-1], history[i]
		if u.status != before.status || u.checkpoint != before.checkpoint {
			continue
		}
		if u.cached < before.prompt*9/10 {
			t.Errorf("turn %d: the engine had %d tokens cached of the %d sent the turn before", u.number, u.cached, before.prompt)
		}
	}
}

// checkWindow: nothing in the file says the window, llama.cpp's own /props does (B1). The first turn does not wait for it.
func checkWindow(t *testing.T, history []turn) {
	t.Helper()
	for _, u := range history[1:] {
		if u.window != window || u.source != "upstream" {
			t.Errorf("turn %d: window %d from %q, want %d from the upstream", u.number, u.window, u.source, window)
		}
	}
}

// checkEstimates: what Recap says it sends is what the engine counts, within 3 % from the fourth turn on, also in the turn
// that swaps to another checkpoint and sends a text that nobody has counted yet.
func checkEstimates(t *testing.T, history []turn) {
	t.Helper()
	worst := 0.0
	for _, u := range history[3:] {
		worst = max(worst, u.off())
		if u.off() > 0.03 {
			t.Errorf("turn %d: %d tokens were announced, the engine counted %d: %.1f %% off, want 3", u.number, u.after, u.prompt, 100*u.off())
		}
	}
	t.Logf("announced tokens are at most %.1f %% off from the fourth turn on; the first turn's were %.1f %%", 100*worst, 100*history[0].off())
}

// checkSummaries: at least two checkpoints that the model wrote itself were sent, and the store lists them.
func checkSummaries(t *testing.T, history []turn, relay *relay, list string) {
	t.Helper()
	keys := map[string]bool{}
	for _, u := range history {
		if u.status == "compacted" && u.checkpoint != "" {
			keys[u.checkpoint] = true
		}
	}
	if len(keys) < 2 {
		t.Errorf("%d checkpoints of the model's own were sent, want at least 2", len(keys))
		for _, rec := range relay.summaries() {
			t.Logf("summary call: %s\nanswer: %d %s", rec.body, rec.status, rec.answer.Bytes())
		}
	}
	for key := range keys {
		if !strings.Contains(list, key) {
			t.Errorf("`recap checkpoints list` does not show %s:\n%s", key, list)
		}
	}
	for _, rec := range relay.summaries() {
		if rec.status != http.StatusOK && rec.status != 0 {
			t.Errorf("a summary call was answered %d: %s", rec.status, rec.answer.Bytes())
		}
	}
}

// checkFirstWords: the ledger carries the first user request to the end.
func checkFirstWords(t *testing.T, relay *relay) {
	t.Helper()
	last := relay.last(func(r *record) bool { return r.header.Get(turnHeader) != "" })
	if !strings.Contains(text(t, last.body), question(0)) {
		t.Errorf("the last request has lost the user's first words:\n%s", last.body)
	}
}

// text returns all message contents of a chat request.
func text(t *testing.T, body []byte) string {
	t.Helper()
	var chat struct {
		Messages []struct{ Content string }
	}
	if err := json.Unmarshal(body, &chat); err != nil {
		t.Fatalf("read request: %v", err)
	}
	var b strings.Builder
	for _, m := range chat.Messages {
		b.WriteString(m.Content + "\n")
	}
	return b.String()
}

// recordKey is the context key under which the relay keeps a request's record.
type recordKey struct{}

func withRecord(ctx context.Context, rec *record) context.Context {
	return context.WithValue(ctx, recordKey{}, rec)
}

func recordOf(ctx context.Context) *record { return ctx.Value(recordKey{}).(*record) }
