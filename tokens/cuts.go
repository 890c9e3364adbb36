package tokens

import "sync"

const (
	// minCut is the smallest reported prompt that may be the rest of one that was cut, in tokens: less is what a server
	// reports that counts new tokens alone.
	minCut = 512
	// maxSuspects bounds the models that are suspected at the same time.
	maxSuspects = 256
	// guessedHits is how many reports it takes where no number of anybody's explains them.
	guessedHits = 3
)

// Report is what an upstream said of one prompt, beside what we think of it, in tokens.
type Report struct {
	Sent int // our estimate of the messages that were sent, without their reasoning
	Talk int // of that, what users and assistants say: a template may know no tools, and leave out what they say
	Tail int // of that, from the last assistant message on: what a server reports that counts new tokens alone
	Read int // the prompt by the upstream's count
	Told int // the window that the upstream told; 0 = not known
}

// Suspicious reports whether much less was read than was sent.
func (r *Report) Suspicious() bool {
	return r.Read >= minCut && r.Sent*10 >= r.Read*13 && r.Read >= 2*r.Tail
}

// Cuts finds out where an upstream cuts prompts without saying so, as Ollama does. One report proves nothing: an estimate
// may be wrong, a template may leave things out, and some versions count only what was not in their cache. What gives a
// cut away is that the reports stand still at a plausible size while what was sent grows. Safe for concurrent use.
type Cuts struct {
	mu       sync.Mutex
	suspects map[suspect][]Report
}

type suspect struct {
	target
	under bool
}

// NewCuts returns Cuts that suspect nobody.
func NewCuts() *Cuts { return &Cuts{suspects: map[suspect][]Report{}} }

// Saw takes one report about a request like a and returns the window at which its prompts are cut, once the reports show
// that; else 0.
func (c *Cuts) Saw(a Ask, r Report) int {
	s := suspect{target{a.Upstream, a.Model}, a.ownCtx()}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !r.Suspicious() {
		c.clear(s, r)
		return 0
	}
	if _, known := c.suspects[s]; !known && len(c.suspects) >= maxSuspects || len(a.Model) > maxModelName {
		return 0
	}
	hits := append(c.suspects[s], r)
	if len(hits) > guessedHits {
		hits = hits[1:]
	}
	c.suspects[s] = hits
	size := verdict(hits)
	if size > 0 {
		delete(c.suspects, s)
	}
	return size
}

// clear drops a suspicion that an honest report has gone over.
func (c *Cuts) clear(s suspect, r Report) {
	for _, hit := range c.suspects[s] {
		if r.Read > hit.Read*11/10 {
			delete(c.suspects, s)
			return
		}
	}
}

// verdict weighs the suspicious reports about one model, oldest first.
func verdict(hits []Report) int {
	last := hits[len(hits)-1]
	size := last.byTold()
	if size > 0 && last.Sent >= 2*size {
		return size
	}
	if len(hits) < 2 || last.news(hits[len(hits)-2]) {
		return 0
	}
	before := hits[len(hits)-2]
	if size > 0 {
		if before.byTold() == size {
			return size
		}
		return 0
	}
	for _, hit := range hits {
		if hit.Talk*10 < hit.Read*13 {
			return 0
		}
	}
	if size := last.byHabit(); size > 0 && before.byHabit() == size && still(before, last, 105) {
		return size
	}
	if len(hits) == guessedHits && still(hits[0], last, 120) && still(hits[0], before, 105) {
		return max(hits[0].Read, before.Read, last.Read)
	}
	return 0
}

// byTold is the window that the upstream told, where it explains the report: the prompt was longer, and what was read is
// what fits into it in whole messages, or the half that the runner keeps of a single long one.
func (r *Report) byTold() int {
	if r.Told > 0 && r.Sent > r.Told && r.Read <= r.Told+slack && r.Read >= r.Told/2 {
		return r.Told
	}
	return 0
}

// slack is how far over the window a report may be, in tokens: a template's own ones.
const slack = 8

// byHabit is the window that people and servers usually set, a power of two, where the report is just under it, or where
// it is half of one and the two tokens that Ollama's runner keeps beyond.
func (r *Report) byHabit() int {
	for size := 2048; size <= 1<<20; size *= 2 {
		switch {
		case r.Read == size+2:
			return 2 * size
		case r.Read > size*7/8 && r.Read <= size:
			return size
		}
	}
	return 0
}

// news reports whether what was read is about what has been added since the report before: a server that counts new
// tokens alone.
func (r *Report) news(before Report) bool {
	added := r.Sent - before.Sent
	return added > 0 && r.Read*10 > added*6 && r.Read*10 < added*16
}

// still reports whether from a to b what was said has changed by so many percent at least, while what was read has not
// followed it.
func still(a, b Report, percent int) bool {
	if a.Talk > b.Talk {
		a, b = b, a
	}
	grown := b.Talk*100 >= a.Talk*percent
	low, high := min(a.Read, b.Read), max(a.Read, b.Read)
	return grown && (high-low)*2*a.Talk <= (b.Talk-a.Talk)*low && high*100 <= low*115
}
