package measure

import "recap/compaction"

// compare measures a request against the one before it: tokens, kept prefix, breaks, calm (m1, m2, m3, m13).
func (r *replay) compare(now *state) {
	before := r.threads[now.step.Thread]
	follows := before != nil
	if before == nil && now.step.Parent >= 0 {
		before = r.parents[now.step.Parent]
	}
	r.append(now, before)
	now.chars = make([]int, len(now.raws))
	shared, bytes := 0, 0
	for before != nil && shared < min(len(before.raws), len(now.raws)) && before.raws[shared] == now.raws[shared] {
		bytes += len(now.raws[shared])
		now.chars[shared] = before.chars[shared]
		shared++
	}
	// The header stands for the tools and the system prompt, which is the first message.
	if shared == 0 {
		r.f.Fresh += now.header
	}
	r.f.SentTokens += now.header
	for i := 1; i < len(now.raws); i++ {
		if i >= shared {
			now.chars[i] = chars(now.raws[i])
			r.f.Fresh += now.chars[i] / 4
		}
		r.f.SentTokens += now.chars[i] / 4
	}
	if !follows || now.step.Clock != before.step.Clock {
		return // the client's own doing
	}
	now.at = before.at + 1
	r.f.Pairs++
	for _, raw := range before.raws {
		r.f.EarlierBytes += len(raw)
	}
	r.f.SharedBytes += bytes
	r.calm(now, before, shared < len(before.raws))
}

// append adds what sending everything would have cost.
func (r *replay) append(now, before *state) {
	step := now.step
	same := 0
	if before != nil && step.Clock == before.step.Clock && step.From == before.step.From {
		for ids := before.step.Line.IDs; same < min(before.step.UpTo, step.UpTo) && ids[same] == step.Line.IDs[same]; {
			same++
		}
	}
	r.f.ClientTokens += now.header
	if before == nil || step.Clock != before.step.Clock {
		r.f.FreshAppend += now.header
	}
	for i := step.From; i < step.UpTo; i++ {
		n := step.Line.Chars[i] / 4
		r.f.ClientTokens += n
		if i >= same {
			r.f.FreshAppend += n
		}
	}
}

// within is how many requests after a swap none should be needed.
const within = 3

// swap is the last one of a thread.
type swap struct {
	at     int  // the thread's request; -1 = none yet
	tokens int  // of the client's messages then, by Recap's measure
	known  int  // the same at the request before, after which no summary that could be there was begun
	gone   bool // no such summary could have let more leave
}

// calm counts breaks and what caused them. A swap is a change of the checkpoint in use, also to none; a provisional one
// that gives way to the real one at its cut is a break, but no swap. A swap that only goes along with a new batch of
// prunings is not needed, so it is not asked whether it came too soon.
func (r *replay) calm(now, before *state, broke bool) {
	was, is := before.sent.Decision.Used, now.sent.Decision.Used
	now.swap = before.swap
	if broke {
		r.f.Breaks++
	}
	if key(&before.sent.Decision) == key(&now.sent.Decision) {
		landed := was != nil && is != nil && was.Checkpoint.Provisional != is.Checkpoint.Provisional
		if now.pruned = broke && !landed; now.pruned {
			r.f.Prunes++
		}
		return
	}
	r.f.Swaps++
	d, last := &now.sent.Decision, &before.sent.Decision
	if now.swap.at >= 0 && now.at-now.swap.at <= within && needed(d) {
		r.soon(now, before)
	}
	if before.pruned && d.Before-last.Before < d.Levels.Swap-d.Levels.Prepare && offered(last, key(d)) {
		r.f.Split++
		r.f.note("split: %s, request %d (%d messages): covers %d, before %d, where it was pruned; sent %d, before %d; levels %+v", r.run.Name, now.at,
			now.sent.Outline.Len(), covers(d), covers(last), d.After, last.After, d.Levels)
	}
	cuts := before.sent.Outline.Cuts()
	now.swap = swap{at: now.at, tokens: d.Before, known: last.Before, gone: len(cuts) == 0 || covers(d) >= cuts[len(cuts)-1].Covers}
}

// soon counts a swap that was needed within three requests of one. Thrash are all of them. Restless are those where the
// messages since the earlier swap do not fill the gap between the levels; Needless those of them where neither do these
// messages together with the ones that came with that swap, nor had all left that could.
func (r *replay) soon(now, before *state) {
	d, last := &now.sent.Decision, &now.swap
	gap := d.Levels.Swap - d.Levels.Prepare
	r.f.Thrash++
	if d.Before-last.tokens >= gap {
		return
	}
	r.f.Restless++
	word := "restless"
	if d.Before-last.known < gap && !last.gone {
		r.f.Needless++
		word = "needless"
	}
	r.f.note("%s: %s, request %d (%d messages): covers %d, before %d; swapped %d requests ago; %d new tokens since, %d with those that came with it, gap %d; sent %d, before %d; levels %+v",
		word, r.run.Name, now.at, now.sent.Outline.Len(), covers(d), covers(&before.sent.Decision), now.at-last.at,
		d.Before-last.tokens, d.Before-last.known, gap, d.After, before.sent.Decision.After, d.Levels)
}

// needed reports whether the checkpoint in use before would no longer have done; else one was taken along with a new batch
// of prunings, which breaks the prefix anyway.
func needed(d *compaction.Decision) bool {
	size := d.Pruned
	for i := range d.Candidates {
		if c := &d.Candidates[i]; c.Sent {
			size = c.Size
		}
	}
	return !d.Stepped || size >= d.Levels.Swap
}
