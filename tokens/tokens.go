// Package tokens counts: what a chat weighs, how that differs from what the upstream reports, and how large the
// model's window really is.
package tokens

import "recap/chat"

// Model is one entry of the `models` section: what is known of the models whose name matches.
type Model struct {
	Match         string `yaml:"match"`         // glob over the model's name
	ContextWindow int    `yaml:"contextWindow"` // tokens; 0 = not said
	Encoding      string `yaml:"encoding"`      // o200k_base, cl100k_base, …; "" = by the built-in table
	ImageTokens   int    `yaml:"imageTokens"`   // per image; 0 = 1000
	Price         Price  `yaml:"price"`
}

// Price is what a million tokens cost, in whatever currency the user thinks in.
type Price struct {
	Input  float64 `yaml:"input"`
	Output float64 `yaml:"output"`
}

// Window is a context window and where its number comes from.
type Window struct {
	Size    int    // tokens; 0 = unknown
	Source  string // header, request, config, upstream, default, table, learned, unknown
	Guessed bool   // from a default or a table: nobody measured it
}

// Sizes is what a chat weighs, in tokens.
type Sizes struct {
	Messages   []int // per message of Chat.Messages, overhead included: counted where known, else by the fixed measure; calibrated
	Extra      int   // tools, schemas, format and the answer's priming, likewise
	Fixed      []int // per message by the fixed measure, not calibrated
	FixedExtra int
	Missing    int // messages whose exact count is not known yet
}

// Total is the sum of all calibrated sizes.
func (s *Sizes) Total() int {
	sum := s.Extra
	for _, n := range s.Messages {
		sum += n
	}
	return sum
}

var _ chat.Role
