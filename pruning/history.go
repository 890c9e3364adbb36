package pruning

import "recap/chat"

// piece is one tool result of the history.
type piece struct {
	message, result int32
	turn            int32 // the assistant turn it belongs to, from 1; 0 = before the first user message
	assistants      int32 // assistant messages before it
	caller, call    int32 // the message and the number of the call that it answers; caller -1 = not known
	tokens          int32 // that it weighs as the client sent it; known where needed
	sent            int32 // that it weighs as it is sent so far
	left            int32 // that it would weigh once its state's time has come
	exempt          bool  // never touched
	state           state
	repeat          repeat
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

// openCall is a call that a coming result may answer.
type openCall struct {
	message, call int32
	answered      bool
}

// maxOpenCalls bounds the calls of earlier messages that still wait for a result.
const maxOpenCalls = 256

// reader walks over the messages. Nothing in it looks ahead.
type reader struct {
	at      look
	opened  bool       // a user message was seen
	inTurn  bool       // of the assistant
	waiting int        // results that the newest calling message still waits for
	calls   []openCall // those of the newest calling message, and older ones without an answer
	newest  int        // index in calls of the newest calling message's first
}

// read goes over the next message and reports whether to look there: after a user message and after a complete set of
// results.
func (f *fold) read() bool {
	i := f.at.messages
	m := &f.c.Messages[i]
	opens := m.Opens()
	if f.opened && !f.inTurn && !opens && m.Role != chat.System {
		f.inTurn = true
		f.at.turns++
	}
	f.at.before = len(f.pieces)
	for n := range m.Results {
		f.add(m, i, n)
	}
	if m.Role == chat.Assistant {
		f.at.assistants++
	}
	if len(m.Calls) > 0 {
		f.learn(i, m.Calls)
	}
	if opens {
		f.opened, f.inTurn = true, false
	}
	f.at.messages, f.at.pieces = i+1, len(f.pieces)
	return opens || len(m.Results) > 0 && f.waiting == 0
}

// learn notes the calls of a message; of older ones only those without an answer stay.
func (f *fold) learn(message int, calls []chat.Call) {
	n := 0
	for _, c := range f.calls {
		if !c.answered {
			f.calls[n] = c
			n++
		}
	}
	f.calls = f.calls[max(n-maxOpenCalls, 0):n]
	f.newest, f.waiting = len(f.calls), len(calls)
	for i := range calls {
		f.calls = append(f.calls, openCall{message: int32(message), call: int32(i)})
	}
}

// add appends the n-th result of message i.
func (f *fold) add(m *chat.Message, i, n int) {
	p := piece{message: int32(i), result: int32(n), assistants: int32(f.at.assistants), caller: -1}
	if c := f.answered(&m.Results[n]); c != nil {
		p.caller, p.call = c.message, c.call
	}
	if f.opened {
		p.turn = int32(max(f.at.turns, 1))
	}
	p.exempt = !f.opened || m.Results[n].Content.Len() == 0
	f.waiting = max(f.waiting-1, 0)
	f.weigh(m, &p)
	f.pieces = append(f.pieces, p)
}

// answered returns the call that a result answers: by id the newest of that id, else the first of the newest calling
// message that has no answer yet. Nil when there is none.
func (f *fold) answered(r *chat.Result) *openCall {
	if r.ID != "" {
		for at := len(f.calls) - 1; at >= 0; at-- {
			if c := &f.calls[at]; f.callOf(c.message, c.call).ID == r.ID {
				c.answered = true
				return c
			}
		}
	}
	for at := f.newest; at < len(f.calls); at++ {
		if c := &f.calls[at]; !c.answered && (r.ID == "" || f.callOf(c.message, c.call).ID == "") {
			c.answered = true
			return c
		}
	}
	return nil
}

func (f *fold) callOf(message, call int32) *chat.Call { return &f.c.Messages[message].Calls[call] }

// tool returns the name of the tool that gave a result: its own word, else that of the call it answers.
func (f *fold) tool(p *piece) string {
	if name := f.c.Messages[p.message].Results[p.result].Name; name != "" {
		return name
	}
	if p.caller < 0 {
		return ""
	}
	return f.callOf(p.caller, p.call).Name
}
