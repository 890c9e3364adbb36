package config

import (
	"fmt"
	"io"
	"strings"
)

// OptionsPage writes docs/options.md.
func OptionsPage(w io.Writer) error {
	var b strings.Builder
	b.WriteString(optionsIntro)
	b.WriteString("| key | type | default | values | variable | meaning |\n|---|---|---|---|---|---|\n")
	defaults := Default()
	for _, k := range Keys() {
		shown := ""
		if k.Kind != Group && k.Kind != List {
			shown = code((&printer{hide: true}).value(&k, k.at(defaults)))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | `%s` | %s |\n", k.Path, k.Kind, shown, code(k.values()), k.Env(), cell(k.Doc))
	}
	for _, k := range Keys() {
		if k.Kind == List {
			entryTable(&b, k)
		}
	}
	b.WriteString(otherVariables)
	_, err := io.WriteString(w, b.String())
	return err
}

func entryTable(b *strings.Builder, k Key) {
	fmt.Fprintf(b, "\n## One entry of `%s`\n\n| key | type | default | values | meaning |\n|---|---|---|---|---|\n", k.Path)
	fresh := k.list.fresh()
	for _, item := range k.Items {
		shown := ""
		if item.Kind != Group {
			shown = code((&printer{}).value(&item, item.at(fresh)))
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", item.Path, item.Kind, shown, code(item.values()), cell(item.Doc))
	}
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + cell(text) + "`"
}

func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

const optionsIntro = `# Options

Generated from the table of keys in ` + "`config`" + `; ` + "`go test ./config -update`" + ` writes it anew.

Order of precedence: flags, environment, file, defaults. The file is the first of ` + "`--config`, `RECAP_CONFIG` and `./recap.yaml`" + `; none is fine.

- **File**: YAML, strict: an unknown key, a wrong type or a value out of range stops the start (exit 2) with file, line, column and what
  would be right. ` + "`${VAR}` and `${VAR:-default}`" + ` in a value are looked up in the environment; a variable that is not set is an error, except
  for keys and tokens, which are then empty. ` + "`$${VAR}` is `${VAR}`" + ` itself. Top-level keys that begin with ` + "`x-`" + ` are ignored: a place for anchors.
- **Variable**: RECAP_ and the path in upper case. Maps and lists of maps are YAML flow text, lists of strings also ` + "`a,b,c`" + `. A variable that is
  set to nothing counts as not set.
- **Flag**: the path with dashes: ` + "`summarization.trigger.type` is `--summarization-trigger-type`" + `. A bool needs no value:
  ` + "`--summarization-enabled`, `--no-summarization-enabled`, `--summarization-enabled=false`" + `. Or ` + "`--set summarization.trigger.type=token_ratio`" + `. Short forms:
  ` + "`--upstream [NAME=]URL`" + ` (again for more; replaces the list; variable RECAP_UPSTREAM, with commas), ` + "`--admin HOST:PORT`, `--store memory|sqlite|FILE`" + `.
- **Durations** are written 5s, 15m, 720h; **sizes** 64MiB (1024s), 64KB (1000s) or plain bytes.

`

const otherVariables = `
## Other variables

| variable | meaning |
|---|---|
| ` + "`RECAP_CONFIG`" + ` | path of the file |
| ` + "`RECAP_UPSTREAM`" + ` | like --upstream; several with commas |
| ` + "`RECAP_TENANT_KEY`" + ` | secret that keys the tenant digest; give replicas of one store the same. Not set: one is made and kept in the store |
| ` + "`OPENAI_API_KEY`" + ` | key of the built-in provider openAI |
| ` + "`AGENT_DEBUG_LOGGING`" + ` | exactly true: log.level debug with token counts and pruning decisions |
| ` + "`SUMMARY_THRESHOLD_TOKENS`" + ` | NexusAI profile: trigger.value of token_count (200) |
| ` + "`SUMMARY_MIN_EPISODES`" + ` | NexusAI profile: trigger.minTurns (5) |
| ` + "`SUMMARY_MAX_TOKENS`" + ` | NexusAI profile: rowTokens (800) |
| ` + "`UTILITY_MODEL`" + ` | NexusAI profile: summarization.model |
| ` + "`INFERENCE_SERVICE_URL`" + ` | NexusAI profile: provider utility at this URL |
| ` + "`MEMORY_SERVICE_URL`" + ` | NexusAI profile: store.mirror.url |

Any one of the NexusAI variables selects the whole profile: trigger token_count, style narrative, rowTokens 800, maxInputChars 3000,
maxSummaryTokens 500, temperature 0.2. It stands over the file and under RECAP_* variables and flags.

## Which upstream

Upstreams that name the request's Host in ` + "`hosts`" + ` are the only candidates; where none does, all are. Among them the first that names the model by
a pattern other than ` + "`*`" + ` is taken, then the first that takes any model, then the first.
`

// HeadersPage writes docs/headers.md.
func HeadersPage(w io.Writer) error {
	var b strings.Builder
	b.WriteString(headersIntro)
	for _, h := range headers {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", h.name, cell(h.values), cell(h.doc))
	}
	b.WriteString(answerHeaders)
	_, err := io.WriteString(w, b.String())
	return err
}

const headersIntro = `# Headers

Generated from the table of headers in ` + "`config`" + `; ` + "`go test ./config -update`" + ` writes it anew.

## What a request may ask for

Numbers, words and lists are RFC 9651 items; Session, Model and Provider are plain text of at most 256 printable characters, and empty ones say
nothing. A bad value is answered with 400 that names the header. None of these headers is sent upstream, and none may name a URL.
` + "`overrides.allow`" + ` says which ones clients may use; the others are ignored and counted.
Recap's own summary calls carry ` + "`X-Recap-Mode: off`" + `, so that another Recap on their way relays them as they are.

An ` + "`X-Recap-`" + ` name that does not exist, but is at most two letters from one that does, is answered with 400 that names it. Any other
` + "`X-Recap-`" + ` name asks for what this version does not know: it is kept from the upstream, counted
(` + "`recap_overrides_ignored_total{header=\"unknown\"}`" + `), logged once, and the request goes on. Those that answers carry (see below) ask for
nothing and are kept back as well.

| header | values | meaning |
|---|---|---|
`

const answerHeaders = `
## What an answer tells

| header | values |
|---|---|
| ` + "`X-Recap-Status`" + ` | clear, pruned, compacted, provisional, over-window, observed, off or bypass (the last in this list that applies), with the parameters reason, broke-prefix, retried (the upstream refused a longer one first) and silent-cut (see below) |
| ` + "`X-Recap-Tokens`" + ` | before=…, after=…, window=…, source=… |
| ` + "`X-Recap-Checkpoint`" + ` | "key in hex";covers=42;rows=1 |
| ` + "`X-Recap-Summary`" + ` | none, due, queued, running, ready, failed or cooling |
| ` + "`X-Recap-Session`" + ` | the label |

Reasons of a bypass: unknown-window (nobody said how large the window is), invalid-json, duplicate-key, odd-key (a known key in other case), wrong-type,
unknown-role, no-messages, server-history, too-deep, too-many, content-encoding, and panic, decode or apply for faults of our own.

Sources of the window: header, request (Ollama's num_ctx), config, upstream (it was asked), learned (it refused or cut a longer prompt; caps the others for six
hours), default (Ollama's 4096, until it has told), table (of model families), unknown.

silent-cut: the window was learned from reports of Ollama's that stood still while the chats grew. It had cut them without a word.

States of the summary, for this chat: none; due (it is queued when this answer has ended); queued; running; ready; failed (the next one may start);
cooling (after failures it rests, 30 s doubling to 15 min).
`
