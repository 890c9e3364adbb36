package summarizer_test

import (
	"fmt"
	"strings"
	"testing"

	"recap/chat"
	"recap/summarizer"
	"recap/tokens"
)

// constantSentence is all that the worst of summarisers ever says.
const constantSentence = "The user and the assistant talked about several things."

// planting is a chat in which the facts of a language stand from a turn on, one a turn.
type planting struct {
	lang   string
	before int  // turns of filler before the facts
	after  int  // and behind them
	noisy  bool // the filler holds values of its own, in answers and tool results
}

func (p planting) chat() *builder {
	b := (&builder{}).user("Help me move our deployment to the new cluster.").assistant("Sure, tell me more.")
	p.fill(b, p.before, 0)
	for _, f := range plants[p.lang] {
		if f.before != "" {
			b.user(f.before).assistant("ok")
		}
	}
	for _, f := range plants[p.lang] {
		b.user(f.say).assistant("ok")
	}
	p.fill(b, p.after, p.before)
	return b
}

func (p planting) fill(b *builder, turns, from int) {
	text := fillers[p.lang]
	for i := from; i < from+turns; i++ {
		b.user(fmt.Sprintf("(%d) %s", i%10, text[0]))
		if p.noisy {
			b.assistant("", call{"c", "read_file", fmt.Sprintf(`{"path":"internal/pkg%d/file_%d.go"}`, i%17, i)})
			b.tool("read_file", strings.Repeat(fmt.Sprintf("line %d: handleRequest%d(ctx, id_%d) took %d ms at 0x%06x\n", i*31, i, i*7, i*13, i*99991), 8))
		}
		b.assistant(strings.Repeat(text[1], 6))
	}
}

// kept says how many of the facts of a language stand in a text, and names the lost and the contradicted ones: those of
// which the value that holds no more is there, and the one that holds is not.
func kept(lang, text string) (n int, lost, contradicted []string) {
	for _, f := range plants[lang] {
		switch {
		case strings.Contains(text, f.exact):
			n++
			continue
		case f.old != "" && strings.Contains(text, f.old):
			contradicted = append(contradicted, f.kind)
		}
		lost = append(lost, f.kind)
	}
	return n, lost, contradicted
}

// G10, m6: with a summariser that always says the same, the ledger alone keeps the facts of all twelve kinds, in seven
// languages, whatever their depth, over many compactions.
func TestG10ConstantSentence(t *testing.T) {
	total, all := 0, 0
	for _, lang := range sorted(plants) {
		for _, window := range []int{4096, 8192, 32768} {
			for _, p := range []planting{{lang, 0, 48, false}, {lang, 20, 28, false}, {lang, 44, 4, false}, {lang, 0, 48, true}, {lang, 24, 24, true}} {
				text, compactions := compacted(t, p.chat(), window)
				n, lost, contradicted := kept(lang, text)
				total, all = total+n, all+len(plants[lang])
				if compactions < 4 || len(contradicted) > 0 {
					t.Errorf("%+v, window %d: %d compactions, contradicted %v", p, window, compactions, contradicted)
				}
				if len(lost) > 0 {
					t.Logf("%+v, window %d: lost %v\n%s", p, window, lost, text)
				}
			}
		}
	}
	t.Logf("%d of %d kept", total, all)
	if total*100 < all*95 {
		t.Errorf("kept %d of %d planted facts, want 95 %%", total, all)
	}
}

// compacted has a chat compacted again and again, and returns the last checkpoint's text and ledger.
func compacted(t *testing.T, b *builder, window int) (text string, compactions int) {
	t.Helper()
	s := &stub{answer: func(string) (int, string) { return 200, constantSentence }}
	bubble(t, s, func(t *testing.T, r *rig) {
		step := len(b.list) / 6
		for n := step; n < len(b.list); n += step {
			cp := r.run(stubJob(b, n/2*2, func(j *summarizer.Job) { j.Window = window }))
			text = cp.Text + "\n" + cp.Ledger
			if size := tokens.Estimate(cp.Ledger); size > min(2600, window/10) {
				t.Errorf("window %d: ledger of %d tokens", window, size)
			}
			compactions++
		}
		cp := r.run(stubJob(b, len(b.list), func(j *summarizer.Job) { j.Window = window }))
		text = cp.Text + "\n" + cp.Ledger
		compactions++
	})
	return text, compactions
}

// eight are the facts of issue 3's run on the real engine, said in the first five turns.
var eight = []struct{ said, fact string }{
	{"My project lives in /srv/depot/ledger.toml, and its service listens on port 48213. Please remember that.", "/srv/depot/ledger.toml 48213"},
	{"The contract is worth 18,450.75 EUR and ends on 2027-03-19. Please remember that.", "18,450.75 2027-03-19"},
	{"We run version 4.17.2-rc3 and the build is f3a9c41d7e02. Please remember that.", "4.17.2-rc3 f3a9c41d7e02"},
	{"It stops with error E7731 when the disk is full. Please remember that.", "E7731"},
	{"Ask Zofia.Lipska@depot.example before anything is deleted. Please remember that.", "Zofia.Lipska@depot.example"},
}

// Issue 3, item 6: eight facts in the first five turns and 48 turns of filler, at a window of 2,048 tokens, where the
// ledger has 204.
func TestG10EightFactsInASmallWindow(t *testing.T) {
	f := func(lang string, window int) {
		t.Helper()
		b := &builder{}
		for _, e := range eight {
			b.user(e.said).assistant("Noted.")
		}
		planting{lang: lang}.fill(b, 48, 0)
		text, compactions := compacted(t, b, window)
		for _, e := range eight {
			for _, fact := range strings.Fields(e.fact) {
				if !strings.Contains(text, fact) {
					t.Errorf("%s, window %d, %d compactions: lost %s\n%s", lang, window, compactions, fact, text)
				}
			}
		}
	}
	for _, lang := range sorted(fillers) {
		f(lang, 2048)
		f(lang, 4096)
	}
}

// What a ledger of 10 % of a window can hold: of twelve facts in a window of 2,048 tokens not all, of one of 1,024 some.
// No figure here is a promise; it says what is reachable, and that nothing is ever contradicted.
func TestG10SmallestWindows(t *testing.T) {
	f := func(window, atLeast int) {
		t.Helper()
		total, all := 0, 0
		for _, lang := range sorted(plants) {
			for _, p := range []planting{{lang, 0, 48, false}, {lang, 24, 24, true}} {
				text, _ := compacted(t, p.chat(), window)
				n, _, contradicted := kept(lang, text)
				if total, all = total+n, all+len(plants[lang]); len(contradicted) > 0 {
					t.Errorf("%+v, window %d: contradicted %v\n%s", p, window, contradicted, text)
				}
			}
		}
		t.Logf("window %d: %d of %d kept", window, total, all)
		if total*100 < all*atLeast {
			t.Errorf("window %d: %d of %d kept, want %d %%", window, total, all, atLeast)
		}
	}
	f(3072, 95)
	f(2048, 88)
	f(1024, 45)
}

// N5, G10: a chain of rows loses no fact while it grows, when it is rewritten into one, or around a pinned row: what all
// rows of it hold is what goes into the request.
func TestG10ChainsLoseNoFact(t *testing.T) {
	f := func(lang string, window, rowTokens int, pin bool) {
		t.Helper()
		s := &stub{answer: func(string) (int, string) { return 200, constantSentence }}
		bubble(t, s, func(t *testing.T, r *rig) {
			b := planting{lang: lang, before: 4, after: 90}.chat()
			keys := b.keys()
			most, shrunk := 0, false
			var rows []chat.Checkpoint
			pinned := chat.Checkpoint{}
			for n := 10; n < len(b.list); n += 10 {
				cp := r.run(stubJob(b, n, func(j *summarizer.Job) { j.Window, j.Options.RowTokens = window, rowTokens }))
				rows = r.chain(cp, keys)
				shrunk = shrunk || len(rows) < most
				most = max(most, len(rows))
				if pin && n == 30 {
					r.pin(cp.Key, true)
					pinned = cp
				}
			}
			text := ""
			for _, row := range rows {
				text += row.Text + "\n" + row.Ledger + "\n"
			}
			if most < 2 || !shrunk && !pin {
				t.Errorf("%s, window %d: at most %d rows, shrunk %v", lang, window, most, shrunk)
			}
			if _, lost, _ := kept(lang, text); len(lost) > 0 {
				t.Errorf("%s, window %d, pin %v: lost %v in %d rows\n%s", lang, window, pin, lost, len(rows), text)
			}
			if pin && !strings.Contains(text, pinned.Ledger) {
				t.Errorf("%s: the pinned row is not carried", lang)
			}
		})
	}
	for _, lang := range sorted(plants) {
		f(lang, 8192, 250, false)
		f(lang, 8192, 250, true)
		f(lang, 16384, 500, false)
	}
}
