package workload

import (
	"fmt"

	"recap/internal/fakellm"
)

// Branches is W5: a chat of so many turns is edited in the middle, an answer is made anew, the chat is forked and
// rewound across what a checkpoint covers, and both branches go on in turns.
func Branches(seed uint64, turns int) Run {
	b := &brancher{w: newWriter("W5", seed), run: Run{Kind: "W5", Name: fmt.Sprintf("branches, %d turns", turns), Dialect: "openai"}}
	b.main = b.talk(nil, turns)
	main := b.line(b.main)
	b.grow(main, 1, 2*turns-1, -1)
	end := len(b.run.Steps) - 1
	// An answer made anew: the same messages again, then another answer and the chat goes on.
	again := b.line(b.talk(b.main[:2*turns-3], 2))
	b.grow(again, 2*turns-3, len(again.Raw)-1, end)
	// A message edited two thirds in, and one a quarter in: both across earlier checkpoints.
	edited := b.line(b.talk(b.main[:turns*4/3/2*2], turns/2))
	b.grow(edited, turns*4/3/2*2+1, len(edited.Raw)-1, end)
	early := b.line(b.talk(b.main[:turns/2/2*2], turns))
	b.grow(early, turns/2/2*2+1, len(early.Raw)-1, end)
	// A rewind: the main branch from its middle on, message for message as it was.
	b.grow(main, turns/2*2-1, turns/2*2+9, end)
	b.interleave(main, turns)
	return b.run
}

type brancher struct {
	w       *writer
	run     Run
	main    []fakellm.Said
	threads int
}

// talk appends turns to a copy of what was said; where that ends with a user message, its answer comes first.
func (b *brancher) talk(said []fakellm.Said, turns int) []fakellm.Said {
	said = append([]fakellm.Said(nil), said...)
	if n := len(said); n > 0 && said[n-1].Role == "user" {
		said = append(said, assistant(b.w.prose(b.w.between(200, 700))))
	}
	for range turns {
		said = append(said, user(b.w.prose(b.w.between(60, 300))+" It is "+b.w.identifier()+"."), assistant(b.w.prose(b.w.between(200, 700))))
	}
	return said
}

func (b *brancher) line(said []fakellm.Said) *Line {
	return newLine("openai", fakellm.ConversationOptions{}, said)
}

// grow sends a line from one number of messages to another, a turn at a time, as a thread of its own.
func (b *brancher) grow(l *Line, from, to, parent int) {
	for n := from; n <= min(to, len(l.Raw)); n += 2 {
		b.run.Steps = append(b.run.Steps, Step{Line: l, UpTo: n, Thread: b.threads, Parent: parent})
		parent = -1
	}
	b.threads++
}

// interleave forks the main branch at two thirds and sends both branches in turns.
func (b *brancher) interleave(main *Line, turns int) {
	at := turns * 4 / 3 / 2 * 2
	left, right := b.line(b.talk(b.main[:at], turns/2)), b.line(b.talk(b.main[:at], turns/2))
	parent := len(b.run.Steps) - 1
	for n := at + 1; n < min(len(left.Raw), len(right.Raw)); n += 2 {
		b.run.Steps = append(b.run.Steps,
			Step{Line: left, UpTo: n, Thread: b.threads, Parent: parent},
			Step{Line: right, UpTo: n, Thread: b.threads + 1, Parent: parent})
		parent = -1
	}
	b.threads += 2
}
