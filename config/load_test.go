package config_test

import (
	"errors"
	"flag"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"recap/config"
	"recap/summarizer"
)

var update = flag.Bool("update", false, "write the generated pages and golden files anew")

// env makes a Lookup of NAME=value pairs.
func env(pairs ...string) config.Lookup {
	return func(name string) (string, bool) {
		for _, p := range pairs {
			if n, v, _ := strings.Cut(p, "="); n == name {
				return v, true
			}
		}
		return "", false
	}
}

func mustRead(t *testing.T, text string, lookup config.Lookup, flags ...config.Setting) *config.Config {
	t.Helper()
	c, _, err := config.Read("recap.yaml", text, lookup, flags)
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	return c
}

// contract is the block of design.md §7, letter for letter but for the shortened comments.
const contract = `
listen: 127.0.0.1:8787            # host:port or unix:/path
admin: {listen: 127.0.0.1:8788, token: ${RECAP_ADMIN_TOKEN}}
upstreams:                         # the first is the default; others by model pattern or Host
  - name: local
    url: http://127.0.0.1:11434    # with or without a path; one documented joining rule
    apiKey: ""                     # set: replaces the client's credentials
    caFile: ""
    models: ["*"]
    hosts: []                      # LAN gateway: pick the upstream by the Host that the client asked for
    timeouts: {connect: 5s, firstByte: 15m, idle: 5m}
models: [{match: "llama3*", contextWindow: 8192, encoding: o200k_base, imageTokens: 1000, price: {input: 0, output: 0}}]
providers: [{name: openAI, dialect: openai, url: https://api.openai.com/v1, apiKey: ${OPENAI_API_KEY}}]
summarization:                     # LibreChat's block, verbatim keys; ours beside them
  enabled: true
  provider: ""                     # absent: the chat's own
  model: ""
  parameters: {}
  mode: transcript
  style: checkpoint                # or narrative (NexusAI's)
  prompt: ""
  updatePrompt: ""
  maxSummaryTokens: 2048
  rowTokens: 0
  maxInputChars: 0
  reserveRatio: 0.05
  trigger: {type: token_ratio, value: 0.8, minTurns: 0}
  prepare: 0.75
  retainRecent: {turns: 2, tokens: 0}
  placement: user
  overflow: fit
  minMessages: 6
  ledger: {userTokens: 2000, factTokens: 600}
  contextPruning: {enabled: false, strategy: ratio, cadence: batched, keepLastAssistants: 3, softTrimRatio: 0.3, hardClearRatio: 0.5,
    minPrunableToolChars: 50000, softTrim: {maxChars: 4000, headChars: 1500, tailChars: 1500},
    hardClear: {enabled: true, placeholder: "[Old tool result content cleared]"}}
store: {kind: sqlite, path: "", cacheSize: 64MiB, ttl: 720h, mirror: {url: ""}}
overrides: {allow: ["*"]}          # which headers clients may use; others are stripped, ignored and counted
tenant: credential               # or header:NAME, or none
limits: {body: 64MiB, header: 64KiB, concurrent: 0}
log: {level: info, format: text, messages: false}
`

// The values that design.md §7 shows are the defaults, but for the models and the trigger, which are examples.
func TestContractFileIsTheDefaults(t *testing.T) {
	got := mustRead(t, contract, env("OPENAI_API_KEY=k"))
	want := mustRead(t, "", env("OPENAI_API_KEY=k"))
	if m := got.Models[0]; m.Match != "llama3*" || m.ContextWindow != 8192 || m.Encoding != "o200k_base" || m.ImageTokens != 1000 {
		t.Errorf("models = %+v", got.Models)
	}
	if got.Summarization.Trigger != (summarizer.Trigger{Type: "token_ratio", Value: 0.8}) {
		t.Errorf("trigger = %+v", got.Summarization.Trigger)
	}
	got.Models, got.Summarization.Trigger = nil, summarizer.Trigger{}
	got.Summarization.Parameters = nil
	got.Upstreams[0].Hosts = nil
	equalSettings(t, got, want)
	if want.Providers[0].APIKey != "k" {
		t.Errorf("the built-in provider has key %q, want OPENAI_API_KEY's", want.Providers[0].APIKey)
	}
}

// equalSettings compares every exported field.
func equalSettings(t *testing.T, got, want *config.Config) {
	t.Helper()
	g, w := reflect.ValueOf(*got), reflect.ValueOf(*want)
	for i := range g.NumField() {
		if f := g.Type().Field(i); f.IsExported() && !reflect.DeepEqual(g.Field(i).Interface(), w.Field(i).Interface()) {
			t.Errorf("%s = %+v, want %+v", f.Name, g.Field(i).Interface(), w.Field(i).Interface())
		}
	}
}

func TestNoFileAtAll(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "recap.yaml")
	c, warnings, err := config.Load(missing, false, env(), []config.Setting{{Key: "upstream", Value: "http://10.0.0.7:8000", From: "--upstream"}})
	if err != nil || len(warnings) > 0 {
		t.Fatalf("Load = %v, %v", warnings, err)
	}
	u := c.Upstreams[0]
	if len(c.Upstreams) != 1 || u.Name != "local" || u.URL != "http://10.0.0.7:8000" || u.Timeouts.FirstByte != 15*time.Minute || u.Models[0] != "*" {
		t.Errorf("upstreams = %+v", c.Upstreams)
	}
	if c.Listen != "127.0.0.1:8787" || c.Admin.Listen != "127.0.0.1:8788" {
		t.Errorf("listeners = %s, %s", c.Listen, c.Admin.Listen)
	}
	if _, _, err := config.Load(missing, true, env(), nil); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("an explicit file that is missing: %v", err)
	}
	if _, _, err := config.Load(t.TempDir(), false, env(), nil); err == nil {
		t.Error("a directory was taken for a file")
	}
}

// Flags stand over the environment, the environment over the file, the file over the defaults.
func TestPrecedence(t *testing.T) {
	f := func(want, file string, lookup config.Lookup, flags ...config.Setting) {
		t.Helper()
		if got := mustRead(t, file, lookup, flags...).Summarization.Overflow; got != want {
			t.Errorf("overflow = %s, want %s", got, want)
		}
	}
	const file = "summarization: {overflow: pass}"
	byEnv := env("RECAP_SUMMARIZATION_OVERFLOW=reject")
	byFlag := config.Setting{Key: "summarization.overflow", Value: "fit", From: "--summarization-overflow"}
	f("fit", "", env())
	f("pass", file, env())
	f("reject", file, byEnv)
	f("fit", file, byEnv, byFlag)
	f("pass", file, env("RECAP_SUMMARIZATION_OVERFLOW=")) // set to nothing counts as not set
}

// N17, and its place: over the file, under RECAP_* and flags.
func TestN17NexusVariables(t *testing.T) {
	all := []string{
		"INFERENCE_SERVICE_URL=http://pc:3001", "MEMORY_SERVICE_URL=http://pc:3002", "SUMMARY_THRESHOLD_TOKENS=300",
		"SUMMARY_MAX_TOKENS=900", "SUMMARY_MIN_EPISODES=7", "UTILITY_MODEL=qwen3:4b",
	}
	c := mustRead(t, "", env(all...))
	s := c.Summarization
	if s.Trigger != (summarizer.Trigger{Type: "token_count", Value: 300, MinTurns: 7}) || s.RowTokens != 900 || s.Model != "qwen3:4b" || s.Provider != "utility" {
		t.Errorf("all six set: %+v", s)
	}
	if p := c.Providers[len(c.Providers)-1]; p.Name != "utility" || p.Dialect != "utility" || p.URL != "http://pc:3001" {
		t.Errorf("providers = %+v", c.Providers)
	}
	if c.Store.Mirror != "http://pc:3002" {
		t.Errorf("mirror = %q", c.Store.Mirror)
	}
	for _, one := range all {
		c := mustRead(t, "summarization: {style: checkpoint, maxSummaryTokens: 77, parameters: {top_p: 0.5}}", env(one))
		s := c.Summarization
		if s.Trigger.Type != "token_count" || s.Style != "narrative" || s.MaxInputChars != 3000 || s.MaxSummaryTokens != 500 ||
			s.Parameters["temperature"] != 0.2 || s.Parameters["top_p"] != 0.5 {
			t.Errorf("%s alone selects %+v", one, s)
		}
	}
	// The URLs are used only when set; the other defaults are the document's.
	c = mustRead(t, "", env("SUMMARY_MIN_EPISODES=5"))
	if c.Store.Mirror != "" || c.Summarization.Provider != "" || c.Summarization.RowTokens != 800 || c.Summarization.Trigger.Value != 200 {
		t.Errorf("one variable: %+v", c.Summarization)
	}
	c = mustRead(t, "", env("SUMMARY_MAX_TOKENS=900", "RECAP_SUMMARIZATION_ROW_TOKENS=1"),
		config.Setting{Key: "summarization.style", Value: "checkpoint", From: "--set"})
	if c.Summarization.RowTokens != 1 || c.Summarization.Style != "checkpoint" {
		t.Errorf("RECAP_* and flags stand over it: %+v", c.Summarization)
	}
	refused(t, "", env("SUMMARY_MAX_TOKENS=lots"), "SUMMARY_MAX_TOKENS: summarization.rowTokens: want a whole number")
}

// refused wants a Problems that holds text.
func refused(t *testing.T, file string, lookup config.Lookup, text string, flags ...config.Setting) {
	t.Helper()
	c, _, err := config.Read("recap.yaml", file, lookup, flags)
	var p *config.Problem
	if err == nil || c != nil || !errors.As(err, &p) || !strings.Contains(err.Error(), text) {
		t.Errorf("%q: got %v, want a problem with %q", file, err, text)
	}
}

// L24: the exact string true, and nothing else.
func TestL24DebugLogging(t *testing.T) {
	f := func(level string, diagnostics bool, pairs ...string) {
		t.Helper()
		got := mustRead(t, "log: {level: warn}", env(pairs...)).Log
		if got.Level != level || got.Diagnostics != diagnostics {
			t.Errorf("%v: %+v", pairs, got)
		}
	}
	f("warn", false)
	f("debug", true, "AGENT_DEBUG_LOGGING=true")
	f("warn", false, "AGENT_DEBUG_LOGGING=True")
	f("warn", false, "AGENT_DEBUG_LOGGING=1")
	f("error", true, "AGENT_DEBUG_LOGGING=true", "RECAP_LOG_LEVEL=error")
	f("debug", true, "RECAP_LOG_LEVEL=debug")
}

// L1–L19 with the values of LibreChat's documented example, its keys verbatim. Only provider openAI is built in.
func TestL1ToL19LibreChatBlock(t *testing.T) {
	c := mustRead(t, `
summarization:
  provider: 'openAI'
  model: 'gpt-4o-mini'
  parameters: {temperature: 0.2, stream: false, seed: 7, user: 'u', stop: null}
  maxSummaryTokens: 4096
  reserveRatio: 0.05
  trigger:
    type: 'remaining_tokens'
    value: 8000
  contextPruning:
    enabled: true
    keepLastAssistants: 5
    softTrimRatio: 0.25
    hardClearRatio: 0.6
    minPrunableToolChars: 30000
    softTrim: {maxChars: 6000, headChars: 2500, tailChars: 2500}
    hardClear: {enabled: true, placeholder: '[Content removed for context management]'}
`, env("OPENAI_API_KEY=k"))
	s := c.Summarization
	if s.Provider != "openAI" || s.Model != "gpt-4o-mini" || s.MaxSummaryTokens != 4096 || s.Trigger.Value != 8000 || !s.Enabled {
		t.Errorf("summarization = %+v", s)
	}
	want := map[string]any{"temperature": 0.2, "stream": false, "seed": int64(7), "user": "u", "stop": nil}
	if !reflect.DeepEqual(s.Parameters, want) {
		t.Errorf("parameters = %#v", s.Parameters)
	}
	p := s.ContextPruning
	if !p.Enabled || p.KeepLastAssistants != 5 || p.SoftTrimRatio != 0.25 || p.HardClearRatio != 0.6 || p.MinPrunableToolChars != 30000 ||
		p.SoftTrim.MaxChars != 6000 || p.SoftTrim.HeadChars != 2500 || p.HardClear.Placeholder != "[Content removed for context management]" {
		t.Errorf("contextPruning = %+v", p)
	}
}
