package chat

import "time"

// Checkpoint is a stored summary that stands for the prefix its Key names.
//
// A rolling summary is one row: its text stands for messages 1 to To and each pass rewrites it. With rowTokens set a
// row that has grown full is sealed and the next pass opens another: then a checkpoint's text stands for
// messages RowFrom to To only, and the row before it is the checkpoint that covers exactly RowFrom-1 messages.
type Checkpoint struct {
	Key      Key
	Parent   Key // the checkpoint that this pass built on; zero = none
	Lineage  Key // key of the first checkpoint of the line of parents
	Opening  Key // key of the first message alone: a chat that opens otherwise cannot match; zero = not known
	Tenant   string
	Upstream string
	Recipe   string
	Session  string // label, never identity

	From, To int // messages that this pass read, numbered from 1; To is also what the checkpoint covers
	RowFrom  int // first message that Text stands for

	Text         string
	Ledger       string // exact strings that code added; part of what is injected
	Tokens       int    // of Text, by the fixed measure
	LedgerTokens int
	Model        string // that wrote it; "" = none did

	Provisional bool  // made of the ledger alone; replaced by the real one at the same key
	Pinned      bool  // kept by the user's wish: never expires, never consolidated
	Sealed      bool  // this row is full: the next pass opens a new one
	Windows     []int // windows (tokens) for which it was sent; empty = never sent

	Created, Updated, Used time.Time
}

// SentFor reports whether cp was already sent in a request for a window of that many tokens.
func (cp *Checkpoint) SentFor(window int) bool {
	for _, w := range cp.Windows {
		if w == window {
			return true
		}
	}
	return false
}

// Size is what the row weighs, its ledger included, by the fixed measure.
func (cp *Checkpoint) Size() int { return cp.Tokens + cp.LedgerTokens }
