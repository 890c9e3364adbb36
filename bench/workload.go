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

// workload is a kind of traffic and what it may cost.
type workload struct {
	name    string
	path    string
	size    int     // of a request when the conversation is in full swing, bytes
	chats   int     // conversations in a round
	turns   int     // measured turns of each
	workers int     // requests at a time
	budget  float64 // CPU time over that of the bare relay (issue 2)
}

var workloads = []workload{
	{name: "chat 2 KB", path: chatPath, size: 2 << 10, chats: 600, turns: 3, workers: 16, budget: 1.5},
	{name: "chat 256 KB", path: chatPath, size: 256 << 10, chats: 12, turns: 12, workers: 8, budget: 3},
	{name: "no chat 2 KB", path: otherPath, size: 2 << 10, chats: 600, turns: 3, workers: 16, budget: 1.5},
	{name: "no chat 256 KB", path: otherPath, size: 256 << 10, chats: 12, turns: 12, workers: 8, budget: 3},
}

// batch is one round's traffic: what is sent first, and then turn by turn. All conversations take a turn before one takes
// the next.
type batch struct {
	first   []request
	next    [][]request
	workers int
}

// batch makes new conversations; the same seed makes the same ones.
func (w workload) batch(seed uint64) *batch {
	b := &batch{workers: w.workers, next: make([][]request, w.turns)}
	for chat := range w.chats {
		talk := newTalk(rand.New(rand.NewPCG(seed, uint64(chat))), w.size)
		for talk.len() < w.size-w.turns*talk.turn/2 {
			talk.grow()
		}
		b.first = append(b.first, request{w.path, talk.body()})
		for turn := range w.turns {
			talk.grow()
			b.next[turn] = append(b.next[turn], request{w.path, talk.body()})
		}
	}
	return b
}

func (b *batch) measured() (n int) {
	for _, turn := range b.next {
		n += len(turn)
	}
	return n
}

func (b *batch) meanSize() int {
	total := 0
	for _, turn := range b.next {
		for _, r := range turn {
			total += len(r.body)
		}
	}
	return total / b.measured()
}

// talk is a conversation that grows as an agent's does: a question, calls with results, an answer.
type talk struct {
	rng      *rand.Rand
	turn     int // bytes that one turn adds, roughly
	messages strings.Builder
	count    int
}

// newTalk begins a conversation whose turns suit its size.
func newTalk(rng *rand.Rand, size int) *talk {
	t := &talk{rng: rng, turn: max(size/60, 300)}
	t.add(`{"role":"system","content":"You are a careful engineer. Answer briefly."}`)
	t.add(`{"role":"user","content":` + t.text(t.turn/3) + `}`)
	return t
}

// grow adds an answer and the next question; in a long conversation a call and its result lie between.
func (t *talk) grow() {
	if t.turn > 1000 {
		id := "call_" + t.word()
		t.add(`{"role":"assistant","content":null,"tool_calls":[{"id":"` + id + `","type":"function","function":{"name":"read_file",` +
			`"arguments":"{\"path\":\"internal/` + t.word() + `.go\",\"from\":1}"}}]}`)
		t.add(`{"role":"tool","tool_call_id":"` + id + `","content":` + t.text(t.turn*2/3) + `}`)
	}
	t.add(`{"role":"assistant","content":` + t.text(t.turn/6) + `}`)
	t.add(`{"role":"user","content":` + t.text(t.turn/6) + `}`)
}

func (t *talk) add(message string) {
	if t.count > 0 {
		t.messages.WriteByte(',')
	}
	t.messages.WriteString(message)
	t.count++
}

func (t *talk) len() int { return t.messages.Len() + len(head) + len(tail) }

const (
	head = `{"model":"bench","temperature":0.2,"messages":[`
	tail = `],"max_tokens":512,"tools":[{"type":"function","function":{"name":"read_file","parameters":{"type":"object","properties":` +
		`{"path":{"type":"string"},"from":{"type":"integer"}},"required":["path"]}}}]}`
)

// body is the request as it stands now.
func (t *talk) body() []byte {
	body := make([]byte, 0, t.len())
	body = append(body, head...)
	body = append(body, t.messages.String()...)
	return append(body, tail...)
}
