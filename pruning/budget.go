package pruning

import "recap/tokens"

var budget = &strategy{
	name: Budget, doc: "budget is made for agents",
	admit:   (*fold).admit,
	borders: (*fold).overBudget,
	digests: true,
}

// overBudget is the rule for agents: the newest results are protected as long as they weigh no more than protectTokens
// together, and so are those since the third newest assistant message (keepLastAssistants) and the last
// message. All older ones are to be cleared. Protected results weigh what the client sent, whether they were capped or
// not: a cap makes the request smaller and protects no more.
func (f *fold) overBudget(at look) (clear, trim int) {
	protect, rest := f.o.protected(f.window), f.rest
	for clear = f.clear; clear < at.before && rest > protect; clear++ {
		p := &f.pieces[clear]
		if int(p.assistants) > at.assistants-f.o.KeepLastAssistants {
			break
		}
		rest -= p.weight()
	}
	return clear, f.trim
}

// admit applies what budget knows besides its borders: excluded tools, errors, the cap at first sight, and that a result
// takes the place of an older one.
func (f *fold) admit(p *piece, n *note) {
	m := &f.c.Messages[p.message]
	r := &m.Results[p.result]
	if len(f.o.ExcludeTools) > 0 && f.excluded(f.tool(p)) {
		p.exempt = true
		return
	}
	if f.o.CapNewChars > 0 && r.Chars > f.o.CapNewChars {
		if s := f.p.capped(m, int(p.result), f.o.CapNewChars); s.tokens < p.tokens {
			p.sent, p.text = s.tokens, s.text
			f.changed = true
		}
	}
	if p.exempt = n.failed || r.Failed; !p.exempt {
		f.supersede(p)
	}
}

func (f *fold) excluded(tool string) bool {
	for _, pattern := range f.o.ExcludeTools {
		if tool != "" && tokens.Glob(pattern, tool) {
			return true
		}
	}
	return false
}

// repeat says what a later result is to an earlier one of the same call.
type repeat uint8

const (
	single repeat = iota
	newer         // the same tool and arguments gave another text later
	again         // they gave the same text later
)

// lookBack is how many results back one of the same call is looked for.
const lookBack = 1000

// supersede looks among the results that still stand for the newest one of the same tool and the same arguments: the
// coming piece takes its place, so it goes with the next batch, protected or not. The newest of them stays until its own
// time comes.
func (f *fold) supersede(by *piece) {
	if by.caller < 0 {
		return
	}
	made, maker := f.callOf(by.caller, by.call), &f.c.Messages[by.caller]
	args := made.Args.Of(maker.Raw)
	for i := len(f.pieces) - 1; i >= max(f.clear, len(f.pieces)-lookBack); i-- {
		p := &f.pieces[i]
		if p.exempt || p.caller < 0 || p.message == by.message {
			continue
		}
		old, message := f.callOf(p.caller, p.call), &f.c.Messages[p.caller]
		if old.Name != made.Name || old.Args.Len() != made.Args.Len() || old.Args.Of(message.Raw) != args {
			continue
		}
		if p.state != kept {
			return
		}
		p.repeat = newer
		if f.content(p) == f.content(by) {
			p.repeat = again
		}
		f.want(i, f.clearing())
		return
	}
}

// content returns a result as the client wrote it.
func (f *fold) content(p *piece) string {
	m := &f.c.Messages[p.message]
	return m.Results[p.result].Content.Of(m.Raw)
}

// What a placeholder says of a result that a later one stands for.
var repeatNotes = [...]string{
	newer: "\nA later call with the same arguments has newer content.",
	again: "\nA later call with the same arguments gave the same content.",
}
