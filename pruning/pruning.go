// Package pruning decides which tool results get shorter. It is pure: no clock, no network, no log.
//
// The client's whole history is read from left to right, blind to checkpoints. After each user message and each
// complete set of results the strategy says how far its borders have come: results left of them are to be
// cleared or trimmed. What it says is done only in batches that free enough, so the borders stay where they
// are from request to request and with them the upstream's prompt cache. Each look sees only what stands before
// it: what was once decided is decided for every longer history too. So a pass may begin where the pass over
// the request before ended, see resume.go.
//
// Only a result's content changes. A placeholder and a trimmed text are recognised and final.
package pruning

import (
	"recap/chat"
)

// Result is what a pass decided. It is shared and must not be written to.
type Result struct {
	Trims  []chat.Trim // ascending by Message, Result
	Left   []int       // tokens of each trim's text, by the fixed measure
	Saved  int         // tokens by the fixed measure
	Newest Batch
}

// Batch tells of the newest batch that the fold shortened. The zero value stands for none; what urgent and
// everyRequest do beyond the batches is not in it.
type Batch struct {
	After    int   // how many messages had been read then, system ones included
	Messages []int // the indexes of those it shortened, ascending; one with several such results comes more than once
}

// Pruner is Prune with a memory for what results weigh, what is left of them, and how far it came with a chat that the
// next one begins with (chat.Recall). Its answers are the same with a cold memory; the zero Pruner has none.
// Safe for concurrent use.
type Pruner struct {
	notes *chat.Memo[*chat.Facts, []note]
	texts *chat.Memo[textKey, shortened]
}

// New returns a Pruner that remembers about limit messages with tool results.
func New(limit int) *Pruner {
	return &Pruner{notes: chat.NewMemo[*chat.Facts, []note](limit), texts: chat.NewMemo[textKey, shortened](limit)}
}

// Prune is Pruner.Prune without a memory.
func Prune(c *chat.Chat, o *Options, window int, urgent bool) Result {
	return (&Pruner{}).Prune(c, o, window, urgent)
}

// Prune decides over the client's whole history, blind to checkpoints. window (tokens) scales the batches; 0 means
// unknown. With urgent what everyRequest would do is added to what the batches already did: the overflow
// ladder's first step. So the Trims with urgent contain those without. Options that are not enabled, or not valid,
// prune nothing. o is remembered and must not change any more.
func (p *Pruner) Prune(c *chat.Chat, o *Options, window int, urgent bool) Result {
	rule := strategyOf(o.Strategy)
	if !o.Enabled || rule == nil {
		return Result{}
	}
	f := p.begin(c, o, window)
	f.rule = rule
	for f.at.messages < len(c.Messages) {
		if f.read() && o.Cadence != EveryRequest {
			if batch := f.look(f.at, o.gate(window)); batch != nil {
				f.batch = Batch{After: f.at.messages, Messages: batch}
			}
		}
	}
	f.settle()
	f.keep()
	if urgent || o.Cadence == EveryRequest {
		f.own()
		f.look(f.at, 1)
		f.settle()
	}
	return f.result
}
