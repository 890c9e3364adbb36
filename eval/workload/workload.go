// Package workload makes the histories that the evaluation replays: seeded generators for chats, agents, branches and
// odd clients (W1 to W9), and the recorded runs (W10). The same name, size and seed give the same bytes.
//
// A Run is a list of requests in the order in which a client sends them. Each Step is a view into a Line, one version
// of the client's history: an edit, a branch or a client that compacts by itself makes a Line of its own.
package workload

import (
	"encoding/binary"
	"hash/fnv"
	"strings"
)

// Run is one history, request by request.
type Run struct {
	Kind    string // W1 … W10
	Name    string
	Dialect string // openai or ollama
	Steps   []Step
	Facts   []Fact
}

// Step is one request of a client.
type Step struct {
	Line   *Line
	From   int    // first message that the client still sends; 0 = its whole history
	UpTo   int    // number of the line's messages that it has by now
	Thread int    // requests of one thread grow; what changes between threads is the client's doing
	Parent int    // the step that a thread's first one branched off; -1 = none
	Clock  string // in the system prompt; "" = the prompt never changes
}

// Line is one version of a client's history, rendered once.
type Line struct {
	Raw   []string // each message as JSON, no system prompt among them
	Chars []int    // code points of each
	Text  []string // what a model sees of each
	Roles []string
	IDs   []uint64   // of what each says, made by the evaluation on its own: no key of Recap's
	Needs [][]string // exact strings in the arguments of each message's calls that earlier messages told

	joined  string
	offsets []int // of each message in joined, and its end
}

// Fact is an exact string that was planted.
type Fact struct {
	Kind    string
	Text    string
	Message int    // that says it, an index in its line
	Until   int    // the message that says what replaced it; 0 = it still holds
	By      string // what replaced it
}

// Body renders the request with a header of about so many tokens: tools and a system prompt, the same for all
// requests of a run but for the clock.
func (s *Step) Body(dialect string, header int) string {
	l := s.Line
	head := head(dialect, header, s.Clock)
	part := l.joined[l.offsets[s.From]:l.offsets[s.UpTo]]
	return head + "," + strings.TrimSuffix(part, ",") + "]}"
}

// Head is what stands in front of the client's messages: tools, the system prompt and the rest of the body.
func Head(dialect string, header int, clock string) string { return head(dialect, header, clock) }

// Len is the number of messages in the request that are not system ones.
func (s *Step) Len() int { return s.UpTo - s.From }

// Prefix names the first n messages of the request, as the evaluation sees them.
func (s *Step) Prefix(n int) uint64 {
	h := fnv.New64a()
	var b [8]byte
	for _, id := range s.Line.IDs[s.From : s.From+n] {
		binary.LittleEndian.PutUint64(b[:], id)
		_, _ = h.Write(b[:])
	}
	return h.Sum64()
}

// Needs are the exact strings that the answer to this request will use.
func (s *Step) Needs() []string {
	if s.UpTo < len(s.Line.Needs) {
		return s.Line.Needs[s.UpTo]
	}
	return nil
}

const tools = `"tools":[{"type":"function","function":{"name":"read_file","description":"Read a file.","parameters":{"type":"object",` +
	`"properties":{"path":{"type":"string"}}}}},{"type":"function","function":{"name":"run","description":"Run a command.",` +
	`"parameters":{"type":"object","properties":{"command":{"type":"string"}}}}}]`

// head is everything in front of the messages, the system prompt included.
func head(dialect string, tokens int, clock string) string {
	stream := ""
	if dialect == "ollama" {
		stream = `"stream":false,`
	}
	const rule = "Work with care, read before you change, test what you changed, and say what is open. "
	prompt := "You are a software engineer. " + clock
	if n := (tokens*4 - len(tools)) / len(rule); n > 0 {
		prompt += strings.Repeat(rule, n)
	}
	return `{"model":"evaluated",` + stream + tools + `,"messages":[{"role":"system","content":"` + prompt + `"}`
}

// Header is how many tokens of fixed parts stand in front of a chat at a window: 15,000 where there is room, as the
// recorded runs had, else an eighth.
func Header(window int) int { return min(15000, window/8) }
