package workload

import (
	"fmt"
	"strings"

	"recap/internal/fakellm"
)

// Chat is W1: a chat of so many turns without tools, facts planted and updated.
func Chat(seed uint64, turns int) Run {
	w := newWriter("W1", seed)
	p := newPlanting(w, turns)
	var said []fakellm.Said
	for turn := range turns {
		text := w.prose(w.between(60, 400))
		if w.chance(0.1) {
			text += " " + w.foreign(80)
		}
		said = append(said,
			user(text+p.say(turn, len(said))),
			assistant(w.prose(w.between(150, 900))))
	}
	r := grown("W1", fmt.Sprintf("chat of %d turns", turns), "openai", newLine("openai", fakellm.ConversationOptions{}, said))
	r.Facts = p.facts
	return r
}

// RAG is W2: 5 to 20 passages of 1,000 to 2,000 tokens a turn, taken from a pool so that they overlap.
func RAG(seed uint64, turns int) Run {
	w := newWriter("W2", seed)
	pool := make([]string, 40)
	for i := range pool {
		pool[i] = fmt.Sprintf("[document %d] %s", 100+i, w.prose(w.between(4000, 8000)))
	}
	var said []fakellm.Said
	for range turns {
		var b strings.Builder
		b.WriteString("Answer with these passages.\n\n")
		for range w.between(5, 20) {
			b.WriteString(w.pick(pool) + "\n\n")
		}
		said = append(said, user(b.String()+w.prose(100)), assistant(w.prose(w.between(300, 1200))))
	}
	return grown("W2", fmt.Sprintf("retrieval, %d turns", turns), "openai", newLine("openai", fakellm.ConversationOptions{}, said))
}

func user(text string) fakellm.Said      { return fakellm.Said{Role: "user", Text: text} }
func assistant(text string) fakellm.Said { return fakellm.Said{Role: "assistant", Text: text} }

// grown is a run whose client sends one line from its first message to its last.
func grown(kind, name, dialect string, l *Line) Run {
	r := Run{Kind: kind, Name: name, Dialect: dialect}
	for _, n := range l.points() {
		r.Steps = append(r.Steps, Step{Line: l, UpTo: n, Parent: -1})
	}
	return r
}

// points are the numbers of messages that a client sends in one request each: all before an assistant message.
func (l *Line) points() []int {
	var list []int
	for i, role := range l.Roles {
		if role == "assistant" && i > 0 {
			list = append(list, i)
		}
	}
	if n := len(l.Roles); n > 0 && l.Roles[n-1] != "assistant" {
		list = append(list, n)
	}
	return list
}
