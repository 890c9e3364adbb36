package pruning_test

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"recap/chat"
	"recap/pruning"
)

// runs reads the real agent runs beside the project; without them the test is skipped.
func runs(t testing.TB) map[string][]json.RawMessage {
	t.Helper()
	files, _ := filepath.Glob("../../shared/traces/*.json.gz")
	if len(files) == 0 {
		t.Skip("no ../shared/traces")
	}
	list := map[string][]json.RawMessage{}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		var run struct{ Messages []json.RawMessage }
		if err := json.NewDecoder(z).Decode(&run); err != nil {
			t.Fatal(err)
		}
		f.Close()
		list[filepath.Base(file)] = run.Messages
	}
	return list
}

// replayed is what a replay measured (m1–m3, m7 of evaluation.md), in tokens of four characters, as its table counts
// them; every request has a header of fixedTokens in front.
type replayed struct {
	runs, breaks    int
	all, sent       int // tokens from the client, tokens upstream
	freshAll, fresh int // those of them that no kept prefix covers
	used, visible   int // exact strings in later arguments that were known before, and those still visible
}

const fixedTokens = 15000

var exact = regexp.MustCompile(`[\w.@-]*/[\w./@-]+|\w+_\w+|[a-z]+[A-Z]\w+|\w+\.\w{1,4}\b|\b\d{2,}\b`)

// sample is a run prepared for replays.
type sample struct {
	chat    *chat.Chat
	texts   []string // what each message shows
	weights []int
	uses    [][]string // exact strings in each message's arguments that were known before it
}

func newSample(t testing.TB, run []json.RawMessage) *sample {
	s := &sample{chat: decodeRun(t, run)}
	known := map[string]bool{}
	for i := range s.chat.Messages {
		m := &s.chat.Messages[i]
		text := m.Text() + resultsText(m)
		s.texts = append(s.texts, text)
		s.weights = append(s.weights, quarter(text))
		var uses []string
		for _, c := range m.Calls {
			for _, word := range exact.FindAllString(arguments(m, &c), -1) {
				if known[word] {
					uses = append(uses, word)
				}
			}
		}
		s.uses = append(s.uses, uses)
		for _, word := range exact.FindAllString(text, -1) {
			known[word] = true
		}
	}
	return s
}

func quarter(text string) int { return utf8.RuneCountInString(text) / 4 }

func resultsText(m *chat.Message) string {
	text := ""
	for i := range m.Results {
		text += m.ResultText(i)
	}
	for _, c := range m.Calls {
		text += "\n" + arguments(m, &c)
	}
	return text
}

// arguments returns a call's arguments with the line breaks of their strings as such.
func arguments(m *chat.Message, c *chat.Call) string {
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`).Replace(chat.Unquote(c.Args.Of(m.Raw)))
}

// replay sends the requests of one run in order: one before each answer.
func (m *replayed) replay(p *pruning.Pruner, s *sample, o *pruning.Options) {
	m.runs++
	var before map[int]string
	sent := 0 // messages of the request before
	for i := 1; i < len(s.chat.Messages); i++ {
		if s.chat.Messages[i].Role != chat.Assistant {
			continue
		}
		now := map[int]string{}
		for _, t := range p.Prune(upTo(s.chat, i), o, 128000, false).Trims {
			now[t.Message] = t.Text
		}
		m.request(s, now, before, sent, i)
		m.hindsight(s, now, i)
		before, sent = now, i
	}
}

// request weighs the request of n messages whose first ones were sent before.
func (m *replayed) request(s *sample, now, before map[int]string, sent, n int) {
	m.all += fixedTokens
	m.sent += fixedTokens
	if sent == 0 {
		m.fresh += fixedTokens
		m.freshAll += fixedTokens
	}
	kept := true
	for i, w := range s.weights[:n] {
		m.all += w
		if i >= sent {
			m.freshAll += w
		} else if kept && now[i] != before[i] {
			kept = false
			m.breaks++
		}
		if text, ok := now[i]; ok {
			w = quarter(text)
		}
		m.sent += w
		if !kept || i >= sent {
			m.fresh += w
		}
	}
}

// hindsight looks for the strings that the n-th message's calls will use.
func (m *replayed) hindsight(s *sample, now map[int]string, n int) {
	for _, word := range s.uses[n] {
		m.used++
		for i := n - 1; i >= 0; i-- {
			text, ok := now[i]
			if !ok {
				text = s.texts[i]
			}
			if strings.Contains(text, word) {
				m.visible++
				break
			}
		}
	}
}

// shares returns the metrics as evaluation.md's table has them.
func (m *replayed) shares() (sent, prefill, cost, breaks, hindsight float64) {
	share := func(a, b int) float64 { return float64(a) / float64(b) }
	price := func(fresh, all int) float64 { return 1.25*float64(fresh) + 0.1*float64(all-fresh) }
	return share(m.sent, m.all), share(m.fresh, m.freshAll), price(m.fresh, m.sent) / price(m.freshAll, m.all),
		share(m.breaks, m.runs), share(m.visible, m.used)
}

func decodeRun(t testing.TB, run []json.RawMessage) *chat.Chat {
	t.Helper()
	body, err := json.Marshal(message{"model": "m", "messages": run})
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, string(body))
}

// G1, G2 on real runs: what budget sends, and what of the exact strings that are needed later stays visible.
// RECAP_TRACES=all reads all runs and prints the whole table with -v.
func TestG1G2RealRuns(t *testing.T) {
	list := runs(t)
	all := os.Getenv("RECAP_TRACES") == "all"
	samples := map[string]*sample{}
	for name, run := range list {
		if all || name == "helm-array-merge-strategies.json.gz" {
			samples[name] = newSample(t, run)
		}
	}
	f := func(name string, mostSent, mostPrefill, mostCost, leastSeen float64, o *pruning.Options) {
		t.Helper()
		p := pruning.New(10000)
		var sum replayed
		for _, s := range samples {
			sum.replay(p, s, o)
		}
		sent, prefill, cost, breaks, seen := sum.shares()
		t.Logf("%-26s sent %.3f prefill %.2f cost %.3f breaks/run %.1f hindsight %.4f", name, sent, prefill, cost, breaks, seen)
		if sent > mostSent || prefill > mostPrefill || cost > mostCost || seen < leastSeen {
			t.Errorf("%s: want at most %.2f sent, %.2f prefill, %.2f cost, and %.2f hindsight", name, mostSent, mostPrefill, mostCost, leastSeen)
		}
	}
	capped := func(o *pruning.Options) { o.CapNewChars = 8000 }
	f("budget (G2)", 0.48, 1.5, 0.6, 0.99, options(budget))
	f("budget, capped (G1)", 0.42, 1, 0.5, 0.98, options(budget, capped))
	if all {
		noDigest := func(o *pruning.Options) { o.DigestChars = 0 }
		f("ratio", 1, 1, 1, 1, options())
		f("budget, no digest", 0.5, 1.5, 0.6, 0.95, options(budget, noDigest))
		f("budget, digest 800", 0.5, 1.5, 0.6, 0.99, options(budget, func(o *pruning.Options) { o.DigestChars = 800 }))
		f("budget, capped, no digest", 0.48, 1, 0.5, 0.95, options(budget, capped, noDigest))
		f("budget, every request", 0.5, 9, 1.5, 0.95, options(budget, everyRequest))
	}
}
