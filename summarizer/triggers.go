package summarizer

import (
	"fmt"
	"math"
)

// Trigger says when a chat is compacted (rows L9–L12, N2). The zero Trigger fires when the chat does not fit.
type Trigger struct {
	Type     string  `yaml:"type"` // a name from TriggerTypes or ""
	Value    float64 `yaml:"value"`
	MinTurns int     `yaml:"minTurns"` // finished turns that no checkpoint covers yet; 0 = do not ask
}

// Counts is what the count triggers and minTurns look at.
type Counts struct {
	Tokens    int // of all the client's non-system messages
	Refinable int // messages before the kept tail that no checkpoint covers
	Turns     int // finished turns that no checkpoint covers, the kept tail's included
}

// TriggerType is one row of the table of triggers. A trigger on size has a level, one on counts fires.
type TriggerType struct {
	Name string
	Max  float64 // values lie in (0, Max]; +Inf = no upper end
	Unit string  // of the value: "ratio" is a fraction, the others are whole numbers

	level func(value float64, window int) int
	fires func(value float64, c Counts) bool
}

// triggerTypes is the table of triggers. To add one, add its row.
var triggerTypes = []TriggerType{
	{
		Name: "token_ratio", Max: 1, Unit: "ratio",
		// The smallest whole number whose share is the value: 0.1 of 30 is 3 whatever floating point makes of it.
		level: func(v float64, window int) int { return int(math.Ceil(v*float64(window) - 1e-6)) },
	},
	{
		Name: "remaining_tokens", Max: math.Inf(1), Unit: "tokens",
		level: func(v float64, window int) int { return window - int(min(v, float64(window))) },
	},
	{
		Name: "messages_to_refine", Max: math.Inf(1), Unit: "messages",
		fires: func(v float64, c Counts) bool { return float64(c.Refinable) >= v },
	},
	{
		Name: "token_count", Max: math.Inf(1), Unit: "tokens",
		fires: func(v float64, c Counts) bool { return float64(c.Tokens) > v },
	},
}

// TriggerTypes returns the table of triggers.
func TriggerTypes() []TriggerType { return append([]TriggerType(nil), triggerTypes...) }

// Level returns the size, in tokens of the whole window, at or over which a trigger on size fires, at least 1; false
// when the trigger does not look at the size.
func (t *Trigger) Level(window int) (int, bool) {
	kind := t.kind()
	if kind == nil || kind.level == nil {
		return 0, false
	}
	return max(kind.level(t.Value, window), 1), true
}

// Counts reports whether the trigger looks at counts, not at the size.
func (t *Trigger) Counts() bool {
	kind := t.kind()
	return kind != nil && kind.fires != nil
}

// Fires reports whether a trigger on counts fires, minTurns included. Triggers on size never do: see Level.
func (t *Trigger) Fires(c Counts) bool {
	return t.Counts() && t.EnoughTurns(c) && t.kind().fires(t.Value, c)
}

// EnoughTurns is the minTurns check, which holds for every trigger.
func (t *Trigger) EnoughTurns(c Counts) bool { return c.Turns >= t.MinTurns }

// Check says what is wrong with the trigger, nil when nothing is.
func (t *Trigger) Check() error {
	if t.MinTurns < 0 {
		return fmt.Errorf("check minTurns: %d is under 0", t.MinTurns)
	}
	if t.Type == "" {
		return nil
	}
	kind := t.kind()
	switch {
	case kind == nil:
		return fmt.Errorf("check trigger type: no trigger is named %q", t.Type)
	case !(t.Value > 0) || t.Value > kind.Max || math.IsInf(t.Value, 0):
		return fmt.Errorf("check trigger value of %s: want more than 0%s", t.Type, kind.upTo())
	case kind.Unit != "ratio" && t.Value != math.Trunc(t.Value):
		return fmt.Errorf("check trigger value of %s: want a whole number of %s", t.Type, kind.Unit)
	}
	return nil
}

func (k *TriggerType) upTo() string {
	if math.IsInf(k.Max, 1) {
		return ""
	}
	return fmt.Sprintf(", at most %g", k.Max)
}

func (t *Trigger) kind() *TriggerType {
	for i := range triggerTypes {
		if triggerTypes[i].Name == t.Type {
			return &triggerTypes[i]
		}
	}
	return nil
}
