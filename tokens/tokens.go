// Package tokens counts: what a chat weighs, how that differs from what the upstream reports, and how large the
// model's window really is.
//
// Two measures live side by side. The fixed one, Estimate, depends on the text alone and is cheap enough for the
// request path: it places borders and answers at first sight. The counted one is tiktoken's, filled in behind the
// answer by a background worker. Both are calibrated by what the upstream reports; the sizes of a known chat
// cost one lookup per message.
package tokens

// Model is one entry of the `models` section: what is known of the models whose name matches.
type Model struct {
	Match         string `yaml:"match"`         // glob over the model's name
	ContextWindow int    `yaml:"contextWindow"` // tokens; 0 = not said
	ReplyTokens   int    `yaml:"replyTokens"`   // the most it answers; 0 = by the upstream or the built-in table
	Encoding      string `yaml:"encoding"`      // o200k_base, cl100k_base, …; "" = by the built-in table
	ImageTokens   int    `yaml:"imageTokens"`   // per image; 0 = by the built-in table, which has 1000 for most
	Price         Price  `yaml:"price"`
}

// Price is what a million tokens cost, in whatever currency the user thinks in.
type Price struct {
	Input  float64 `yaml:"input"`
	Cached float64 `yaml:"cached"` // of the prompt: what the upstream had in its cache; 0 = as input
	Output float64 `yaml:"output"`
}
