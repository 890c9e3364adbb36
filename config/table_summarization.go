package config

import (
	"strings"

	"recap/pruning"
	"recap/summarizer"
)

// summarizationKeys are the rows of LibreChat's block (L1–L19) and of our keys beside them.
func summarizationKeys() []Key {
	of := func(path, in, doc string, at func(*summarizer.Options) any) Key {
		return opt("summarization."+path, in, doc, func(c *Config) any { return at(&c.Summarization) })
	}
	keys := []Key{
		group("summarization", "LibreChat's block with its keys verbatim, and Recap's own beside them. Headers may override it for one request."),
		of("enabled", "", "Off: nothing is summarised; contextPruning works on its own.", func(o *summarizer.Options) any { return &o.Enabled }),
		of("provider", "", "Who writes summaries: a name from providers; empty = the chat's own upstream.", func(o *summarizer.Options) any { return &o.Provider }),
		of("model", "", "Model that writes summaries; empty = the chat's own.", func(o *summarizer.Options) any { return &o.Model }),
		of("parameters", "", "Sent with the summary call as they are: temperature, top_p and the like.", func(o *summarizer.Options) any { return &o.Parameters }),
		of("mode", "transcript|suffix", "How the summariser sees the chat: as one transcript in one user message, or as the chat's own request with the instruction behind it, which finds that request in the upstream's prompt cache.", func(o *summarizer.Options) any { return &o.Mode }),
		of("style", strings.Join(summarizer.Styles(), "|"), "Built-in instruction: LibreChat's structured checkpoint, or NexusAI's 3 to 5 sentences.", func(o *summarizer.Options) any { return &o.Style }),
		of("prompt", "", "Replaces the instruction for a first summary.", func(o *summarizer.Options) any { return &o.Prompt }),
		of("updatePrompt", "", "Replaces the instruction for an update; empty = prompt where that is set.", func(o *summarizer.Options) any { return &o.UpdatePrompt }),
		of("maxSummaryTokens", "[1,1000000]", "Limit of the summary, asked for and enforced; at most 15 % of the window.", func(o *summarizer.Options) any { return &o.MaxSummaryTokens }),
		of("rowTokens", "[0,1000000]", "A row that has grown past this is closed and another opened; 0 = one rolling row. Rows are rewritten into one when together they take too much of the window.", func(o *summarizer.Options) any { return &o.RowTokens }),
		of("maxInputChars", "[0,100000000]", "Characters of one summary call; the rest goes into further calls. 0 = by the summariser's window.", func(o *summarizer.Options) any { return &o.MaxInputChars }),
		of("reserveRatio", "[0,1)", "Share of the window that stays free besides the reply.", func(o *summarizer.Options) any { return &o.ReserveRatio }),
		group("summarization.trigger", "When to summarise. Without one: when the chat no longer fits."),
		of("trigger.type", strings.Join(triggerNames(), "|"), "", func(o *summarizer.Options) any { return &o.Trigger.Type }),
		of("trigger.value", "[0,)", "token_ratio: over 0 and at most 1; remaining_tokens, messages_to_refine and token_count: a whole number of at least 1.", func(o *summarizer.Options) any { return &o.Trigger.Value }),
		of("trigger.minTurns", "[0,100000]", "And at least so many finished turns that no checkpoint covers.", func(o *summarizer.Options) any { return &o.Trigger.MinTurns }),
		of("prepare", "(0,1]", "Share of the swap level at which the next summary is written ahead.", func(o *summarizer.Options) any { return &o.Prepare }),
		group("summarization.retainRecent", "What stays verbatim at the end."),
		of("retainRecent.turns", "[0,20]", "User turns; the newest one always stays.", func(o *summarizer.Options) any { return &o.RetainRecent.Turns }),
		of("retainRecent.tokens", "[0,100000000]", "Older turns stay while their sum is at most this; 0 = no limit.", func(o *summarizer.Options) any { return &o.RetainRecent.Tokens }),
		of("placement", "user|system", "Where the summary goes: in front of the first kept user message, or behind the system message.", func(o *summarizer.Options) any { return &o.Placement }),
		of("overflow", "fit|pass|reject", "When it still does not fit: make it fit, forward it, or answer the context-length error.", func(o *summarizer.Options) any { return &o.Overflow }),
		of("minMessages", "[0,100000]", "Shorter chats are never summarised.", func(o *summarizer.Options) any { return &o.MinMessages }),
		group("summarization.ledger", "Exact strings that code adds to each summary."),
		of("ledger.userTokens", "[0,1000000]", "For user requests, verbatim; the whole ledger is at most 10 % of the window.", func(o *summarizer.Options) any { return &o.Ledger.UserTokens }),
		of("ledger.factTokens", "[0,1000000]", "For files, URLs, identifiers and numbers.", func(o *summarizer.Options) any { return &o.Ledger.FactTokens }),
	}
	return append(keys, pruningKeys()...)
}

func pruningKeys() []Key {
	of := func(path, in, doc string, at func(*pruning.Options) any) Key {
		return opt("summarization.contextPruning."+path, in, doc, func(c *Config) any { return at(&c.Summarization.ContextPruning) })
	}
	return []Key{
		group("summarization.contextPruning", "Shortens old tool results. Works on its own, before the trigger is looked at."),
		of("enabled", "", "", func(o *pruning.Options) any { return &o.Enabled }),
		of("strategy", strings.Join(pruning.StrategyNames(), "|"), pruning.StrategyDoc(), func(o *pruning.Options) any { return &o.Strategy }),
		of("cadence", "batched|everyRequest", "batched keeps old decisions, so that the upstream's prompt cache stays; everyRequest decides afresh, as LibreChat does.", func(o *pruning.Options) any { return &o.Cadence }),
		of("keepLastAssistants", "[0,10]", "Assistant turns at the end whose results are never pruned.", func(o *pruning.Options) any { return &o.KeepLastAssistants }),
		of("softTrimRatio", "[0,1]", "Age from which a result is trimmed; 0 is the newest, 1 the oldest.", func(o *pruning.Options) any { return &o.SoftTrimRatio }),
		of("hardClearRatio", "[0,1]", "Age from which a result is cleared.", func(o *pruning.Options) any { return &o.HardClearRatio }),
		of("minPrunableToolChars", "[0,1000000000]", "Shorter results are never pruned.", func(o *pruning.Options) any { return &o.MinPrunableToolChars }),
		group("summarization.contextPruning.softTrim", "What is left of a trimmed result. headChars + tailChars must be under maxChars."),
		of("softTrim.maxChars", "[1,1000000000]", "Only longer results are trimmed.", func(o *pruning.Options) any { return &o.SoftTrim.MaxChars }),
		of("softTrim.headChars", "[0,1000000000]", "", func(o *pruning.Options) any { return &o.SoftTrim.HeadChars }),
		of("softTrim.tailChars", "[0,1000000000]", "", func(o *pruning.Options) any { return &o.SoftTrim.TailChars }),
		group("summarization.contextPruning.hardClear", "What stands for a cleared result."),
		of("hardClear.enabled", "", "Off: results are trimmed only.", func(o *pruning.Options) any { return &o.HardClear.Enabled }),
		of("hardClear.placeholder", "", "", func(o *pruning.Options) any { return &o.HardClear.Placeholder }),
		of("protectTokens", "[0,100000000]", "budget: the newest tool results up to this sum stay.", func(o *pruning.Options) any { return &o.ProtectTokens }),
		of("clearAtLeast", "[0,100000000]", "Tokens that a batch must free; 0 = 20000, of smaller windows 15 %.", func(o *pruning.Options) any { return &o.ClearAtLeast }),
		of("excludeTools", "", "budget: results of these tools stay.", func(o *pruning.Options) any { return &o.ExcludeTools }),
		of("digestChars", "[0,100000]", "budget: paths, identifiers and numbers kept behind the placeholder.", func(o *pruning.Options) any { return &o.DigestChars }),
		of("capNewChars", "[0,1000000000]", "budget: a longer result is cut to head and tail when first seen; 0 = off.", func(o *pruning.Options) any { return &o.CapNewChars }),
	}
}
