package summarizer

import (
	"encoding/hex"

	"recap/chat"
	"recap/pruning"
)

// Options is the `summarization` section: LibreChat's keys, verbatim, and ours beside them.
type Options struct {
	Enabled          bool            `yaml:"enabled"`
	Provider         string          `yaml:"provider"` // a name from `providers`; "" = the chat's own upstream
	Model            string          `yaml:"model"`    // "" = the chat's own
	Parameters       map[string]any  `yaml:"parameters"`
	Mode             string          `yaml:"mode"`         // transcript or suffix
	Style            string          `yaml:"style"`        // one of Styles
	Prompt           string          `yaml:"prompt"`       // replaces the built-in first instruction
	UpdatePrompt     string          `yaml:"updatePrompt"` // replaces the built-in update instruction
	MaxSummaryTokens int             `yaml:"maxSummaryTokens"`
	RowTokens        int             `yaml:"rowTokens"`     // size at which a row is sealed; 0 = one rolling row
	MaxInputChars    int             `yaml:"maxInputChars"` // code points of the record in one call; 0 = what the window holds
	ReserveRatio     float64         `yaml:"reserveRatio"`
	Trigger          Trigger         `yaml:"trigger"`
	Prepare          float64         `yaml:"prepare"`
	RetainRecent     RetainRecent    `yaml:"retainRecent"`
	Placement        string          `yaml:"placement"` // user or system
	Overflow         string          `yaml:"overflow"`  // fit, pass or reject
	MinMessages      int             `yaml:"minMessages"`
	Ledger           LedgerOptions   `yaml:"ledger"`
	ContextPruning   pruning.Options `yaml:"contextPruning"`
}

// RetainRecent says how much of the end stays verbatim (row L13).
type RetainRecent struct {
	Turns  int `yaml:"turns"`
	Tokens int `yaml:"tokens"` // 0 = no limit
}

// LedgerOptions bounds the exact strings that code adds to a summary, in tokens by the fixed measure; 0 leaves
// the part out.
type LedgerOptions struct {
	UserTokens int `yaml:"userTokens"` // the user's own words
	FactTokens int `yaml:"factTokens"` // paths, URLs, identifiers, numbers
}

// Provider is one entry of `providers`: who may write summaries instead of the chat's own upstream.
type Provider struct {
	Name    string `yaml:"name"`
	Dialect string `yaml:"dialect"` // openai, ollama or utility
	URL     string `yaml:"url"`     // base URL, or the full one of the endpoint
	APIKey  string `yaml:"apiKey"`
}

// Defaults returns the values that hold where the file says nothing (design.md §7).
func Defaults() Options {
	return Options{
		Enabled:          true,
		Mode:             TranscriptMode,
		Style:            CheckpointStyle,
		MaxSummaryTokens: 2048,
		ReserveRatio:     0.05,
		Prepare:          0.75,
		RetainRecent:     RetainRecent{Turns: 2},
		Placement:        string(chat.InUser),
		Overflow:         "fit",
		MinMessages:      6,
		Ledger:           LedgerOptions{UserTokens: 2000, FactTokens: 600},
		ContextPruning:   pruning.Defaults(),
	}
}

// SummaryLimit is the largest summary, in tokens by the fixed measure, that is stored for a window (0 = unknown).
func (o *Options) SummaryLimit(window int) int {
	limit := max(o.MaxSummaryTokens, 1)
	if window > 0 {
		limit = max(min(limit, window*15/100), 1)
	}
	return limit
}

// Recipe names how summaries are made: checkpoints of different recipes are never mixed. It holds the style, the
// prompts that replace the built-in ones, and the configured summary model (o.Model in most cases), not the chat's.
// The built-in prompts count by name: a better wording does not throw stored checkpoints away.
func Recipe(o *Options, model string) string {
	h := chat.NewHasher()
	h.Field('s', o.Style)
	h.Field('p', o.Prompt)
	h.Field('u', o.UpdatePrompt)
	h.Field('m', model)
	d := h.Sum()
	return hex.EncodeToString(d[:8])
}
