package tokens

import "recap/chat"

// recall is what the first messages of a chat weigh, for the chats that begin with them. It is immutable.
type recall struct {
	by      *Counter
	profile profile
	counted int64 // of the learner's weights: a later one may be of these messages
	rows    []row
}

// recalled copies the rows of those first messages of c that are remembered into rows, and returns their number.
func (k *Counter) recalled(c *chat.Chat, p profile, counted int64, rows []row) int {
	if c.Before == nil {
		return 0
	}
	r, ok := c.Before.Weights.Load().(*recall)
	if !ok || r.by != k || r.profile != p || r.counted != counted || len(r.rows) > len(rows) {
		return 0
	}
	return copy(rows, r.rows)
}

// remember keeps the rows of c's messages, to which nobody writes any more.
func (k *Counter) remember(c *chat.Chat, p profile, counted int64, rows []row) {
	if c.After != nil {
		c.After.Weights.Store(&recall{by: k, profile: p, counted: counted, rows: rows[:len(rows):len(rows)]})
	}
}
