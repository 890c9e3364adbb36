package middleware

// About what one entry of the memories weighs, in bytes, as heap profiles of the bench's conversations show it.
const (
	factsBytes = 500  // a message: facts, weight, and its place in the memory
	sentBytes  = 150  // a request: how its messages were sent
	sizesBytes = 4000 // a request: the sizes of its messages
)

// Held is about how many bytes are remembered of messages that were read: what they say and what they weigh, not their text.
func (c *Compactor) Held() int {
	return c.facts.Len()*factsBytes + c.sent.memo.Len()*sentBytes + c.weighed.memo.Len()*sizesBytes
}
