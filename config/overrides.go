package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"recap/pruning"
	"recap/summarizer"
	"recap/tokens"
)

// Overrides are the settings that the headers of one request ask for. Zero values say nothing; pointers tell a zero
// that was asked for from silence.
type Overrides struct {
	Mode               Mode
	Session            string // a label, never identity
	ContextWindow      int    // tokens
	Trigger            *summarizer.Trigger
	KeepTurns          *int
	Pruning            string // one of pruningWords
	KeepLastAssistants *int
	Provider           string
	Model              string
	MaxSummaryTokens   int
	Placement          string
	Overflow           string
	Wait               time.Duration
}

// Mode is what X-Recap-Mode asks for; "" is Auto.
type Mode string

// The modes.
const (
	Auto    Mode = "auto"
	Off     Mode = "off"     // relay untouched
	Observe Mode = "observe" // count and report, change nothing
	Force   Mode = "force"   // summarise now and wait
)

// BadHeader is an override header with a value that cannot be used. Why never repeats the value.
type BadHeader struct{ Name, Why string }

// Error implements error.
func (b *BadHeader) Error() string { return fmt.Sprintf("read header %s: %s", b.Name, b.Why) }

// longest is how much of a header's value is ever looked at.
const longest = 256

// header is one row of the table of override headers.
type header struct {
	name, values, doc string
	read              func(*Overrides, string) error
}

var headers = []header{
	{
		"X-Recap-Mode", "auto, off, observe, force", "off: relay untouched. observe: count and report, change nothing. force: summarise now and wait.",
		func(o *Overrides, v string) error {
			return oneOf(v, (*string)(&o.Mode), "auto", "off", "observe", "force")
		},
	},
	{
		"X-Recap-Session", "text", "A label that groups requests for display; never identity.",
		func(o *Overrides, v string) error { return plainText(v, &o.Session) },
	},
	{
		"X-Recap-Context-Window", "whole number, 1 to 100000000", "The model's window in tokens.",
		func(o *Overrides, v string) error { return wholeNumber(v, &o.ContextWindow, 1, 100_000_000) },
	},
	{"X-Recap-Trigger", "TYPE=VALUE;min-turns=N, or none", "summarization.trigger for this request, like token_ratio=0.7.", readTrigger},
	{
		"X-Recap-Keep-Turns", "whole number, 0 to 20", "summarization.retainRecent.turns.",
		func(o *Overrides, v string) error { o.KeepTurns = new(int); return wholeNumber(v, o.KeepTurns, 0, 20) },
	},
	{
		"X-Recap-Pruning", strings.Join(pruningWords, ", "), "Switches contextPruning, or names its strategy.",
		func(o *Overrides, v string) error { return oneOf(v, &o.Pruning, pruningWords...) },
	},
	{
		"X-Recap-Keep-Last-Assistants", "whole number, 0 to 10", "summarization.contextPruning.keepLastAssistants.",
		func(o *Overrides, v string) error {
			o.KeepLastAssistants = new(int)
			return wholeNumber(v, o.KeepLastAssistants, 0, 10)
		},
	},
	{
		"X-Recap-Provider", "text", "A name from providers: who writes the summary. Never a URL.",
		func(o *Overrides, v string) error { return readName(v, &o.Provider) },
	},
	{
		"X-Recap-Model", "text", "Model that writes the summary.",
		func(o *Overrides, v string) error { return readModel(v, &o.Model) },
	},
	{
		"X-Recap-Max-Summary-Tokens", "whole number, 1 to 1000000", "summarization.maxSummaryTokens.",
		func(o *Overrides, v string) error { return wholeNumber(v, &o.MaxSummaryTokens, 1, 1_000_000) },
	},
	{
		"X-Recap-Placement", "user, system", "summarization.placement.",
		func(o *Overrides, v string) error { return oneOf(v, &o.Placement, "user", "system") },
	},
	{
		"X-Recap-Overflow", "fit, pass, reject", "summarization.overflow.",
		func(o *Overrides, v string) error { return oneOf(v, &o.Overflow, "fit", "pass", "reject") },
	},
	{"X-Recap-Wait", "number, 0 to 600", "Seconds to wait for a summary that is due before the upstream is asked.", readWait},
}

// OverrideHeaders returns the names of all override headers: none of them is ever sent upstream.
func OverrideHeaders() []string {
	names := make([]string, len(headers))
	for i, h := range headers {
		names[i] = h.name
	}
	return names
}

// ReadOverrides reads the override headers of one request. values returns all values of a header, its name compared
// without case. A header that no glob of allow names is not read; it stands in ignored. The error is a *BadHeader.
func ReadOverrides(values func(name string) []string, allow []string) (o Overrides, ignored []string, err error) {
	for i := range headers {
		h := &headers[i]
		found := values(h.name)
		if len(found) == 0 {
			continue
		}
		if !allowed(h.name, allow) {
			ignored = append(ignored, h.name)
			continue
		}
		if err := h.readAll(&o, found); err != nil {
			return Overrides{}, ignored, &BadHeader{h.name, err.Error()}
		}
	}
	return o, ignored, nil
}

// ReadOverrides is the function of that name with the file's own rules: overrides.allow, and a provider that the
// file does not name is refused.
func (c *Config) ReadOverrides(values func(name string) []string) (Overrides, []string, error) {
	o, ignored, err := ReadOverrides(values, c.Overrides.Allow)
	if err == nil && o.Provider != "" && c.provider(o.Provider) == nil {
		return Overrides{}, ignored, &BadHeader{"X-Recap-Provider", "no provider of the configuration has this name"}
	}
	return o, ignored, err
}

func allowed(name string, allow []string) bool {
	for _, pattern := range allow {
		if pattern == "*" || tokens.Glob(pattern, name) {
			return true
		}
	}
	return false
}

// allowsAny reports whether a pattern names any header at all.
func allowsAny(pattern string) bool {
	for _, h := range headers {
		if allowed(h.name, []string{pattern}) {
			return true
		}
	}
	return false
}

func (h *header) readAll(o *Overrides, values []string) error {
	if len(values) > 1 {
		return fmt.Errorf("given %d times", len(values))
	}
	if len(values[0]) > longest*utf8.UTFMax {
		return fmt.Errorf("longer than %d characters", longest)
	}
	return h.read(o, values[0])
}

// pruningWords are what X-Recap-Pruning may say.
var pruningWords = append([]string{"on", "off"}, pruning.StrategyNames()...)

func oneOf(value string, p *string, words ...string) error {
	it, err := parseItem(value)
	if err == nil && it.kind == 't' && len(it.params) == 0 {
		for _, w := range words {
			if it.text == w {
				*p = w
				return nil
			}
		}
	}
	return fmt.Errorf("want one of %s", strings.Join(words, ", "))
}

func wholeNumber(value string, p *int, low, high int) error {
	it, err := parseItem(value)
	if err != nil || it.kind != 'i' || len(it.params) > 0 || it.number < float64(low) || it.number > float64(high) {
		return fmt.Errorf("want a whole number from %d to %d", low, high)
	}
	*p = int(it.number)
	return nil
}

// plainText takes printable characters. An empty value says nothing: clients fill templates with what they have.
func plainText(value string, p *string) error {
	value = strings.Trim(value, " \t")
	if !utf8.ValidString(value) || utf8.RuneCountInString(value) > longest {
		return fmt.Errorf("want at most %d printable characters", longest)
	}
	for _, r := range value {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("want at most %d printable characters", longest)
		}
	}
	*p = value
	return nil
}

func readName(value string, p *string) error {
	if err := plainText(value, p); err != nil {
		return err
	}
	if *p != "" && !label.MatchString(*p) {
		return errors.New("want the name of a provider; a URL is not allowed")
	}
	return nil
}

// readModel allows the slashes and colons of hf.co/owner/model:tag, but nothing that could be taken for a URL.
func readModel(value string, p *string) error {
	if err := plainText(value, p); err != nil {
		return err
	}
	if strings.Contains(*p, "://") || strings.HasPrefix(*p, "//") {
		return errors.New("want the name of a model; a URL is not allowed")
	}
	return nil
}

func readTrigger(o *Overrides, value string) error {
	m, err := parseMember(value)
	if err != nil {
		return errors.New("want TYPE=VALUE like token_ratio=0.7, or none")
	}
	t := summarizer.Trigger{Type: meaning(m.name), Value: m.item.number}
	number := m.item.kind == 'i' || m.item.kind == 'd'
	switch why := triggerFault(t.Type, t.Value); {
	case m.name == "none" && m.item.kind == '?' && m.item.number == 1:
		t.Value = 0
	case !slices.Contains(triggerNames(), m.name):
		return fmt.Errorf("want one of %s", strings.Join(triggerNames(), ", "))
	case !number:
		return fmt.Errorf("%s wants %s", m.name, triggerFault(t.Type, -1))
	case why != "":
		return fmt.Errorf("%s wants %s", m.name, why)
	}
	for _, p := range m.item.params {
		if p.name != "min-turns" || p.item.kind != 'i' || p.item.number < 0 || p.item.number > 100_000 {
			return errors.New("want no parameter but min-turns, a whole number from 0 to 100000")
		}
		t.MinTurns = int(p.item.number)
	}
	o.Trigger = &t
	return nil
}

func readWait(o *Overrides, value string) error {
	it, err := parseItem(value)
	if err != nil || it.kind != 'i' && it.kind != 'd' || len(it.params) > 0 || it.number < 0 || it.number > 600 {
		return errors.New("want seconds from 0 to 600")
	}
	o.Wait = time.Duration(it.number * float64(time.Second))
	return nil
}
