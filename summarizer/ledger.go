package summarizer

import (
	"strings"

	"recap/chat"
	"recap/tokens"
)

// LedgerInput is what a ledger is made of.
type LedgerInput struct {
	Covered []chat.Message // messages 1 to To, no system ones
	From    int            // first message of the row, numbered from 1; 0 = 1
	Kept    int            // position in Covered of the message that stays in the request; -1 = none
	Carry   string         // text of the summaries that this one replaces: what it lacks of them is carried here
	Beside  string         // text of the summary that the ledger stands beside: what it holds is not repeated
	Window  int            // tokens; 0 = unknown
	Limit   int            // tokens, beside the limits of Options and of the window; 0 = none
	Options LedgerOptions
}

// The headings of a ledger's parts.
const (
	firstHeading    = "The user's first request: "
	requestsHeading = "Later requests of the user, newest first:"
	rulesHeading    = "The user's rules, word for word:"
	factsHeading    = "Exact values, oldest first: "
)

// Ledger returns the exact strings that code adds to a summary: the user's first request (in the row that holds
// message 1), the user's later requests newest first, rules out of those that found no room, then paths, URLs,
// identifiers and numbers that occur often, late, or in the user's own words. A request that is too long is
// represented by its head and tail. The same input gives the same text; what does not fit the limits is left out, and
// nothing in it can close a wrapper. Messages seen before cost next to nothing.
func Ledger(in LedgerInput) string {
	l := &ledger{in: &in, left: in.limit()}
	if l.left < 24 {
		return ""
	}
	l.read()
	l.requests(l.userBudget())
	l.values(min(in.Options.FactTokens, l.left))
	return within(Neutralise(strings.TrimSpace(l.out.String())), in.limit())
}

// within takes off entries from the end until a text fits: a sum of estimates may be a little less than the estimate of
// the sum.
func within(text string, limit int) string {
	for text != "" && tokens.Estimate(text) > limit {
		cut := max(strings.LastIndex(text, "\n"), strings.LastIndex(text, "; "), 0)
		text = strings.TrimSpace(text[:cut])
	}
	return text
}

// limit is the size of the whole ledger.
func (in *LedgerInput) limit() int {
	limit := in.Options.limit(in.Window)
	if in.Limit > 0 {
		limit = min(limit, in.Limit)
	}
	return limit
}

// limit is the size of a ledger for a window, 0 = unknown (design.md §3 «Sizes»).
func (o *LedgerOptions) limit(window int) int {
	limit := max(o.UserTokens, 0) + max(o.FactTokens, 0)
	if window > 0 {
		limit = min(limit, window/10)
	}
	return limit
}

// ledger is one being written.
type ledger struct {
	in    *LedgerInput
	facts []*messageFacts // per position of the row; nil = not part of it
	first int             // position of the user's first request; -1 = not in this row, or it stays in the request
	out   strings.Builder
	left  int // tokens

	partly map[int]bool // positions of requests that stand here by head and tail, or not at all
}

// smallLedger is under how many tokens requests are hardly worth their room: they stand there cut to a few words.
const smallLedger = 256

// userBudget is the share of the user's words: two fifths where the window leaves less than the limits, for facts are
// what a small model loses first, and a quarter of a small ledger.
func (l *ledger) userBudget() int {
	facts := min(l.in.Options.FactTokens, l.left*3/5)
	if l.left < smallLedger {
		facts = min(l.in.Options.FactTokens, l.left*3/4)
	}
	return min(l.in.Options.UserTokens, l.left-facts)
}

func (l *ledger) read() {
	l.first, l.partly = -1, map[int]bool{}
	l.facts = make([]*messageFacts, len(l.in.Covered))
	from := max(l.in.From, 1) - 1
	for at := from; at < len(l.in.Covered); at++ {
		if at == l.in.Kept {
			continue
		}
		l.facts[at] = factsOf(&l.in.Covered[at])
	}
	if from == 0 {
		l.first = l.firstRequest()
	}
}

func (l *ledger) firstRequest() int {
	for at := range l.in.Covered {
		if l.in.Covered[at].Opens() {
			if at == l.in.Kept {
				return -1
			}
			return at
		}
	}
	return -1
}

// take writes a piece if it fits both a budget and what is left, and returns what the budget is then.
func (l *ledger) take(piece string, budget int) (int, bool) {
	cost := tokens.Estimate(piece)
	if cost > budget || cost > l.left {
		return budget, false
	}
	l.out.WriteString(piece)
	l.left -= cost
	return budget - cost, true
}

// requests writes the user's words.
func (l *ledger) requests(budget int) {
	if budget <= 0 {
		return
	}
	if l.first >= 0 {
		// What the chat is about stays word for word where it takes a quarter of the ledger, even of a small one.
		most := max(budget/2, l.left/4)
		text := l.words(l.first, most-tokens.Estimate(firstHeading)-2)
		left, _ := l.take(firstHeading+text+"\n", most)
		budget = max(budget-most+left, 0)
	}
	reserve := min(l.ruleTokens(), budget/3)
	left := l.newest(budget - reserve)
	l.rules(left + reserve)
}

// newest writes later requests, newest first, until the budget is used up; it returns what is left of it.
func (l *ledger) newest(budget int) int {
	share, heading := max(budget/4, 48), requestsHeading+"\n"
	full := false
	for at := len(l.facts) - 1; at >= 0; at-- {
		if !l.asks(at) {
			continue
		}
		limit := min(share, budget-tokens.Estimate(heading)-4)
		if full || limit < min(l.facts[at].request, 24) {
			full = true
			l.partly[at] = true
			continue
		}
		var ok bool
		if budget, ok = l.take(heading+"- "+l.words(at, limit)+"\n", budget); !ok {
			l.partly[at] = true
			continue
		}
		heading = ""
	}
	return budget
}

// asks reports whether a position holds a later request of the user.
func (l *ledger) asks(at int) bool {
	return at != l.first && l.facts[at] != nil && l.facts[at].request > 0
}

// words returns a request, cut to head and tail where it is over a limit in tokens.
func (l *ledger) words(at, limit int) string {
	mf := l.facts[at]
	if mf.request <= limit {
		if mf.tail == "" {
			return mf.head
		}
		return strings.TrimSpace(l.in.Covered[at].Text())
	}
	l.partly[at] = true
	head, tail := mf.head, mf.tail
	if tail == "" {
		tail = head
	}
	if limit*4 > headBytes {
		text := strings.TrimSpace(l.in.Covered[at].Text())
		head, tail = text, text
	}
	return clip(head, tail, limit)
}

// clip joins the head of one text and the tail of another, a third of the room for the tail, in at most so
// many tokens.
func clip(head, tail string, limit int) string {
	const gap = " […] "
	for size := max(limit, 1) * 4; size > 16; size = size * 4 / 5 {
		text := strings.TrimSpace(headOf(head, size*2/3)) + gap + strings.TrimSpace(tailOf(tail, size/3))
		if tokens.Estimate(text) <= limit {
			return text
		}
	}
	return strings.TrimSpace(gap)
}

// ruleTokens is what all rules of later requests would take.
func (l *ledger) ruleTokens() int {
	sum := tokens.Estimate(rulesHeading) + 2
	for at := range l.facts {
		if l.asks(at) {
			for _, r := range l.facts[at].rules {
				sum += tokens.Estimate(r) + 2
			}
		}
	}
	return sum
}

// rules writes the rules out of requests that do not stand here whole, newest first.
func (l *ledger) rules(budget int) {
	heading := rulesHeading + "\n"
	for at := len(l.facts) - 1; at >= 0; at-- {
		if l.facts[at] == nil || !l.partly[at] {
			continue
		}
		for _, r := range l.facts[at].rules {
			if strings.Contains(l.out.String(), r) || strings.Contains(l.in.Beside, r) {
				continue
			}
			var ok bool
			if budget, ok = l.take(heading+"- "+r+"\n", budget); ok {
				heading = ""
			}
		}
	}
}
