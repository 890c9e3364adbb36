package measure

import (
	"strings"

	"recap/eval/workload"
	"recap/internal/fakellm"
)

// factsEvery is how often planted facts are looked for; the last request always is.
const factsEvery = 5

// lookUp looks for what should still be visible in what was sent: planted facts (m6), and what the coming calls use (m7).
func (r *replay) lookUp(i int, now *state) {
	for _, word := range now.step.Needs() {
		r.f.Needs++
		if strings.Contains(now.sent.Body, word) {
			r.f.Visible++
		}
	}
	if len(r.run.Facts) == 0 || i%factsEvery != 0 && i != len(r.run.Steps)-1 {
		return
	}
	text := fakellm.TextOf(r.run.Dialect, []byte(now.sent.Body))
	for at := range r.run.Facts {
		if f := &r.run.Facts[at]; f.Message < now.step.UpTo {
			r.fact(f, now.step, text)
		}
	}
}

// fact judges one fact. One that was replaced by now is only looked at for a contradiction: it may be gone, but must not
// stand without what replaced it.
func (r *replay) fact(f *workload.Fact, step *workload.Step, text string) {
	visible := strings.Contains(text, f.Text)
	if f.Until > 0 && f.Until < step.UpTo {
		if visible && !strings.Contains(text, f.By) {
			r.f.Contradicted++
		}
		return
	}
	r.f.Facts++
	switch {
	case visible:
		r.f.Kept++
	case strings.Contains(text, f.Text[:(len(f.Text)*4+4)/5]):
		r.f.Corrupted++
	}
}
