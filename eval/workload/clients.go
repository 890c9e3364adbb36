package workload

import (
	"fmt"

	"recap/internal/fakellm"
)

// Clients is W8: a client that compacts by itself, one that drops its oldest messages, one with a clock in its prompt.
func Clients(seed uint64, turns int) []Run {
	w := newWriter("W8", seed)
	return []Run{w.compacting(turns), w.sliding(turns), w.clock(turns)}
}

func (w *writer) turns(said []fakellm.Said, n int) []fakellm.Said {
	for range n {
		said = append(said, user(w.prose(w.between(60, 300))+" See "+w.path()+"."), assistant(w.prose(w.between(200, 800))))
	}
	return said
}

// compacting replaces all but the last four messages by a summary of its own, every twenty turns.
func (w *writer) compacting(turns int) Run {
	r := Run{Kind: "W8", Name: "a client that compacts by itself", Dialect: "openai"}
	said := []fakellm.Said(nil)
	for thread := 0; turns > 0; thread++ {
		n := min(turns, 20)
		from := len(said) + 1
		said = w.turns(said, n)
		l := newLine("openai", fakellm.ConversationOptions{}, said)
		for at := from; at < len(l.Raw); at += 2 {
			parent := -1
			if at == from && thread > 0 {
				parent = len(r.Steps) - 1
			}
			r.Steps = append(r.Steps, Step{Line: l, UpTo: at, Thread: thread, Parent: parent})
		}
		own := user("Summary of our conversation so far: " + w.prose(400))
		said = append([]fakellm.Said{own, assistant("Understood.")}, said[len(said)-4:]...)
		turns -= n
	}
	return r
}

// sliding sends the last thirty messages only.
func (w *writer) sliding(turns int) Run {
	r := Run{Kind: "W8", Name: "a client that drops its oldest messages", Dialect: "openai"}
	l := newLine("openai", fakellm.ConversationOptions{}, w.turns(nil, turns))
	for n := 1; n < len(l.Raw); n += 2 {
		from := max(n-31, 0)
		thread := max(from-1, 0) // once messages leave, each request is a history of its own
		r.Steps = append(r.Steps, Step{Line: l, From: from, UpTo: n, Thread: thread, Parent: len(r.Steps) - 1})
	}
	return r
}

// clock has the hour in its system prompt: no two requests begin with the same bytes.
func (w *writer) clock(turns int) Run {
	r := grown("W8", "a clock in the system prompt", "openai", newLine("openai", fakellm.ConversationOptions{}, w.turns(nil, turns)))
	for i := range r.Steps {
		r.Steps[i].Clock = fmt.Sprintf("It is %02d:%02d. ", 8+i/60, i%60)
	}
	return r
}
