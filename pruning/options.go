package pruning

import (
	"errors"
	"fmt"
	"strings"
)

// The strategies and cadences.
const (
	Ratio        = "ratio"        // LibreChat's rule: results age with the chat
	Budget       = "budget"       // made for agents: the newest results are protected, older ones leave in batches
	Batched      = "batched"      // the border moves only when enough is freed
	EveryRequest = "everyRequest" // the rule is applied afresh each time, as LibreChat does
)

// Options is the `contextPruning` block, LibreChat's keys beside ours (rows L14–L19, design.md §5).
type Options struct {
	Enabled              bool      `yaml:"enabled"`
	Strategy             string    `yaml:"strategy"`           // a name in the table of strategies
	Cadence              string    `yaml:"cadence"`            // batched or everyRequest
	KeepLastAssistants   int       `yaml:"keepLastAssistants"` // ratio: assistant turns, budget: assistant messages
	SoftTrimRatio        float64   `yaml:"softTrimRatio"`
	HardClearRatio       float64   `yaml:"hardClearRatio"`
	MinPrunableToolChars int       `yaml:"minPrunableToolChars"` // ratio only
	SoftTrim             SoftTrim  `yaml:"softTrim"`
	HardClear            HardClear `yaml:"hardClear"`
	ProtectTokens        int       `yaml:"protectTokens"` // budget only; at most half the window counts
	ClearAtLeast         int       `yaml:"clearAtLeast"`  // tokens; 0 = 20000, or 15 % of a smaller window
	ExcludeTools         []string  `yaml:"excludeTools"`  // budget only: names, * and ? allowed
	DigestChars          int       `yaml:"digestChars"`   // budget only
	CapNewChars          int       `yaml:"capNewChars"`   // budget only; 0 = off
}

// SoftTrim cuts a long result to its head and tail. All sizes are in code points.
type SoftTrim struct {
	MaxChars  int `yaml:"maxChars"`
	HeadChars int `yaml:"headChars"`
	TailChars int `yaml:"tailChars"`
}

// HardClear replaces a result by a placeholder. Not enabled, results are only soft trimmed, by either strategy.
type HardClear struct {
	Enabled     bool   `yaml:"enabled"`
	Placeholder string `yaml:"placeholder"`
}

// Defaults returns the options with their documented defaults (rows L14–L19; the budget's own from design.md §5).
func Defaults() Options {
	return Options{
		Strategy:             Ratio,
		Cadence:              Batched,
		KeepLastAssistants:   3,
		SoftTrimRatio:        0.3,
		HardClearRatio:       0.5,
		MinPrunableToolChars: 50000,
		SoftTrim:             SoftTrim{MaxChars: 4000, HeadChars: 1500, TailChars: 1500},
		HardClear:            HardClear{Enabled: true, Placeholder: "[Old tool result content cleared]"},
		ProtectTokens:        10000,
		DigestChars:          400,
	}
}

// minCap is the smallest capNewChars: less leaves no room for a head, a tail and the marker.
const minCap = 200

// Validate says what in o is out of range, each fault with its key.
func (o *Options) Validate() error {
	var faults []error
	want := func(ok bool, key, allowed string, got any) {
		if !ok {
			faults = append(faults, fmt.Errorf("%s: want %s, got %v", key, allowed, got))
		}
	}
	share := func(r float64) bool { return r >= 0 && r <= 1 }
	trim := o.SoftTrim
	want(strategyOf(o.Strategy) != nil, "strategy", strings.Join(StrategyNames(), " or "), o.Strategy)
	want(o.Cadence == Batched || o.Cadence == EveryRequest, "cadence", "batched or everyRequest", o.Cadence)
	want(o.KeepLastAssistants >= 0 && o.KeepLastAssistants <= 10, "keepLastAssistants", "0 to 10", o.KeepLastAssistants)
	want(share(o.SoftTrimRatio), "softTrimRatio", "0 to 1", o.SoftTrimRatio)
	want(share(o.HardClearRatio), "hardClearRatio", "0 to 1", o.HardClearRatio)
	want(o.MinPrunableToolChars >= 0, "minPrunableToolChars", "at least 0", o.MinPrunableToolChars)
	want(trim.MaxChars >= 1, "softTrim.maxChars", "at least 1", trim.MaxChars)
	want(trim.HeadChars >= 0, "softTrim.headChars", "at least 0", trim.HeadChars)
	want(trim.TailChars >= 0, "softTrim.tailChars", "at least 0", trim.TailChars)
	want(trim.HeadChars+trim.TailChars < trim.MaxChars, "softTrim", "headChars + tailChars under maxChars",
		fmt.Sprintf("%d + %d and %d", trim.HeadChars, trim.TailChars, trim.MaxChars))
	want(o.ProtectTokens >= 0, "protectTokens", "at least 0", o.ProtectTokens)
	want(o.ClearAtLeast >= 0, "clearAtLeast", "at least 0", o.ClearAtLeast)
	want(o.DigestChars >= 0, "digestChars", "at least 0", o.DigestChars)
	want(o.CapNewChars == 0 || o.CapNewChars >= minCap, "capNewChars", fmt.Sprintf("0 or at least %d", minCap), o.CapNewChars)
	return errors.Join(faults...)
}

// gate is what a batch must free at least, in tokens.
func (o *Options) gate(window int) int {
	const usual, share = 20000, 15
	switch {
	case o.ClearAtLeast > 0:
		return o.ClearAtLeast
	case window > 0:
		return min(usual, window*share/100)
	}
	return usual
}

// protected is how many tokens of the newest results are protected.
func (o *Options) protected(window int) int {
	if window > 0 {
		return min(o.ProtectTokens, window/2)
	}
	return o.ProtectTokens
}
