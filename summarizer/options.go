package summarizer

import "recap/pruning"

// Options is the `summarization` section: LibreChat's keys, verbatim, and ours beside them.
type Options struct {
	Enabled          bool            `yaml:"enabled"`
	Provider         string          `yaml:"provider"`
	Model            string          `yaml:"model"`
	Parameters       map[string]any  `yaml:"parameters"`
	Mode             string          `yaml:"mode"`  // transcript
	Style            string          `yaml:"style"` // checkpoint or narrative
	Prompt           string          `yaml:"prompt"`
	UpdatePrompt     string          `yaml:"updatePrompt"`
	MaxSummaryTokens int             `yaml:"maxSummaryTokens"`
	RowTokens        int             `yaml:"rowTokens"`
	MaxInputChars    int             `yaml:"maxInputChars"`
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

// LedgerOptions bounds the exact strings that code adds to a summary.
type LedgerOptions struct {
	UserTokens int `yaml:"userTokens"`
	FactTokens int `yaml:"factTokens"`
}

// Trigger says when a chat is compacted (rows L9–L12, N2). The zero Trigger fires when the chat does not fit.
type Trigger struct {
	Type     string  `yaml:"type"` // token_ratio, remaining_tokens, messages_to_refine, token_count or ""
	Value    float64 `yaml:"value"`
	MinTurns int     `yaml:"minTurns"`
}

// Provider is one entry of `providers`: who may write summaries instead of the chat's own upstream.
type Provider struct {
	Name    string `yaml:"name"`
	Dialect string `yaml:"dialect"` // openai, ollama or utility
	URL     string `yaml:"url"`
	APIKey  string `yaml:"apiKey"`
}
