package pruning_test

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"recap/chat"
	"recap/pruning"
	"recap/tokens"
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

// replayed is what a replay measured, in tokens by the fixed measure; fixed stands for tools and a system prompt.
type replayed struct {
	all, sent, fresh, freshAll int
	breaks, requests           int
	used, visible              int // exact strings in later arguments that were known before, and those still visible
}

const fixedTokens = 15000

var exact = regexp.MustCompile(`[\w.@-]*/[\w./@-]+|\w+_\w+|[a-z]+[A-Z]\w+|\w+\.\w{1,4}\b|\b\d{2,}\b`)

// replay sends the requests of one run in order.
func replay(t *testing.T, p *pruning.Pruner, run []json.RawMessage, o *pruning.Options) replayed {
	var m replayed
	whole := decodeRun(t, run)
	weights := make([]int, len(run))
	for i := range run {
		weights[i] = tokens.Estimate(string(run[i]))
	}
	var before map[int]string
	known := map[string]bool{}
	for i, message := range whole.Messages {
		if message.Role == chat.Assistant && i > 0 {
			part := *whole
			part.Messages = whole.Messages[:i]
			got := p.Prune(&part, o, 128000, false)
			before = m.request(&part, weights, got, before)
			m.hindsight(&part, got, &message, known)
		}
		for _, word := range exact.FindAllString(message.Text()+resultsText(&message), -1) {
			known[word] = true
		}
	}
	return m
}

func resultsText(m *chat.Message) string {
	text := ""
	for i := range m.Results {
		text += "\n" + m.ResultText(i)
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

func (m *replayed) request(c *chat.Chat, weights []int, r pruning.Result, before map[int]string) map[int]string {
	now := map[int]string{}
	for _, t := range r.Trims {
		now[t.Message] = t.Text
	}
	kept := true
	m.requests++
	m.all += fixedTokens
	m.sent += fixedTokens
	for i := range c.Messages {
		w := weights[i]
		m.all += w
		if text, ok := now[i]; ok {
			w = w - tokens.ResultTokens(&c.Messages[i], 0) + tokens.Estimate(text)
		}
		m.sent += w
		if kept && now[i] != before[i] && i < len(c.Messages)-2 {
			kept = false
			m.breaks++
		}
		if !kept || i >= len(c.Messages)-2 {
			m.fresh += w
		}
		if i >= len(c.Messages)-2 {
			m.freshAll += weights[i]
		}
	}
	return now
}

// hindsight looks for the strings of the coming call that were known before.
func (m *replayed) hindsight(c *chat.Chat, r pruning.Result, next *chat.Message, known map[string]bool) {
	if len(next.Calls) == 0 {
		return
	}
	var b strings.Builder
	trims := map[int]string{}
	for _, t := range r.Trims {
		trims[t.Message] = t.Text
	}
	for i := range c.Messages {
		if text, ok := trims[i]; ok {
			b.WriteString(text)
			continue
		}
		b.WriteString(c.Messages[i].Text() + resultsText(&c.Messages[i]))
	}
	shown := b.String()
	for _, call := range next.Calls {
		for _, word := range exact.FindAllString(arguments(next, &call), -1) {
			if known[word] {
				m.used++
				if strings.Contains(shown, word) {
					m.visible++
				}
			}
		}
	}
}

func decodeRun(t testing.TB, run []json.RawMessage) *chat.Chat {
	t.Helper()
	body, err := json.Marshal(message{"model": "m", "messages": run})
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, string(body))
}

// G1, G2 on real runs: what budget sends, and what of the exact strings that are needed later stays visible. The share of
// tokens counts a fixed header of 15,000; prefill and cost are relative to sending everything. RECAP_TRACES=all
// reads all runs and prints the whole table with -v.
func TestG1G2RealRuns(t *testing.T) {
	list := runs(t)
	all := os.Getenv("RECAP_TRACES") == "all"
	for name := range list {
		if !all && name != "helm-array-merge-strategies.json.gz" {
			delete(list, name)
		}
	}
	f := func(name string, mostSent, leastSeen float64, o *pruning.Options) {
		t.Helper()
		p := pruning.New(10000)
		var sum replayed
		for _, run := range list {
			sum.add(replay(t, p, run, o))
		}
		sent := float64(sum.sent) / float64(sum.all)
		seen := float64(sum.visible) / float64(sum.used)
		cost := 1.25*float64(sum.fresh) + 0.1*float64(sum.sent-sum.fresh)
		costAll := 1.25*float64(sum.freshAll) + 0.1*float64(sum.all-sum.freshAll)
		t.Logf("%-20s sent %.3f prefill %.2f cost %.3f breaks/run %.1f hindsight %.4f", name, sent,
			float64(sum.fresh)/float64(sum.freshAll), cost/costAll, float64(sum.breaks)/float64(len(list)), seen)
		if sent > mostSent || seen < leastSeen {
			t.Errorf("%s: sent %.3f, want at most %.2f; hindsight %.4f, want at least %.2f", name, sent, mostSent, seen, leastSeen)
		}
	}
	f("budget", 0.55, 0.98, options(budget))
	if all {
		f("ratio", 1, 1, options())
		f("budget, no digest", 0.5, 0.95, options(budget, func(o *pruning.Options) { o.DigestChars = 0 }))
		f("budget, digest 800", 0.55, 0.99, options(budget, func(o *pruning.Options) { o.DigestChars = 800 }))
		f("budget, capped", 0.48, 0.98, options(budget, func(o *pruning.Options) { o.CapNewChars = 8000 }))
		f("budget, every request", 0.5, 0.95, options(budget, everyRequest))
	}
}

func (m *replayed) add(n replayed) {
	m.all += n.all
	m.sent += n.sent
	m.fresh += n.fresh
	m.freshAll += n.freshAll
	m.breaks += n.breaks
	m.requests += n.requests
	m.used += n.used
	m.visible += n.visible
}
