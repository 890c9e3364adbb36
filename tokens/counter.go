package tokens

import "recap/chat"

// Counter weighs chats. Safe for concurrent use.
type Counter struct{}

// NewCounter returns a Counter that knows models; its background worker runs until Close.
func NewCounter(models []Model) *Counter { return &Counter{} }

// Sizes weighs c for an upstream. It never tokenises: what is not counted yet weighs by the fixed measure.
func (k *Counter) Sizes(c *chat.Chat, upstream string) Sizes {
	return Sizes{Messages: make([]int, len(c.Messages)), Fixed: make([]int, len(c.Messages))}
}

// Learn counts in the background what of c is not yet counted.
func (k *Counter) Learn(c *chat.Chat) {}

// Observe calibrates the measures for upstream and model: reported is the prompt's size in tokens by the upstream.
func (k *Counter) Observe(upstream, model string, s *Sizes, reported int) {}

// Export returns the calibration for Import, as JSON without any text of a chat.
func (k *Counter) Export() []byte { return nil }

// Import takes over what Export gave.
func (k *Counter) Import(saved []byte) error { return nil }

// Close ends the background worker and waits for it.
func (k *Counter) Close() {}
