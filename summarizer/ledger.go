package summarizer

import "recap/chat"

// LedgerInput is what a ledger is made of.
type LedgerInput struct {
	Covered []chat.Message // messages 1 to To, no system ones
	From    int            // first message of the row, numbered from 1; 0 = 1
	Kept    int            // position in Covered of the message that stays in the request; -1 = none
	Beside  string         // text of the summary that the ledger stands beside: what it holds is not repeated
	Window  int            // tokens; 0 = unknown
	Limit   int            // tokens, over the limits of Options and of the window; 0 = none
	Options LedgerOptions
}

// Ledger returns the exact strings that code adds to a summary.
func Ledger(in LedgerInput) string { return "" }
