package fakellm

import (
	"bytes"
	"sync"
)

// promptCache remembers the latest prompts, one a slot, as llama.cpp does: a request takes the slot with which it has
// the most in common and overwrites it.
type promptCache struct {
	mu    sync.Mutex
	slots []prompt
	limit int
}

// prompt is what the cache compares: the frame (model, tools) and the messages' bytes.
type prompt struct {
	frame    string
	messages [][]byte
}

// take returns how many leading messages of p are in a slot, and puts p there. The frame must be equal for
// anything to be found.
func (c *promptCache) take(p prompt) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	best, common := -1, 0
	for i := range c.slots {
		if n := c.slots[i].common(p); n > common {
			best, common = i, n
		}
	}
	switch {
	case best < 0 && len(c.slots) < c.limit:
		c.slots = append(c.slots, p)
		return 0
	case best < 0:
		best = 0
	}
	// The newest stands last, so that the slot at the front is the one longest unused.
	c.slots = append(append(c.slots[:best:best], c.slots[best+1:]...), p)
	return common
}

func (c *promptCache) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.slots = nil
}

func (p *prompt) common(with prompt) (n int) {
	if p.frame != with.frame {
		return 0
	}
	for n < len(p.messages) && n < len(with.messages) && bytes.Equal(p.messages[n], with.messages[n]) {
		n++
	}
	return n
}
