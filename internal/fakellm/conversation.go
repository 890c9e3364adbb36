package fakellm

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
)

// ConversationOptions shapes a generated chat. The zero value gives five turns without tools.
type ConversationOptions struct {
	Seed        uint64
	Turns       int     // user turns; 0 = 5
	Rounds      int     // at most so many tool rounds a turn; 0 = no tools
	Parallel    int     // at most so many calls a round; 0 = 1
	ResultChars int     // mean length of a tool result in characters; 0 = 800
	TextChars   int     // mean length of user and assistant texts; 0 = 200
	Facts       int     // planted facts, spread over the turns; 0 = none
	NoSystem    bool    // leaves out the system prompt
	Legacy      bool    // function_call and role function instead of tool_calls (OpenAI's format only)
	Parts       float64 // share of user messages whose content is a list of parts (OpenAI's format only)
	Spaced      float64 // share of messages written with white space between their tokens
	Media       bool    // puts a small picture into some user messages
	NoIDs       bool    // OpenAI ids stay; Ollama calls and results carry neither ids nor names
	Stream      bool    // the requests ask for a stream
	Model       string  // default "fake-model"
}

// Conversation is a generated chat: it grows message by message and can be sent at each of its Points. Body may be
// called from several goroutines; who changes Messages does so before the first Body.
type Conversation struct {
	Options  ConversationOptions
	System   string
	Messages []Said
	Facts    []Fact

	mu       sync.Mutex
	rendered map[string][][]byte // dialect → each message's bytes
}

// Said is one generated message, in no format yet.
type Said struct {
	Role    string // "user", "assistant" or "tool"
	Text    string
	Calls   []ToolCall
	ID      string // tool: the call that it answers
	Name    string // tool: the tool's name
	Content Null   // how no text is written
	Parts   bool   // content as a list of parts, where the format has them
	Spaced  bool
	Picture bool
}

// Null says how a message without text writes its content.
type Null uint8

// The ways.
const (
	NullValue Null = iota // "content": null
	NullAbsent
	NullEmpty // "content": ""
)

// NewConversation generates a chat: the same options give the same chat.
func NewConversation(o ConversationOptions) *Conversation {
	g := newGenerator(o)
	if !o.NoSystem {
		g.c.System = "You are a helpful assistant. House rule SYS-" + g.hex(6) + ": answer briefly."
	}
	g.turns(0)
	return g.c
}

// Fork returns another chat that shares the messages before at, the position of a user message, and goes on with its
// own from there: an edit, or a branch. Seed makes what is new.
func (c *Conversation) Fork(at int, seed uint64) *Conversation {
	o := c.Options
	o.Seed = seed
	g := newGenerator(o)
	g.c.System = c.System
	g.c.Messages = append(g.c.Messages, c.Messages[:at]...)
	for _, f := range c.Facts {
		if f.Message < at {
			g.c.Facts = append(g.c.Facts, f)
		}
	}
	done := 0
	for i := range g.c.Messages {
		g.calls += len(g.c.Messages[i].Calls)
		if g.c.Messages[i].Role == "user" {
			done++
		}
	}
	g.turns(done)
	return g.c
}

func (o ConversationOptions) withDefaults() ConversationOptions {
	or := func(n *int, value int) {
		if *n == 0 {
			*n = value
		}
	}
	or(&o.Turns, 5)
	or(&o.Parallel, 1)
	or(&o.ResultChars, 800)
	or(&o.TextChars, 200)
	if o.Model == "" {
		o.Model = "fake-model"
	}
	return o
}

// Points returns the numbers of messages that a client sends in one request each: all before an assistant message.
func (c *Conversation) Points() []int {
	var points []int
	for i := range c.Messages {
		if c.Messages[i].Role == "assistant" {
			points = append(points, i)
		}
	}
	return points
}

// TurnStarts returns the positions of the user messages.
func (c *Conversation) TurnStarts() []int {
	var starts []int
	for i := range c.Messages {
		if c.Messages[i].Role == "user" {
			starts = append(starts, i)
		}
	}
	return starts
}

// generator writes one conversation.
type generator struct {
	rand  *rand.Rand
	o     ConversationOptions
	c     *Conversation
	calls int
}

func newGenerator(o ConversationOptions) *generator {
	o = o.withDefaults()
	return &generator{
		rand: rand.New(rand.NewPCG(o.Seed, 0x5ec4b)), o: o,
		c: &Conversation{Options: o, rendered: map[string][][]byte{}},
	}
}

// turns writes the turns from a number on, with the facts that are due in each.
func (g *generator) turns(first int) {
	for turn := first; turn < g.o.Turns; turn++ {
		g.turn(turn, g.o.Facts*(turn+1)/g.o.Turns-len(g.c.Facts))
	}
}

func (g *generator) add(m Said) {
	m.Spaced = g.chance(g.o.Spaced)
	g.c.Messages = append(g.c.Messages, m)
}

func (g *generator) turn(turn, facts int) {
	text := g.text(g.o.TextChars)
	for range facts {
		text += " " + g.fact(len(g.c.Messages))
	}
	g.add(Said{
		Role: "user", Text: text, Parts: g.chance(g.o.Parts),
		Picture: g.o.Media && g.chance(0.3),
	})
	if g.o.Rounds > 0 {
		for range g.rand.IntN(g.o.Rounds + 1) {
			g.round()
		}
	}
	g.add(Said{Role: "assistant", Text: fmt.Sprintf("Turn %d. %s", turn+1, g.text(g.o.TextChars))})
}

func (g *generator) round() {
	say := Said{Role: "assistant", Content: Null(g.rand.IntN(3))}
	if g.chance(0.3) {
		say.Text = g.text(60)
	}
	width := 1
	if !g.o.Legacy {
		width += g.rand.IntN(g.o.Parallel)
	}
	for range width {
		g.calls++
		name, args := g.call()
		say.Calls = append(say.Calls, ToolCall{ID: fmt.Sprintf("call_%04d", g.calls), Name: name, Args: args})
	}
	g.add(say)
	for _, c := range say.Calls {
		result := Said{Role: "tool", ID: c.ID, Name: c.Name, Content: NullEmpty}
		if !g.chance(0.02) { // a tool that says nothing is rare, but there is one
			result.Text = g.result(c.Args)
		}
		g.add(result)
	}
}

func (g *generator) call() (name, args string) {
	path := g.path()
	switch g.rand.IntN(3) {
	case 0:
		return "read_file", string(encode(object{"path": path}))
	case 1:
		return "search", string(encode(object{"path": path, "pattern": g.word() + "[\"'<]"}))
	}
	return "run", string(encode(object{"command": "go test ./" + g.word() + " -run Test" + g.hex(3)}))
}

// result is a tool result between a quarter and twice the mean length, made of lines.
func (g *generator) result(args string) string {
	size := g.o.ResultChars/4 + g.rand.IntN(g.o.ResultChars*7/4+1)
	var b strings.Builder
	fmt.Fprintf(&b, "result for %s\n", args)
	for line := 1; b.Len() < size; line++ {
		fmt.Fprintf(&b, "%4d\t%s := %q // %s\n", line, g.word(), g.word()+g.hex(4), g.text(30))
	}
	return b.String()
}
