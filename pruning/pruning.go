// Package pruning decides which tool results get shorter. It is pure: no clock, no network, no log.
package pruning

import (
	"recap/chat"
)

// Options is the `contextPruning` block, LibreChat's keys beside ours (rows L14–L19, design.md §5).
type Options struct {
	Enabled              bool      `yaml:"enabled"`
	Strategy             string    `yaml:"strategy"` // ratio or budget
	Cadence              string    `yaml:"cadence"`  // batched or everyRequest
	KeepLastAssistants   int       `yaml:"keepLastAssistants"`
	SoftTrimRatio        float64   `yaml:"softTrimRatio"`
	HardClearRatio       float64   `yaml:"hardClearRatio"`
	MinPrunableToolChars int       `yaml:"minPrunableToolChars"`
	SoftTrim             SoftTrim  `yaml:"softTrim"`
	HardClear            HardClear `yaml:"hardClear"`
	ProtectTokens        int       `yaml:"protectTokens"`
	ClearAtLeast         int       `yaml:"clearAtLeast"` // tokens
	ExcludeTools         []string  `yaml:"excludeTools"`
	DigestChars          int       `yaml:"digestChars"`
	CapNewChars          int       `yaml:"capNewChars"`
}

// SoftTrim cuts a long result to its head and tail.
type SoftTrim struct {
	MaxChars  int `yaml:"maxChars"`
	HeadChars int `yaml:"headChars"`
	TailChars int `yaml:"tailChars"`
}

// HardClear replaces a result by a placeholder.
type HardClear struct {
	Enabled     bool   `yaml:"enabled"`
	Placeholder string `yaml:"placeholder"`
}

// Result is what a pass decided.
type Result struct {
	Trims []chat.Trim // ascending by Message, Result
	Saved int         // tokens by the fixed measure
}

// Defaults returns the options with their documented defaults (rows L14–L19; the budget's own from design.md §5).
func Defaults() Options {
	return Options{
		Strategy: "ratio", Cadence: "batched",
		KeepLastAssistants: 3, SoftTrimRatio: 0.3, HardClearRatio: 0.5, MinPrunableToolChars: 50000,
		SoftTrim:      SoftTrim{MaxChars: 4000, HeadChars: 1500, TailChars: 1500},
		HardClear:     HardClear{Enabled: true, Placeholder: "[Old tool result content cleared]"},
		ProtectTokens: 10000, DigestChars: 400,
	}
}

// Validate says what in o is out of range, naming the key.
func (o *Options) Validate() error { return nil }

// Pruner is Prune with a memory for what results weigh. Its answers are the same with a cold memory. Safe for
// concurrent use.
type Pruner struct{}

// New returns a Pruner that remembers about limit messages.
func New(limit int) *Pruner { return &Pruner{} }

// Prune decides over the client's whole history, blind to checkpoints. window (tokens) scales the batches; 0 means
// unknown. With urgent the batch gate is left out: the overflow ladder's first step. The Trims with urgent
// contain at least those without.
func (p *Pruner) Prune(c *chat.Chat, o *Options, window int, urgent bool) Result { return Result{} }

// Prune is Pruner.Prune without a memory.
func Prune(c *chat.Chat, o *Options, window int, urgent bool) Result { return Result{} }
