package pruning

import "recap/chat"

// piece is one tool result of the history.
type piece struct {
	message, result int
	turn            int    // the assistant turn it belongs to, from 1; 0 = before the first user message
	assistants      int    // assistant messages before it
	tool            string // its name, "" when nothing tells
	exempt          bool   // never touched
	state           state
	tokens          int // that it weighs as the client sent it; known where needed
	sent            int // that it weighs as it is sent so far
	text            string
}

// state is what was decided for a piece.
type state uint8

const (
	kept state = iota
	wantTrim
	wantClear
	decided
)

// look is a place where the strategy is asked: what stands up to there.
type look struct {
	messages   int // number of messages, system ones included
	before     int // pieces in messages before the last one, which stays verbatim
	pieces     int // all pieces
	turns      int
	assistants int
}

// history is what the strategies need to know of a chat.
type history struct {
	pieces []piece
	looks  []look
	end    look // the whole history
}

// reader walks over the messages. Nothing in it looks ahead.
type reader struct {
	history
	opened  bool // a user message was seen
	inTurn  bool // of the assistant
	turns   int
	authors int // assistant messages
	waiting int // results that the newest calling message still waits for
	names   map[string]string
	calls   []chat.Call // of the newest calling message, those still unanswered
}

// read surveys a chat, with the names of the tools where they are needed.
func read(c *chat.Chat, named bool) *history {
	r := &reader{}
	if named {
		r.names = map[string]string{}
	}
	for i := range c.Messages {
		r.message(c, i)
	}
	return &r.history
}

func (r *reader) message(c *chat.Chat, i int) {
	m := &c.Messages[i]
	before := len(r.pieces)
	opens := m.Opens()
	if r.opened && !r.inTurn && !opens && m.Role != chat.System {
		r.inTurn = true
		r.turns++
	}
	for n := range m.Results {
		r.result(m, i, n)
	}
	if m.Role == chat.Assistant {
		r.authors++
	}
	if len(m.Calls) > 0 {
		r.calls, r.waiting = m.Calls, len(m.Calls)
		r.learn(m.Calls)
	}
	if opens {
		r.opened, r.inTurn = true, false
	}
	r.end = look{messages: i + 1, before: before, pieces: len(r.pieces), turns: r.turns, assistants: r.authors}
	if opens || len(m.Results) > 0 && r.waiting == 0 {
		r.looks = append(r.looks, r.end)
	}
}

func (r *reader) learn(calls []chat.Call) {
	if r.names == nil {
		return
	}
	for _, call := range calls {
		r.names[call.ID] = call.Name
	}
}

func (r *reader) result(m *chat.Message, i, n int) {
	p := piece{message: i, result: n, assistants: r.authors, tool: r.tool(&m.Results[n])}
	if r.opened {
		p.turn = max(r.turns, 1)
	}
	p.exempt = !r.opened || m.Results[n].Content.Len() == 0
	r.pieces = append(r.pieces, p)
	r.waiting = max(r.waiting-1, 0)
}

// tool returns the name of the tool that gave a result: its own word, else that of the call it answers.
func (r *reader) tool(result *chat.Result) string {
	name := ""
	if result.ID != "" {
		name = r.names[result.ID]
	} else if len(r.calls) > 0 {
		name = r.calls[0].Name
		r.calls = r.calls[1:]
	}
	if result.Name != "" {
		return result.Name
	}
	return name
}
