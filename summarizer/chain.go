package summarizer

import (
	"slices"
	"strings"

	"recap/chat"
)

// deepestWhole returns the deepest row whose chain is complete, nil when there is none.
func deepestWhole(rows map[int]*chat.Checkpoint, j *Job) *chat.Checkpoint {
	for to := j.To(); to > 0; to-- {
		if cp := rows[to]; cp != nil && chain(rows, cp) != nil {
			return cp
		}
	}
	return nil
}

// chain returns the rows that end with cp, oldest first; nil when one of them is missing.
func chain(rows map[int]*chat.Checkpoint, cp *chat.Checkpoint) []*chat.Checkpoint {
	list := []*chat.Checkpoint{cp}
	for cp.RowFrom > 1 {
		before := rows[cp.RowFrom-1]
		if before == nil || before.RowFrom >= cp.RowFrom {
			return nil
		}
		list, cp = append(list, before), before
	}
	slices.Reverse(list)
	return list
}

// place settles which rows of a chain the pass rewrites: the last one, or none where that is full (rows N4, N5).
// Where what stays in front would then leave no room in the share, all rows behind the last pinned one become one row:
// else a long chat's rows would fill its window in the end, and nothing could mend that any more.
func (p *pass) place(list []*chat.Checkpoint, j *Job) {
	at := len(list) - 1
	if full(list[at], &j.Options) {
		at++
	}
	share := j.Options.share(j.Window)
	if share > 0 && weigh(list[:at])+j.Options.leastRow(j.Window) > share {
		at = min(at, unpinned(list))
	}
	// What is pinned stays as it is, whatever room it takes; the user is told.
	if pinned := weigh(list[:unpinned(list)]); share > 0 && pinned+j.Options.leastRow(j.Window) > share {
		p.pinned = pinned
	}
	p.rewrite, p.kept, p.rowFrom = list[at:], weigh(list[:at]), p.from
	if len(p.rewrite) > 0 {
		p.rowFrom = p.rewrite[0].RowFrom
	}
}

// full reports whether the next pass opens a new row on top of base (rows N4, N5). A pinned text is nobody's to
// rewrite.
func full(base *chat.Checkpoint, o *Options) bool {
	return base.Sealed || base.Pinned || o.RowTokens > 0 && base.Size() > o.RowTokens
}

// unpinned is the position behind the last pinned row.
func unpinned(list []*chat.Checkpoint) int {
	at := len(list)
	for at > 0 && !list[at-1].Pinned {
		at--
	}
	return at
}

func weigh(list []*chat.Checkpoint) int {
	sum := 0
	for _, cp := range list {
		sum += cp.Size()
	}
	return sum
}

// share is how many tokens, by the fixed measure, all rows of a chat may take together: what design.md §3 «Sizes» lets
// one checkpoint take at the most of any window, a quarter, reckoned from the level at which the chat is swapped. Where
// that level is low, what one checkpoint may take. 0 = no bound, for the window is not known.
func (o *Options) share(window int) int {
	if window <= 0 {
		return 0
	}
	level := window
	if l, ok := o.Trigger.Level(window); ok {
		level = min(level, l)
	}
	return max(level/4, o.SummaryLimit(window)+o.Ledger.limit(window))
}

// leastRow is the room that a row must have: the largest summary's, which nobody can promise to be shorter, and some
// for the ledger, which takes what is left.
func (o *Options) leastRow(window int) int { return o.SummaryLimit(window) + o.leastLedger(window) }

func (o *Options) leastLedger(window int) int { return o.Ledger.limit(window) / 4 }

// textOf joins what rows say.
func textOf(list []*chat.Checkpoint) string {
	texts := make([]string, len(list))
	for i, cp := range list {
		texts[i] = cp.Text
	}
	return strings.Join(texts, "\n\n")
}
