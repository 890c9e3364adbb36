package chat

// Placement says where the summary goes.
type Placement string

// The placements.
const (
	InUser   Placement = "user"   // in front of the first kept user message's text
	InSystem Placement = "system" // behind the first system message's text
)

// Trim replaces the content of one tool result by a shorter text.
type Trim struct {
	Message int // index in Chat.Messages
	Result  int // index in Message.Results
	Text    string
}

// Note puts text into a message that stays: in front of its text, or behind it.
type Note struct {
	Message int // index in Chat.Messages
	Behind  bool
	Text    string
}

// Plan is the one value that says what happens to a request: messages that leave, results that get shorter, and
// the note that stands for what left. Indexes ascend, no message is named by two parts. The zero Plan changes
// nothing.
type Plan struct {
	Drop  []int // indexes in Chat.Messages
	Trims []Trim
	Note  *Note
}

// Empty reports whether p changes nothing.
func (p *Plan) Empty() bool { return len(p.Drop) == 0 && len(p.Trims) == 0 && p.Note == nil }

// Status is what happened to a request, in the order of X-Recap-Status: the last that applies is shown.
type Status string

// The statuses.
const (
	Clear       Status = "clear"
	Pruned      Status = "pruned"
	Compacted   Status = "compacted"
	Provisional Status = "provisional"
	OverWindow  Status = "over-window"
	Observed    Status = "observed"
	Off         Status = "off"
	Bypass      Status = "bypass"
)

// Usage is what an upstream reported about one exchange. Zero means "not said".
type Usage struct {
	Prompt     int // tokens, cached ones included
	Cached     int
	Completion int
}
