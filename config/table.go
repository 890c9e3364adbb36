package config

import (
	"strings"

	"recap/summarizer"
	"recap/tokens"
)

// serverKeys are the rows in front of the summarization section.
func serverKeys() []Key {
	return []Key{
		opt("listen", "", "Where clients connect: host:port or unix:/path.", func(c *Config) any { return &c.Listen }),
		group("admin", "The listener for health, metrics, events and the API. It is apart from the proxy so that no path of the upstream is hidden."),
		opt("admin.listen", "", "host:port or unix:/path; empty = none. Anything but a loopback address needs a token.", func(c *Config) any { return &c.Admin.Listen }),
		example(opt("admin.token", "secret", "Bearer token of the admin listener.", func(c *Config) any { return &c.Admin.Token }), "${RECAP_ADMIN_TOKEN}"),
		list(opt("upstreams", "", "The inference services. The first is the default; others are picked by Host, then by model pattern.",
			func(c *Config) any { return &c.Upstreams }), upstreamKeys(), defaultUpstream("", "")),
		list(example(opt("models", "", "What is known of models whose name matches; the first match counts.", func(c *Config) any { return &c.Models }),
			`{match: "llama3*", contextWindow: 8192, replyTokens: 0, encoding: o200k_base, imageTokens: 1000, price: {input: 0, output: 0}}`),
			modelKeys(), tokens.Model{}),
		list(opt("providers", "", "Who may write summaries instead of the chat's own upstream; summarization.provider names one.",
			func(c *Config) any { return &c.Providers }),
			providerKeys(), summarizer.Provider{Dialect: "openai"}),
	}
}

func example(k Key, text string) Key {
	k.Example = text
	return k
}

func upstreamKeys() []Key {
	return []Key{
		opt("name", "", "Name in headers, metrics and keys of checkpoints; renaming starts afresh. One upstream alone may go without.", func(u *Upstream) any { return &u.Name }),
		opt("url", "", "Base URL, with or without a path.", func(u *Upstream) any { return &u.URL }),
		opt("apiKey", "secret", "When set it replaces the client's credentials.", func(u *Upstream) any { return &u.APIKey }),
		opt("caFile", "", "PEM file of a certificate authority to trust besides the system's.", func(u *Upstream) any { return &u.CAFile }),
		opt("models", "", "Patterns of the models it serves; * stands for any run of characters.", func(u *Upstream) any { return &u.Models }),
		opt("hosts", "", "Pick this upstream for requests that asked for one of these hosts.", func(u *Upstream) any { return &u.Hosts }),
		opt("windowWait", "[0,60]", "How long the first request of a model waits for the upstream to tell the window; 0 = not at all, then the first answers go by a guess.", func(u *Upstream) any { return &u.WindowWait }),
		opt("noTruncate", "", "Adds \"truncate\": false to chats on Ollama's own path that do not say: a prompt that is too long is refused, and Recap makes it shorter, where Ollama would cut it without a word.", func(u *Upstream) any { return &u.NoTruncate }),
		group("timeouts", "Each bounds one phase; there is no limit on a whole answer."),
		opt("timeouts.connect", "(0,)", "To open a connection.", func(u *Upstream) any { return &u.Timeouts.Connect }),
		opt("timeouts.firstByte", "(0,)", "From the sent request to the first byte of the answer; models load slowly.", func(u *Upstream) any { return &u.Timeouts.FirstByte }),
		opt("timeouts.idle", "(0,)", "Silence of an upstream within its answer; a client that reads slowly does not count.", func(u *Upstream) any { return &u.Timeouts.Idle }),
	}
}

func modelKeys() []Key {
	return []Key{
		opt("match", "", "Pattern over the model's name; * stands for any run of characters.", func(m *tokens.Model) any { return &m.Match }),
		opt("contextWindow", "[0,100000000]", "Tokens; 0 = ask the upstream.", func(m *tokens.Model) any { return &m.ContextWindow }),
		opt("replyTokens", "[0,100000000]", "The most it answers: more is not kept free for a reply, whatever a request asks for; 0 = by the upstream's word or the model's name.", func(m *tokens.Model) any { return &m.ReplyTokens }),
		opt("encoding", "|"+strings.Join(tokens.Encodings(), "|"), "Vocabulary to count with; empty = by the model's name.", func(m *tokens.Model) any { return &m.Encoding }),
		opt("imageTokens", "[0,1000000]", "What one image counts; 0 = by the model's name, 1000 for most.", func(m *tokens.Model) any { return &m.ImageTokens }),
		group("price", "Per million tokens, in your currency: what /api/sessions and recap_cost_total reckon with."),
		opt("price.input", "[0,)", "For the prompt.", func(m *tokens.Model) any { return &m.Price.Input }),
		opt("price.cached", "[0,)", "For the part of the prompt that the upstream had in its cache; 0 = as input.", func(m *tokens.Model) any { return &m.Price.Cached }),
		opt("price.output", "[0,)", "For the answer.", func(m *tokens.Model) any { return &m.Price.Output }),
	}
}

func providerKeys() []Key {
	return []Key{
		opt("name", "", "The name that summarization.provider uses.", func(p *summarizer.Provider) any { return &p.Name }),
		opt("dialect", "openai|ollama|utility", "Wire format.", func(p *summarizer.Provider) any { return &p.Dialect }),
		opt("url", "", "Base URL, with or without a path.", func(p *summarizer.Provider) any { return &p.URL }),
		example(opt("apiKey", "secret", "Sent as a bearer token.", func(p *summarizer.Provider) any { return &p.APIKey }), "${OPENAI_API_KEY}"),
	}
}

func storeKeys() []Key {
	return []Key{
		group("store", "Where checkpoints are kept."),
		opt("store.kind", "sqlite|memory", "memory forgets everything at the end.", func(c *Config) any { return &c.Store.Kind }),
		opt("store.path", "", "The SQLite file; empty = the user's data directory.", func(c *Config) any { return &c.Store.Path }),
		opt("store.cacheSize", "size", "Memory in front of SQLite.", func(c *Config) any { return &c.Store.CacheSize }),
		opt("store.ttl", "(0,)", "A checkpoint that nobody used for so long is deleted.", func(c *Config) any { return &c.Store.TTL }),
		group("store.mirror", "Copies of the summaries for NexusAI's memory service."),
		opt("store.mirror.url", "", "Base URL of the memory service; empty = none.", func(c *Config) any { return &c.Store.Mirror }),
	}
}

func clientKeys() []Key {
	return []Key{
		group("overrides", "Settings that a request may change by header."),
		opt("overrides.allow", "", "Header names, * allowed; the others are stripped, ignored and counted. [] switches overrides off.",
			func(c *Config) any { return &c.Overrides.Allow }),
		opt("tenant", "", "What separates clients from each other: credential, header:NAME or none.", func(c *Config) any { return &c.Tenant }),
		group("limits", "What a client may send."),
		opt("limits.body", "size", "Of a chat request.", func(c *Config) any { return &c.Limits.Body }),
		opt("limits.header", "size", "Of all headers of a request.", func(c *Config) any { return &c.Limits.Header }),
		opt("limits.concurrent", "[0,1000000]", "Requests at the same time; 0 = any number.", func(c *Config) any { return &c.Limits.Concurrent }),
		group("log", "Neither keys nor message text are logged."),
		opt("log.level", "debug|info|warn|error", "How much is written; debug adds token counts and pruning decisions, and AGENT_DEBUG_LOGGING=true means debug.", func(c *Config) any { return &c.Log.Level }),
		opt("log.format", "text|json", "", func(c *Config) any { return &c.Log.Format }),
		opt("log.messages", "", "Lets debug lines show message text. Only for looking into a fault.", func(c *Config) any { return &c.Log.Messages }),
	}
}
