package e2e

import (
	"regexp"
	"strconv"
	"testing"
)

// TestSuffixMode measures what a summary costs an engine with one slot, in both modes. A transcript is a prompt of its
// own: it evicts the chat from the slot, and the next turn is read from its beginning. In suffix mode the
// summary call begins with the chat as it was sent. The trigger is lower than in the other tests: chat, instruction and
// summary have to fit the window together.
func TestSuffixMode(t *testing.T) {
	if testing.Short() || direct {
		t.Skip("starts a real engine behind Recap")
	}
	f := func(mode string) (calls, chat reading) {
		t.Helper()
		t.Run(mode, func(t *testing.T) {
			relay := startRelay(t, startEngine(t))
			proxy := startRecap(t, relay.url, settings{ratio: 0.6, summarization: []string{"mode: " + mode, "maxSummaryTokens: 120"}})
			converse(t, newChatter(proxy.url), 40, question)
			calls, chat = relay.reading(t)
			t.Logf("%-10s %s by summary calls, %s by chat requests", mode, calls, chat)
		})
		return calls, chat
	}
	transcript, around := f("transcript")
	suffix, chat := f("suffix")
	if suffix.requests == 0 || transcript.requests == 0 {
		t.Fatalf("%d and %d summary calls", transcript.requests, suffix.requests)
	}
	if suffix.cached*2 < suffix.prompt {
		t.Errorf("summary calls in suffix mode: %s, want at least half from the cache", suffix)
	}
	t.Logf("tokens read in all: transcript %d, suffix %d", transcript.read()+around.read(), suffix.read()+chat.read())
}

// reading is what the engine's own timings say of some requests.
type reading struct {
	requests       int
	prompt, cached int64 // tokens
}

func (r reading) read() int64 { return r.prompt - r.cached }

func (r reading) String() string {
	return strconv.Itoa(r.requests) + " requests, " + strconv.FormatInt(r.prompt, 10) + " tokens of prompt, " +
		strconv.FormatInt(r.cached, 10) + " of them cached"
}

var (
	promptN = regexp.MustCompile(`"prompt_n":(\d+)`) // tokens read
	cacheN  = regexp.MustCompile(`"cache_n":(\d+)`)  // tokens found in the cache
)

// reading sums the engine's timings, of summary calls and of the chat's own requests.
func (r *relay) reading(t *testing.T) (calls, chat reading) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, rec := range r.records {
		read, cached := promptN.FindSubmatch(rec.answer.Bytes()), cacheN.FindSubmatch(rec.answer.Bytes())
		if rec.status != 200 || read == nil || cached == nil {
			continue
		}
		sum := &chat
		if rec.header.Get(turnHeader) == "" {
			sum = &calls
		}
		sum.requests++
		for _, m := range [][][]byte{read, cached} {
			n, err := strconv.ParseInt(string(m[1]), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			sum.prompt += n
		}
		n, _ := strconv.ParseInt(string(cached[1]), 10, 64)
		sum.cached += n
	}
	return calls, chat
}
