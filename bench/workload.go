package main

import (
	"math/rand/v2"
	"strings"
)

// The paths: one that Recap reads, one that it only relays.
const (
	chatPath  = "/v1/chat/completions"
	otherPath = "/v1/embeddings"
)

// kind is what about a request costs.
type kind int

const (
	known     kind = iota // the next turn of a conversation far from every level
	near                  // the next turn of one over half of the prepare level: read in full, counted
	rewritten             // the next turn of one with a checkpoint in use and trims
	first                 // the first that is seen of a conversation
	other                 // not a chat
	off                   // a chat with X-Recap-Mode: off
	stream                // a chat with a streamed answer
)

// workload is a kind of traffic and what it may cost.
type workload struct {
	name    string
	kind    kind
	size    int     // of a request, bytes
	chats   int     // conversations in a pair of readings
	steps   int     // measured requests of each
	workers int     // requests at a time
	window  int     // of the conversation's model, tokens; 0 = far from every level
	wish    string  // the answer; "" = plain
	budget  float64 // CPU time over that of the bare relay (issue 5)
}

const (
	kilobyte = 1 << 10
	megabyte = 1 << 20
)

// workloads are sized so that one reading takes 40 to 100 ms of CPU time: long enough to be read to a percent, short enough
// that both readings of a pair see the same machine.
var workloads = []workload{
	{name: "next turn, 2 KB", kind: known, size: 2 * kilobyte, chats: 300, steps: 4, workers: 16, budget: 1.15},
	{name: "next turn, 32 KB", kind: known, size: 32 * kilobyte, chats: 90, steps: 8, workers: 16, budget: 1.15},
	{name: "next turn, 256 KB", kind: known, size: 256 * kilobyte, chats: 20, steps: 16, workers: 8, budget: 1.15},
	{name: "next turn, 1 MB", kind: known, size: megabyte, chats: 8, steps: 16, workers: 8, budget: 1.25},

	{name: "near a level, 2 KB", kind: near, size: 2 * kilobyte, chats: 300, steps: 4, workers: 16, window: 2_400, budget: 1.15},
	{name: "near a level, 32 KB", kind: near, size: 32 * kilobyte, chats: 90, steps: 8, workers: 16, window: 23_500, budget: 1.15},
	{name: "near a level, 256 KB", kind: near, size: 256 * kilobyte, chats: 20, steps: 16, workers: 8, window: 181_000, budget: 1.15},
	{name: "near a level, 1 MB", kind: near, size: megabyte, chats: 8, steps: 16, workers: 8, window: 705_000, budget: 1.25},

	{name: "rewritten, 2 KB", kind: rewritten, size: 2 * kilobyte, chats: 600, steps: 1, workers: 16, window: 2_400, budget: 1.20},
	{name: "rewritten, 32 KB", kind: rewritten, size: 32 * kilobyte, chats: 50, steps: 8, workers: 16, window: 23_500, budget: 1.20},
	{name: "rewritten, 256 KB", kind: rewritten, size: 256 * kilobyte, chats: 12, steps: 16, workers: 8, window: 181_000, budget: 1.20},
	{name: "rewritten, 1 MB", kind: rewritten, size: megabyte, chats: 6, steps: 16, workers: 8, window: 705_000, budget: 1.20},

	{name: "first sight, 2 KB", kind: first, size: 2 * kilobyte, chats: 1000, workers: 16, budget: 1.3},
	{name: "first sight, 32 KB", kind: first, size: 32 * kilobyte, chats: 500, workers: 16, budget: 2.5},
	{name: "first sight, 256 KB", kind: first, size: 256 * kilobyte, chats: 150, workers: 8, budget: 5},
	{name: "first sight, 1 MB", kind: first, size: megabyte, chats: 48, workers: 8, budget: 7},

	{name: "no chat, 2 KB", kind: other, size: 2 * kilobyte, chats: 300, steps: 4, workers: 16, budget: 1.05},
	{name: "no chat, 256 KB", kind: other, size: 256 * kilobyte, chats: 20, steps: 16, workers: 8, budget: 1.05},
	{name: "mode off, 2 KB", kind: off, size: 2 * kilobyte, chats: 300, steps: 4, workers: 16, budget: 1.05},
	{name: "mode off, 256 KB", kind: off, size: 256 * kilobyte, chats: 20, steps: 16, workers: 8, budget: 1.05},

	{name: "event stream, burst", kind: stream, size: 2 * kilobyte, chats: 40, steps: 4, workers: 8, wish: burst, budget: 1.15},
	{name: "event stream, paced", kind: stream, size: 2 * kilobyte, chats: 32, steps: 1, workers: 32, wish: paced, budget: 1.15},
}

// model names the workload's model, whose window the settings tell.
func (w *workload) model() string {
	if w.window == 0 {
		return farModel
	}
	return strings.NewReplacer(",", "", " ", "-").Replace(w.name)
}

// unit is what one measurement of CPU time is divided by beside requests, and its name.
func (w *workload) unit() (events int, name string) {
	switch w.wish {
	case burst:
		return burstEvents, "event"
	case paced:
		return pacedEvents, "event"
	}
	return 1, "request"
}

// batch is the traffic of one pair of readings.
type batch struct {
	before   [][]request // what Recap must have seen before; a group is sent when the one before it is answered
	measured [][]request
	workers  int
	bytes    int // of a measured request, on average
	units    int // requests, or events
}

// batch makes new conversations; the same seed makes the same ones.
func (w *workload) batch(seed uint64) *batch {
	b := &batch{workers: w.workers}
	shape := shapeOf(w.size)
	span := w.steps * (shape.rounds*(shape.result+270) + shape.answer*3/2 + 100) / (shape.rounds + 1) // that the steps add
	start, lead := w.size-span/2, 0
	if w.kind == rewritten {
		start, lead = w.size/2, driveSteps(w.size, span, shape)
		if w.size < 8*kilobyte { // half of it is too short to be summarised
			start, lead = w.size*7/8, 1
		}
	}
	var talks []*talk
	for chat := range w.chats {
		talks = append(talks, newTalk(rand.New(rand.NewPCG(seed, uint64(chat))), w.model(), w.size, start, lead+w.steps))
	}
	if w.kind == rewritten { // at its half each conversation gets a checkpoint
		b.before = append(b.before, w.driving(talks, 0, [2]string{"X-Recap-Mode", "force"}))
	}
	if w.kind == known || w.kind == near || w.kind == stream || w.kind == rewritten {
		b.before = append(b.before, w.driving(talks, lead, [2]string{}))
	}
	for step := lead + min(w.steps, 1); step <= lead+w.steps; step++ {
		b.measured = append(b.measured, w.requests(talks, step))
	}
	b.count(w)
	return b
}

// driveSteps is how many steps lie between half of a conversation and where measuring begins.
func driveSteps(size, span int, shape shape) int {
	step := (shape.rounds*(shape.result+270) + shape.answer*3/2 + 100) / (shape.rounds + 1)
	return max((size/2-span/2)/step, 1)
}

func (b *batch) count(w *workload) {
	total, n := 0, 0
	for _, group := range b.measured {
		for _, r := range group {
			total += r.talk.ends[r.step] + len(head) + len(r.talk.model) + len(beginning) + len(tail)
			n++
		}
	}
	events, _ := w.unit()
	b.bytes, b.units = total/n, n*events
}

// requests are one step of all conversations.
func (w *workload) requests(talks []*talk, step int) []request {
	var list []request
	for _, t := range talks {
		r := request{talk: t, step: step, path: chatPath, wish: plain, status: "clear"}
		switch w.kind {
		case other:
			r.path, r.status = otherPath, ""
		case off:
			r.header, r.status = [2]string{"X-Recap-Mode", "off"}, "off"
		case rewritten:
			r.status = "compacted"
		}
		if w.wish != "" {
			r.wish = w.wish
		}
		list = append(list, r)
	}
	return list
}

// driving are requests that are not measured and may be answered with any status.
func (w *workload) driving(talks []*talk, step int, header [2]string) []request {
	list := w.requests(talks, step)
	for i := range list {
		list[i].wish, list[i].status, list[i].header = plain, "", header
	}
	return list
}
