package config

import (
	"maps"

	"recap/summarizer"
)

// nexusVariables are the NexusAI variables (row N17) with the key that each sets.
var nexusVariables = []struct{ name, path string }{
	{"SUMMARY_THRESHOLD_TOKENS", "summarization.trigger.value"},
	{"SUMMARY_MIN_EPISODES", "summarization.trigger.minTurns"},
	{"SUMMARY_MAX_TOKENS", "summarization.rowTokens"},
	{"UTILITY_MODEL", "summarization.model"},
	{"MEMORY_SERVICE_URL", "store.mirror.url"},
	{"INFERENCE_SERVICE_URL", ""},
}

// nexus applies the NexusAI profile where any of its variables is set. It is part of the environment: over the file,
// under RECAP_*.
func (d *decoder) nexus() {
	first := ""
	for _, v := range nexusVariables {
		if first == "" && get(d.env, v.name) != "" {
			first = v.name
		}
	}
	if first == "" {
		return
	}
	s := &d.cfg.Summarization
	s.Style = summarizer.NarrativeStyle
	s.Trigger = summarizer.Trigger{Type: "token_count", Value: 200, MinTurns: 5}
	s.RowTokens, s.MaxInputChars, s.MaxSummaryTokens = 800, 3000, 500
	s.Parameters = maps.Clone(s.Parameters)
	if s.Parameters == nil {
		s.Parameters = map[string]any{}
	}
	s.Parameters["temperature"] = 0.2
	for _, path := range []string{
		"style", "trigger.type", "trigger.value", "trigger.minTurns", "rowTokens", "maxInputChars", "maxSummaryTokens", "parameters",
	} {
		d.cfg.places["summarization."+path] = Place{File: first}
	}
	for _, v := range nexusVariables {
		if value := get(d.env, v.name); value != "" && v.path != "" {
			d.set(v.path, value, v.name)
		}
	}
	d.utility(get(d.env, "INFERENCE_SERVICE_URL"))
}

// utility makes the inference service the provider (row N13); without its variable the chat's own upstream stays.
func (d *decoder) utility(url string) {
	if url == "" {
		return
	}
	kept := make([]summarizer.Provider, 0, len(d.cfg.Providers)+1)
	for _, p := range d.cfg.Providers {
		if p.Name != "utility" {
			kept = append(kept, p)
		}
	}
	d.cfg.Providers = append(kept, summarizer.Provider{Name: "utility", Dialect: "utility", URL: url})
	d.forget("providers")
	d.cfg.places["providers"] = Place{File: "INFERENCE_SERVICE_URL"}
	d.set("summarization.provider", "utility", "INFERENCE_SERVICE_URL")
}
