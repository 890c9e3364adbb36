package config

import (
	"strings"
	"time"

	"recap/cache"
	"recap/summarizer"
	"recap/tokens"
)

// Config is the whole of recap.yaml, checked. Treat it as read-only once Load has returned it.
type Config struct {
	Listen        string // host:port or unix:/path
	Admin         Admin
	Upstreams     []Upstream // never empty; the first is the default
	Models        []tokens.Model
	Providers     []summarizer.Provider
	Summarization summarizer.Options
	Store         cache.Options
	Overrides     OverrideRules
	Tenant        string // credential, header:NAME or none
	TenantKey     string // RECAP_TENANT_KEY: keys the tenant digest on all replicas; "" = the secret kept in the store
	Limits        Limits
	Log           Log

	places map[string]Place
}

// Admin is the listener for health, metrics, events and the API.
type Admin struct {
	Listen string // host:port or unix:/path
	Token  string // bearer token; "" is allowed on a loopback address only
}

// OverrideRules says which override headers clients may use.
type OverrideRules struct {
	Allow []string // globs over header names, "X-Recap-Keep-*"; empty = none
}

// Log is what is written, and how.
type Log struct {
	Level    string // debug, info, warn or error
	Format   string // text or json
	Messages bool   // message text may appear in debug lines: the one switch that allows it
	// Diagnostics asks for token counts and pruning decisions of each request (row L24). It is on at level debug.
	Diagnostics bool
}

// Default returns the settings with neither file nor environment.
func Default() *Config {
	return &Config{
		Listen:        "127.0.0.1:8787",
		Admin:         Admin{Listen: "127.0.0.1:8788"},
		Upstreams:     []Upstream{defaultUpstream("local", "http://127.0.0.1:11434")},
		Providers:     []summarizer.Provider{{Name: "openAI", Dialect: "openai", URL: "https://api.openai.com/v1"}},
		Summarization: summarizer.Defaults(),
		Store:         cache.Options{Kind: "sqlite", CacheSize: cache.DefaultCacheSize, TTL: cache.DefaultTTL},
		Overrides:     OverrideRules{Allow: []string{"*"}},
		Tenant:        "credential",
		Limits:        Limits{Body: 64 << 20, Header: 64 << 10},
		Log:           Log{Level: "info", Format: "text"},
		places:        map[string]Place{},
	}
}

func defaultUpstream(name, url string) Upstream {
	u := Upstream{Name: name, URL: url, Models: []string{"*"}}
	u.Timeouts.Connect, u.Timeouts.FirstByte, u.Timeouts.Idle = 5*time.Second, 15*time.Minute, 5*time.Minute
	return u
}

// String writes the settings as YAML with every secret replaced by «(set)», so that a Config may be logged.
func (c *Config) String() string {
	var b strings.Builder
	_ = c.Print(&b)
	return b.String()
}

// GoString keeps %#v from showing secrets.
func (c *Config) GoString() string { return c.String() }

// Place says where the value at a key path was set last; the zero Place means that the default holds.
func (c *Config) Place(path string) Place { return c.places[path] }
