package measure

import (
	"recap/pruning"
	"recap/summarizer"
)

// Arm is one way to prune.
type Arm struct {
	Name string
	set  func(*pruning.Options)
}

// The arms. The ratio rules are measured with a least size of 2,000 characters: with the default of 50,000 they prune
// nothing in these histories.
var (
	Untouched   = Arm{"untouched", func(*pruning.Options) {}}
	RatioEach   = Arm{"ratio, every request", ratio(pruning.EveryRequest)}
	RatioBatch  = Arm{"ratio, batched", ratio(pruning.Batched)}
	Budget      = Arm{"budget", budget(func(o *pruning.Options) { o.DigestChars = 0 })}
	BudgetNotes = Arm{"budget + digest", budget(func(*pruning.Options) {})}
	BudgetCap   = Arm{"budget + cap", budget(func(o *pruning.Options) { o.DigestChars, o.CapNewChars = 0, 8000 })}
	BudgetBoth  = Arm{"budget + digest + cap", budget(func(o *pruning.Options) { o.CapNewChars = 8000 })}
)

// Arms lists them in the order of the table.
func Arms() []Arm {
	return []Arm{Untouched, RatioEach, RatioBatch, Budget, BudgetNotes, BudgetCap, BudgetBoth}
}

func ratio(cadence string) func(*pruning.Options) {
	return func(o *pruning.Options) {
		o.Enabled, o.Strategy, o.Cadence, o.MinPrunableToolChars = true, pruning.Ratio, cadence, 2000
	}
}

func budget(change func(*pruning.Options)) func(*pruning.Options) {
	return func(o *pruning.Options) {
		o.Enabled, o.Strategy = true, pruning.Budget
		change(o)
	}
}

// Setup is under which a run is replayed.
type Setup struct {
	Arm         Arm
	Window      int  // tokens
	Checkpoints bool // summaries are written and used
	Script      Script
	Delay       int // requests until a summary is there; at least 1
	Header      int // tokens of fixed parts
	Tenant      string
	MinMessages int // 0 = the default
}

// Options are the settings of a setup: the defaults, but for what the arm changes.
func (s *Setup) Options() summarizer.Options {
	o := summarizer.Defaults()
	o.Enabled = s.Checkpoints
	if s.MinMessages > 0 {
		o.MinMessages = s.MinMessages
	}
	s.Arm.set(&o.ContextPruning)
	return o
}
