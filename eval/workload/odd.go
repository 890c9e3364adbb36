package workload

import (
	"fmt"
	"strings"

	"recap/internal/fakellm"
)

// Odd is W7: what breaks naive cuts. Each run has one oddity, in one format; size is the number of turns.
func Odd(seed uint64, turns int) []Run {
	w := newWriter("W7", seed)
	runs := []Run{
		w.large(turns, "user", "a message larger than the window"),
		w.large(turns, "tool", "results of 150,000 characters"),
		w.scripts(turns),
	}
	for _, dialect := range []string{"openai", "ollama"} {
		base := fakellm.ConversationOptions{Seed: seed, Turns: turns, Rounds: 4, Parallel: 3, ResultChars: 1500, TextChars: 300, NoSystem: true}
		runs = append(runs, generated("images, lists of parts, white space", dialect, base, func(o *fakellm.ConversationOptions) {
			o.Media, o.Parts, o.Spaced = true, 0.4, 0.3
		}))
		if dialect == "openai" {
			runs = append(runs, generated("legacy function calls", dialect, base, func(o *fakellm.ConversationOptions) { o.Legacy = true }))
		} else {
			runs = append(runs, generated("results without ids", dialect, base, func(o *fakellm.ConversationOptions) { o.NoIDs = true }))
		}
	}
	return runs
}

func generated(name, dialect string, o fakellm.ConversationOptions, change func(*fakellm.ConversationOptions)) Run {
	change(&o)
	c := fakellm.NewConversation(o)
	return grown("W7", name+", "+dialect, dialect, lineOf(dialect, c.Body(dialect, len(c.Messages))))
}

// large has one text of 150,000 characters every fourth turn.
func (w *writer) large(turns int, role, name string) Run {
	var said []fakellm.Said
	var seen []string
	for turn := range turns {
		text := w.prose(200)
		if role == "user" && turn%4 == 1 {
			text += strings.Repeat(w.prose(1000)+"\n", 150)
		}
		said = append(said, user(text))
		if role == "tool" {
			id := fmt.Sprintf("call_%d", turn)
			size := 800
			if turn%4 == 1 {
				size = 150_000
			}
			said = append(said,
				fakellm.Said{Role: "assistant", Calls: []fakellm.ToolCall{{ID: id, Name: "run", Args: `{"command":"make"}`}}, Content: fakellm.Null(turn % 3)},
				fakellm.Said{Role: "tool", ID: id, Name: "run", Text: w.code(size, &seen)})
		}
		said = append(said, assistant(w.prose(400)))
	}
	return grown("W7", name, "openai", newLine("openai", fakellm.ConversationOptions{}, said))
}

// scripts is a chat in scripts of which each cut falls into the middle of something.
func (w *writer) scripts(turns int) Run {
	var said []fakellm.Said
	for turn := range turns {
		id := fmt.Sprintf("call_%d", turn)
		said = append(said, user(w.foreign(300)),
			fakellm.Said{Role: "assistant", Calls: []fakellm.ToolCall{{ID: id, Name: "run", Args: `{"command":"ls"}`}}},
			fakellm.Said{Role: "tool", ID: id, Name: "run", Text: strings.Repeat(w.foreign(400), 8)},
			assistant(w.foreign(600)))
	}
	return grown("W7", "CJK, emoji and combining marks", "openai", newLine("openai", fakellm.ConversationOptions{}, said))
}
