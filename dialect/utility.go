package dialect

// Utility asks NexusAI's utility model for a summary (row N13): POST …/utility/complete. It is no chat format.
type Utility struct{}

// Name is "utility".
func (Utility) Name() string { return "utility" }

// Ask builds the request for one summary.
func (Utility) Ask(q Question) (Request, error) { return Request{}, nil }

// Answer reads the answer to Ask.
func (Utility) Answer(status int, body []byte) (Reply, error) { return Reply{}, nil }
