package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// facts are planted in the first five turns: what must not get lost.
var facts = []struct{ said, fact string }{
	{"My project lives in /srv/depot/ledger.toml, and its service listens on port 48213.", "/srv/depot/ledger.toml"},
	{"", "48213"},
	{"The contract is worth 18,450.75 EUR and ends on 2027-03-19.", "18,450.75"},
	{"", "2027-03-19"},
	{"We run version 4.17.2-rc3 and the build is f3a9c41d7e02.", "4.17.2-rc3"},
	{"", "f3a9c41d7e02"},
	{"It stops with error E7731 when the disk is full.", "E7731"},
	{"Ask Zofia.Lipska@depot.example before anything is deleted.", "Zofia.Lipska@depot.example"},
}

// plant returns the first five user messages.
func plant() (said []string) {
	for _, f := range facts {
		if f.said != "" {
			said = append(said, f.said+" Please remember that.")
		}
	}
	return said
}

// fillers is how many turns without any fact follow, fillerText one of them: plain words, no names, no numbers.
const fillers = 48

func fillerText(n int) string {
	things := []string{"a warm coat", "a wooden bridge", "the sea in winter", "an old clock", "a garden wall", "fresh bread", "a quiet street"}
	people := []string{"a sailor", "a teacher", "a gardener", "a baker", "a nurse"}
	thing, person := things[n%len(things)], people[n%len(people)]
	return fmt.Sprintf("Let us talk about something else for a while. Yesterday %s told me a long story about %s, and how it had been "+
		"looked after with patience through many seasons, in rain and in snow, by people who loved it and who never grew tired of "+
		"it. I liked that story very much, because it was told slowly and without any hurry. What would %s say about %s today?",
		person, thing, person, thing)
}

// constant is all that the worst of summarisers has to say.
const constant = "The user and the assistant talked about several things."

// startConstant is a summariser that answers the same sentence whatever it is asked.
func startConstant(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"object":"chat.completion","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%q}}],
			"usage":{"prompt_tokens":100,"completion_tokens":10,"total_tokens":110}}`, constant)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestPlantedFacts is issue 3's run: eight facts in the first five turns, forty-eight turns of small talk, four
// compactions or more, and every fact is still in the request at the end (P9, G10).
func TestPlantedFacts(t *testing.T) {
	if testing.Short() || direct {
		t.Skip("starts a real engine behind Recap")
	}
	f := func(name string, s settings) {
		t.Run(name, func(t *testing.T) {
			relay := startRelay(t, startEngine(t))
			said := plant()
			history := converse(t, newChatter(startRecap(t, relay.url, s).url), len(said)+fillers, func(n int) string {
				if n < len(said) {
					return said[n]
				}
				return fillerText(n)
			})
			checkFacts(t, history, relay)
		})
	}
	f("checkpoint", settings{summarization: []string{"style: checkpoint"}})
	f("narrative", settings{summarization: []string{"style: narrative"}})
	f("constant", settings{
		summarization: []string{"provider: constant", "model: constant"},
		blocks:        []string{fmt.Sprintf("providers: [{name: constant, dialect: openai, url: %s/v1}]", startConstant(t))},
	})
}

func checkFacts(t *testing.T, history []turn, relay *relay) {
	t.Helper()
	steps := 0
	for i := 1; i < len(history); i++ {
		if history[i].checkpoint != "" && history[i].checkpoint != history[i-1].checkpoint {
			steps++
		}
	}
	if steps < 4 {
		t.Errorf("%d compactions, want at least 4", steps)
	}
	last := text(t, relay.last(func(r *record) bool { return r.header.Get(turnHeader) != "" }).body)
	for _, f := range facts {
		if !strings.Contains(last, f.fact) {
			t.Errorf("after %d compactions the last request has lost %q:\n%s", steps, f.fact, last)
		}
	}
	t.Logf("%d compactions, %d tokens in the last request, %d summary calls", steps, history[len(history)-1].prompt, len(relay.summaries()))
}
