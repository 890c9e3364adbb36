package measure

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

// calm counts breaks and what caused them. A swap is a change of the checkpoint in use, also to none; a provisional one
// that gives way to the real one at its cut is a break, but no swap.
func (r *replay) calm(now, before *state, broke bool) {
	was, is := before.sent.Decision.Used, now.sent.Decision.Used
	swapped := key(&before.sent.Decision) != key(&now.sent.Decision)
	now.swap, now.before = before.swap, before.before
	if broke {
		r.f.Breaks++
	}
	if !swapped {
		landed := was != nil && is != nil && was.Checkpoint.Provisional != is.Checkpoint.Provisional
		if now.pruned = broke && !landed; now.pruned {
			r.f.Prunes++
		}
		return
	}
	r.f.Swaps++
	d := &now.sent.Decision
	gap := d.Levels.Swap - d.Levels.Prepare
	if now.swap >= 0 && now.at-now.swap <= within {
		r.f.Thrash++
		if d.Before-now.before < gap {
			r.f.Restless++
			r.f.note("restless: %s, request %d (%d messages): covers %d, before %d; swapped %d requests ago; %d new tokens since, gap %d; sent %d, before %d; levels %+v",
				r.run.Name, now.at, now.sent.Outline.Len(), covers(d), covers(&before.sent.Decision), now.at-now.swap,
				d.Before-now.before, gap, d.After, before.sent.Decision.After, d.Levels)
		}
	}
	if before.pruned && d.Before-before.sent.Decision.Before < gap && offered(&before.sent.Decision, key(d)) {
		r.f.Split++
		r.f.note("split: %s, request %d (%d messages): covers %d, before %d, where it was pruned; sent %d, before %d; levels %+v", r.run.Name, now.at,
			now.sent.Outline.Len(), covers(d), covers(&before.sent.Decision), d.After, before.sent.Decision.After, d.Levels)
	}
	now.swap, now.before = now.at, d.Before
}
