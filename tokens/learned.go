package tokens

import "time"

const (
	// learnedFor is how long a learned limit holds: servers are restarted with other settings.
	learnedFor = 6 * time.Hour
	// minLearned is the smallest limit that is believed, in tokens.
	minLearned = 256
	// maxWindow is the largest window that is believed, in tokens.
	maxWindow = 100_000_000
)

// limit is what was learned of a window from what the upstream did with a prompt.
type limit struct {
	learned int // tokens; 0 = nothing
	taught  time.Time
	under   bool // of requests that set a num_ctx of their own, for which Ollama allocates another window
	cut     bool // from a silent cut
}

// holds reports whether l says anything about requests like a.
func (l *limit) holds(a Ask) bool {
	return l.learned > 0 && time.Since(l.taught) <= learnedFor && l.under == a.ownCtx()
}

// ownCtx reports whether the request sets the window that it is run in.
func (a *Ask) ownCtx() bool { return a.Native && a.NumCtx > 0 }

// capped applies the limit that was learned. It caps every other source, but for one: a request that has Ollama
// allocate a window of its own is not held to what was learned of the window that Ollama allocates by itself.
func (w *Windows) capped(a Ask, k *knowledge, win Window) Window {
	if !k.holds(a) || win.Size > 0 && win.Size <= k.learned {
		return win
	}
	return Window{Size: k.learned, Source: "learned", Cut: k.cut}
}

// Learn caps the window of a model at size tokens. The newest word holds, for six hours.
func (w *Windows) Learn(upstream, model string, size int) {
	w.teach(target{upstream, model}, limit{learned: size})
}

func (w *Windows) teach(t target, l limit) bool {
	if l.learned < minLearned || l.learned > maxWindow {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	k := w.entry(t)
	if k == nil {
		return false
	}
	l.taught = time.Now()
	k.limit = l
	w.answers.changes.Add(1)
	return true
}

// TooLong learns from an upstream's refusal of a prompt. believed is the window that the prompt was made for, said the
// limit that the refusal names (0 = none) and sent the prompt's size by our own estimate, all in tokens. Where no limit is
// named, it is what the upstream told of itself, if that is less, else the size that was refused: whatever the truth
// is, so much of our tokens does not fit. It reports whether anything was learned.
func (w *Windows) TooLong(a Ask, believed, said, sent int) bool {
	k, _ := w.snapshot(a)
	switch {
	case said > 0:
	case a.ownCtx():
		return false // its window is what it asked for: our estimate is wrong, not the number
	case k.window > 0 && k.window < believed:
		said = k.window
	case sent < believed || believed == 0:
		said = sent
	}
	if a.ownCtx() && said >= a.NumCtx*9/10 {
		return false // no news, and nothing for requests with another num_ctx
	}
	return w.teach(target{a.Upstream, a.Model}, limit{learned: said, under: a.ownCtx()})
}

// Cut learns that the upstream cuts prompts of requests like a at size tokens and does not say so.
func (w *Windows) Cut(a Ask, size int) bool {
	return w.teach(target{a.Upstream, a.Model}, limit{learned: size, under: a.ownCtx(), cut: true})
}

// Fits takes back a learned limit that a prompt of that many tokens, by the upstream's own count, has gone over.
func (w *Windows) Fits(a Ask, prompt int) {
	k, _ := w.snapshot(a)
	if !k.holds(a) || prompt <= k.learned {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if k := w.known[target{a.Upstream, a.Model}]; k != nil && prompt > k.learned {
		k.limit = limit{}
		w.answers.changes.Add(1)
	}
}

// Asked reports whether a's upstream was asked for its window, and has answered or failed.
func (w *Windows) Asked(a Ask) bool {
	k, _ := w.snapshot(a)
	return !k.at.IsZero()
}

// Told is what is known of the window from the upstream itself: what it told when it was asked, and for a request of
// Ollama's that sets its own, that; 0 = nothing.
func (w *Windows) Told(a Ask) int {
	k, _ := w.snapshot(a)
	if a.ownCtx() {
		return atMost(a.NumCtx, k.trained)
	}
	return k.window
}
