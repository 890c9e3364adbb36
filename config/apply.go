package config

import "recap/summarizer"

// Apply returns options with what the overrides ask for. options itself is not changed. Mode, Session, ContextWindow
// and Wait are not options; whoever handles the request reads them.
func (o *Overrides) Apply(options summarizer.Options) summarizer.Options {
	if o.Trigger != nil {
		options.Trigger = *o.Trigger
	}
	if o.KeepTurns != nil {
		options.RetainRecent.Turns = *o.KeepTurns
	}
	if o.KeepLastAssistants != nil {
		options.ContextPruning.KeepLastAssistants = *o.KeepLastAssistants
	}
	if o.MaxSummaryTokens > 0 {
		options.MaxSummaryTokens = o.MaxSummaryTokens
	}
	replace(&options.Provider, o.Provider)
	replace(&options.Model, o.Model)
	replace(&options.Placement, o.Placement)
	replace(&options.Overflow, o.Overflow)
	switch o.Pruning {
	case "":
	case "on", "off":
		options.ContextPruning.Enabled = o.Pruning == "on"
	default:
		options.ContextPruning.Enabled = true
		options.ContextPruning.Strategy = o.Pruning
	}
	return options
}

func replace(p *string, value string) {
	if value != "" {
		*p = value
	}
}
