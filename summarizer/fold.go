package summarizer

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"unicode/utf8"

	"recap/chat"
	"recap/tokens"
)

// Bounds of one job's work.
const (
	maxCalls     = 200 // folds; more is no summary but a download
	maxShrinking = 6   // overflows in a row
	leastRecord  = 48  // tokens: less is no use to send
)

// firstRatio is how many tokens a token of the fixed measure is reckoned as: the measure may be some way off, and a
// margin is cheaper than a refused call.
const firstRatio = 1.15

// fold has entries summarised, in as many calls as the summariser's window and maxInputChars ask for (A16, N10): each
// call gets the text so far and the next entries, and its answer is the text so far of the next. No entry is
// skipped; one that is too long alone is split.
func (w *writer) fold(ctx context.Context, entries []string, running string) (string, error) {
	shrunk := 0
	for calls := 0; len(entries) > 0; calls++ {
		if calls >= maxCalls {
			return "", refusal{reason: ReasonInput}
		}
		budget := w.room(running)
		if budget < leastRecord {
			return "", refusal{reason: ReasonInput}
		}
		record, rest := pack(entries, budget, w.job.Options.MaxInputChars)
		text, err := w.summarise(ctx, running, record)
		var over overflow
		if errors.As(err, &over) {
			if shrunk++; shrunk > maxShrinking || !w.shrink(over) {
				return "", refusal{reason: ReasonOverflow}
			}
			continue
		}
		if err != nil {
			return "", err
		}
		running, entries, shrunk = text, rest, 0
	}
	return running, nil
}

// previous returns what rows are to be updated from: their texts, as many of the oldest as leave a call room for a
// record, and the rest as the first entries of that record.
func (w *writer) previous(rows []*chat.Checkpoint) (running string, entries []string) {
	least := max(w.room("")/4, leastRecord)
	for _, row := range rows {
		joined := strings.TrimSpace(running + "\n\n" + row.Text)
		if len(entries) == 0 && w.room(joined) >= least {
			running = joined
			continue
		}
		title := fmt.Sprintf("%s%d-%d summary\n", markerOfEntry, row.RowFrom, row.To)
		entries = append(entries, title+guard(strings.TrimSpace(row.Text)))
	}
	return running, entries
}

// room is how many tokens of the record one call may hold, by the fixed measure.
func (w *writer) room(running string) int {
	p := prompt{options: &w.job.Options, previous: running, words: wordsFor(w.limit), shorter: true}
	free := w.window - w.output() - 32
	ratio := w.memory.get(w.place()).ratio
	return int(float64(free)/max(ratio, firstRatio)) - tokens.Estimate(p.String())
}

// shrink takes from an overflow how long a prompt may be; false when there is no room left to shrink in.
func (w *writer) shrink(over overflow) bool {
	smaller := over.limit > 0 && over.limit < w.window
	w.memory.change(w.place(), func(l *lesson) {
		switch {
		case over.used > 0 && over.sent > 0:
			// A little more than measured, for texts differ.
			l.ratio = min(max(1.05*float64(over.used)/float64(over.sent), l.ratio), 4)
		case !smaller:
			l.ratio = min(1.4*max(l.ratio, firstRatio), 4)
		}
		if smaller {
			l.window = over.limit
		}
	})
	w.setWindow(w.window)
	return w.window >= 128
}

// summarise makes one call, and one more where a gate wants to say what was wrong with the answer.
func (w *writer) summarise(ctx context.Context, running, record string) (string, error) {
	p := prompt{options: &w.job.Options, previous: running, record: record, words: wordsFor(w.limit)}
	return w.twice(w.words(running, record), &p, func() (string, error) { return w.ask(ctx, p.String(), w.output()) })
}

// words is what the gates judge an answer by that is about a record and updates a summary.
func (w *writer) words(running, record string) draft {
	o := &w.job.Options
	builtIn := o.Prompt == "" && (running == "" || o.UpdatePrompt == "")
	d := draft{limit: w.limit, source: newSupport(record, running), previous: running, fresh: record}
	if builtIn { // who writes the prompt says how it is answered, and in which language
		d.headed, d.spoken = styleOf(o).headed, w.spoken
	}
	return d
}

// twice asks until the gates are content, two times at the most. Where the second answer is no better, and the first may
// pass, the first is taken.
func (w *writer) twice(by draft, p *prompt, ask func() (string, error)) (string, error) {
	first, v, err := w.attempt(by, ask)
	switch {
	case err != nil && !v.insists:
		return "", err
	case v.refused == ReasonOversized:
		p.words, p.shorter = max(p.words*6/10, 12), true
	case err == nil && v.faults&^w.vain() == 0:
		w.found |= v.faults
		return first, nil
	}
	p.again = v.again
	second, again, err2 := w.attempt(by, ask)
	if err != nil {
		w.found |= again.faults
		return second, err2
	}
	if err2 == nil {
		w.notice(v.faults, again.faults)
	}
	if err2 != nil || bits.OnesCount16(again.faults) >= bits.OnesCount16(v.faults) {
		w.found |= v.faults
		return first, nil
	}
	w.found |= again.faults
	return second, nil
}

// attempt asks once and judges the answer.
func (w *writer) attempt(by draft, ask func() (string, error)) (string, verdict, error) {
	text, err := ask()
	if err != nil {
		var r refusal
		if errors.As(err, &r) && r.reason == ReasonTruncated {
			return "", verdict{refused: ReasonOversized, insists: true}, err
		}
		return "", verdict{}, err
	}
	by.text = text
	v := judge(&by)
	if v.refused != "" {
		return "", v, refusal{reason: v.refused}
	}
	w.struck = w.struck || by.text != text
	return Neutralise(by.text), v, nil
}

// pack takes as many entries as fit a number of tokens and of code points (0 = any), and returns them joined with what
// is left. Where not even one fits, it is split.
func pack(entries []string, budget, chars int) (record string, rest []string) {
	var b strings.Builder
	if chars <= 0 {
		chars = 1 << 40
	}
	for i, e := range entries {
		cost, length := tokens.Estimate(e)+1, utf8.RuneCountInString(e)+1
		if cost <= budget && length <= chars {
			b.WriteString(e + "\n\n")
			budget -= cost
			chars -= length
			continue
		}
		if b.Len() > 0 {
			return strings.TrimSpace(b.String()), entries[i:]
		}
		head, tail := split(e, budget, chars)
		return head, append([]string{tail}, entries[i+1:]...)
	}
	return strings.TrimSpace(b.String()), nil
}

// split cuts one entry where a number of tokens or code points is reached, at the end of a line or word if there is one
// near. The second half begins with the entry's own first line.
func split(entry string, budget, chars int) (head, tail string) {
	title, _, _ := strings.Cut(entry, "\n")
	title = clipChars(title, 120, 0) + " (continued)\n"
	size := charBytes(entry, chars)
	for tokens.Estimate(entry[:size]) > budget && size > 64 {
		size = len(headOf(entry, size*4/5))
	}
	if at := strings.LastIndexAny(entry[:size], " \n"); at > size/2 && at > len(title) {
		size = at
	}
	// Whatever the limits, each step must get on.
	size = len(headOf(entry, max(size, min(len(entry), len(title)+8))))
	return entry[:size], title + strings.TrimLeft(entry[size:], "\n")
}
