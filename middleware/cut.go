package middleware

import (
	"strings"
	"unicode/utf8"

	"recap/chat"
	"recap/config"
	"recap/dialect"
	"recap/tokens"
)

// charsAToken is how many characters of a chat's body are a token at the most, whatever the script: a report under that
// is looked into.
const charsAToken = 6

// chars counts the characters of a JSON body: one that is escaped as \uXXXX is one.
func chars(body string) int { return utf8.RuneCountInString(body) - 5*strings.Count(body, `\u`) }

// cutShort reports whether the upstream seems to have read less than it was sent, and has that looked into: such a report
// teaches nothing about the size of texts. Only Ollama cuts prompts without a word.
func (x *exchange) cutShort(report *dialect.Report) bool {
	read := report.Usage.Prompt
	if read <= 0 || report.Failed || x.d.Name() != "ollama" && x.c.Windows.Kind(x.up.Name) != "ollama" {
		return false
	}
	if len(x.sizes.Messages) > 0 {
		return x.judge(x.evidence(x.chat, read))
	}
	rough := tokens.Report{Sent: chars(x.chat.Body) / charsAToken, Read: read}
	if !rough.Suspicious() {
		return false
	}
	seen, body, model := *x, x.chat.Body, x.chat.Model
	x.kept = true
	seen.head = nil // it goes with the handler, and x itself with the exchange
	x.c.behind(func() {
		c, err := seen.decode(body)
		if err != nil || c.Model != model {
			return
		}
		seen.chat, seen.sizes = c, seen.c.Counter.Sizes(c, seen.up.Name)
		seen.judge(seen.evidence(c, read))
	})
	return true
}

// evidence weighs what was sent against what was read. Reasoning does not count as sent, nor do the tools that are
// declared: templates leave them out. Media are no evidence: nobody knows what they weigh.
func (x *exchange) evidence(c *chat.Chat, read int) tokens.Report {
	sizes := x.sizes
	if x.status != chat.Observed {
		sizes = x.sizes.After(c, &x.decision.Plan)
	}
	r := tokens.Report{Read: read, Told: x.c.Windows.Told(x.ask())}
	for i := range c.Messages {
		m, n := &c.Messages[i], sizes.Messages[i]
		for _, p := range m.Parts {
			switch p.Kind {
			case chat.Text:
			case chat.Reasoning:
				n -= sizes.Calibrated(tokens.Estimate(chat.Unquote(p.Span.Of(m.Raw))))
			default:
				return tokens.Report{}
			}
		}
		if m.Role == chat.Assistant {
			r.Tail = 0
		}
		r.Sent, r.Tail = r.Sent+max(n, 0), r.Tail+max(n, 0)
		if m.Role != chat.Tool && len(m.Calls) == 0 {
			r.Talk += max(n, 0)
		}
	}
	return r
}

// judge takes a report as evidence and reports whether it smells of a cut.
func (x *exchange) judge(r tokens.Report) bool {
	a := x.ask()
	size := x.c.cuts.Saw(a, r)
	if size > 0 && x.c.Windows.Cut(a, size) {
		x.c.Stats.SilentCut(x.up.Name)
		if x.first("cut") {
			x.c.Log.Warn("the upstream cut a prompt without a word and answered as if nothing was missing; from now on its "+
				"window counts as that small. Set num_ctx or OLLAMA_CONTEXT_LENGTH higher, or upstreams[].noTruncate to be told",
				"upstream", x.up.Name, "model", shown(x.chat.Model), "sent", r.Sent, "read", r.Read, "window", size)
		}
	}
	return r.Suspicious()
}

// guarded returns body with the upstream told not to cut it without a word, where the file wants that and the format has
// a word for it that the client has not used.
func (x *exchange) guarded(body []byte) []byte {
	g, ok := x.d.(dialect.Guard)
	if !ok || !x.up.NoTruncate || x.chat == nil || x.ov.Mode == config.Observe {
		return body
	}
	if next, ok := g.NoTruncate(body); ok {
		return next
	}
	return body
}
