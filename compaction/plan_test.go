package compaction_test

import (
	"fmt"
	"strings"
	"testing"

	"recap/chat"
	"recap/compaction"
	"recap/config"
	"recap/internal/chattest"
	"recap/pruning"
	"recap/tokens"
)

// planner plans the next request of a chat whose messages but the newest round are known, as the middleware does between
// reading a body and splicing it.
type planner struct {
	world  *world
	chat   *chat.Chat
	known  *chat.Recall
	count  *tokens.Counter
	pruner *pruning.Pruner
}

// newPlanner makes an agent's chat of about 1 MB, in 85 turns of five rounds, and plans the request before the newest.
func newPlanner(t testing.TB, window int, change func(w *world)) *planner {
	t.Helper()
	list := chattest.OpenAI("S")
	for turn := range 85 {
		list = append(list, chattest.Message{"role": "user", "content": fmt.Sprintf("Please see to part %d of it.", turn)})
		for i := range 2 {
			id := fmt.Sprintf("c%d-%d", turn, i)
			args := fmt.Sprintf(`{"path":"src/part%d/file_%d.go"}`, turn, i)
			list = append(list,
				chattest.Message{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{
					"id": id, "type": "function", "function": map[string]any{"name": "read", "arguments": args},
				}}},
				chattest.Message{"role": "tool", "tool_call_id": id, "content": file(turn, i)})
		}
	}
	w := &world{
		t: t, dialect: "openai", body: chattest.Body(list), options: config.Default().Summarization,
		window: tokens.Window{Size: window, Source: "config"},
	}
	change(w)
	p := &planner{world: w, chat: w.decode(), count: tokens.NewCounter(nil), pruner: pruning.New(10000)}
	t.Cleanup(p.count.Close)
	p.known = &chat.Recall{}
	p.plan(len(p.chat.Messages)-2, nil, p.known)
	return p
}

// file is a text of about 6,000 characters with names and numbers.
func file(turn, i int) string {
	var b strings.Builder
	for n := 0; b.Len() < 6000; n++ {
		fmt.Fprintf(&b, "line %d: src/part%d/file_%d.go calls handleRequest%d with MAX_RETRIES=%d\n", n, turn, i, n*31+turn, n%7)
	}
	return b.String()
}

func (p *planner) plan(n int, before, after *chat.Recall) compaction.Decision {
	c := *p.chat
	c.Messages, c.Before, c.After = c.Messages[:n], before, after
	o := chat.NewOutline(&c)
	in := compaction.Input{
		Outline: o, Keys: chat.Keys(o, seed), Sizes: p.count.Sizes(&c, "up"), Window: p.world.window, Stored: p.world.stored,
		Options: &p.world.options,
	}
	if p.world.options.ContextPruning.Enabled {
		in.Prune = func(urgent bool) pruning.Result {
			return p.pruner.Prune(&c, &p.world.options.ContextPruning, p.world.window.Size, urgent)
		}
	}
	return compaction.Decide(in)
}

// next plans the newest request.
func (p *planner) next() compaction.Decision {
	return p.plan(len(p.chat.Messages), p.known, &chat.Recall{})
}

// plannings are the kinds of requests that are measured.
var plannings = []struct {
	name   string
	window int
	status chat.Status
	change func(w *world)
}{
	{"clear", 1_000_000, chat.Clear, func(*world) {}},
	{"ratio", 1_000_000, chat.Pruned, func(w *world) {
		w.options.ContextPruning.Enabled, w.options.ContextPruning.MinPrunableToolChars = true, 5000
	}},
	{"budget", 1_000_000, chat.Pruned, budgeted},
	{"checkpoint", 128_000, chat.Compacted, checkpointed},
	{"checkpoint and budget", 128_000, chat.Compacted, func(w *world) {
		budgeted(w)
		checkpointed(w)
	}},
}

func budgeted(w *world) {
	w.options.ContextPruning.Enabled, w.options.ContextPruning.Strategy = true, pruning.Budget
}

// checkpointed stores two checkpoints; with the second most of the chat leaves.
func checkpointed(w *world) {
	w.options.Trigger.Type, w.options.Trigger.Value = "token_count", 1e9
	text := strings.Repeat("The user asked for src/part7/file_1.go and MAX_RETRIES=3 was set. ", 100)
	w.stored = append(w.stored, w.checkpoint(200, text, w.window.Size), w.checkpoint(400, text, w.window.Size))
}

// Planning the next request of a known chat of 1 MB: at most 2 ms and 1 MB.
func BenchmarkPlanKnownMegabyte(b *testing.B) {
	for _, k := range plannings {
		b.Run(k.name, func(b *testing.B) {
			p := newPlanner(b, k.window, k.change)
			b.ReportAllocs()
			for b.Loop() {
				p.next()
			}
		})
	}
}
