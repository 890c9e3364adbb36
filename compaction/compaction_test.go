package compaction_test

import (
	"fmt"
	"strings"
	"testing"

	"recap/chat"
	"recap/compaction"
	"recap/config"
	"recap/dialect"
	"recap/internal/chattest"
	"recap/pruning"
	"recap/summarizer"
	"recap/tokens"
)

var seed = chat.Seed("tenant", "upstream", "recipe")

// world is one request with its settings and what the store knows.
type world struct {
	t       testing.TB
	dialect string
	body    string
	options summarizer.Options
	window  tokens.Window
	stored  []chat.Checkpoint
	side    bool
	force   bool
}

func newWorld(t testing.TB, notation string, window int) *world {
	return &world{
		t: t, dialect: "openai", body: chattest.OpenAIBody(notation),
		options: config.Default().Summarization, window: tokens.Window{Size: window, Source: "config"},
	}
}

func (w *world) decode() *chat.Chat {
	w.t.Helper()
	c, err := dialect.ByName(w.dialect).Decode(w.body, nil)
	if err != nil {
		w.t.Fatalf("decode: %v", err)
	}
	return c
}

func (w *world) input() compaction.Input {
	w.t.Helper()
	c := w.decode()
	o := chat.NewOutline(c)
	in := compaction.Input{
		Outline: o, Keys: chat.Keys(o, seed), Sizes: sizes(c), Window: w.window,
		Options: &w.options, Side: w.side, Force: w.force,
	}
	for _, cp := range w.stored {
		for _, k := range in.Keys {
			if k == cp.Key {
				in.Stored = append(in.Stored, cp)
			}
		}
	}
	if w.options.ContextPruning.Enabled {
		p := pruning.New(1000)
		in.Prune = func(urgent bool) pruning.Result {
			return p.Prune(c, &w.options.ContextPruning, w.window.Size, urgent)
		}
	}
	return in
}

func (w *world) decide() compaction.Decision {
	w.t.Helper()
	return compaction.Decide(w.input())
}

// sizes weighs by the fixed measure alone, so that a test can do sums.
func sizes(c *chat.Chat) tokens.Sizes {
	s := tokens.Sizes{}
	for i := range c.Messages {
		m := &c.Messages[i]
		n := 4 + tokens.Estimate(m.Text())
		for r := range m.Results {
			n += tokens.Estimate(m.ResultText(r))
		}
		for _, call := range m.Calls {
			n += tokens.Estimate(call.Name + call.Args.Of(m.Raw))
		}
		s.Messages = append(s.Messages, n)
		s.Fixed = append(s.Fixed, n)
	}
	return s
}

// checkpoint returns one that covers the first n messages of the world's chat.
func (w *world) checkpoint(n int, text string, windows ...int) chat.Checkpoint {
	w.t.Helper()
	in := w.input()
	return chat.Checkpoint{
		Key: in.Keys[n-1], From: 1, To: n, RowFrom: 1, Text: text, Tokens: tokens.Estimate(text), Windows: windows,
	}
}

// sent applies the decision's plan.
func (w *world) sent(d *compaction.Decision) string {
	w.t.Helper()
	c := w.decode()
	out, err := dialect.ByName(w.dialect).Apply(nil, c, &d.Plan)
	if err != nil {
		w.t.Fatalf("apply: %v", err)
	}
	return string(out)
}

// turns is a chat of n turns with answers of size characters, the last one still open.
func turns(n, size int) string {
	var list []string
	for range n {
		list = append(list, "U", fmt.Sprintf("A:%d", size))
	}
	return "S," + strings.Join(append(list, "U"), ",")
}

// rounds is a chat of one turn with n finished tool rounds of size characters each.
func rounds(n, size int) string {
	list := []string{"S", "U"}
	for i := range n {
		list = append(list, fmt.Sprintf("A(c%d)", i), fmt.Sprintf("T(c%d:%d)", i, size))
	}
	return strings.Join(list, ",")
}

func covers(d *compaction.Decision) int {
	if d.Used == nil {
		return 0
	}
	return d.Used.Cut.Covers
}
