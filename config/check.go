package config

import (
	"fmt"
	"math"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"recap/summarizer"
)

// check looks at what one value alone cannot tell. A key that already has a problem gets no second one.
func (d *decoder) check() {
	d.checkListeners()
	d.checkUpstreams()
	d.checkProviders()
	d.checkSummarization()
	for i, m := range d.cfg.Models {
		if m.Match == "" {
			d.refuse(fmt.Sprintf("models[%d].match", i), "missing: a pattern over model names, like llama3*")
		}
	}
	if name, ok := strings.CutPrefix(d.cfg.Tenant, "header:"); ok && !headerName.MatchString(name) ||
		!ok && d.cfg.Tenant != "credential" && d.cfg.Tenant != "none" {
		d.refuse("tenant", "want credential, header:NAME or none, got %s", quote(d.cfg.Tenant))
	}
	if d.cfg.Store.Mirror != "" {
		d.checkURL("store.mirror.url", d.cfg.Store.Mirror)
	}
	for i, pattern := range d.cfg.Overrides.Allow {
		if !allowsAny(pattern) {
			d.refuse(fmt.Sprintf("overrides.allow[%d]", i), "%s names no override header%s", quote(pattern), meant(pattern, OverrideHeaders()))
		}
	}
	if d.cfg.Log.Messages && d.cfg.Log.Level != "debug" {
		d.warn("%s: log.messages: has no effect unless log.level is debug", d.where("log.messages"))
	}
}

var headerName = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)

func meant(name string, candidates []string) string {
	if near := nearest(name, candidates); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// where finds the place of a key, or that of the nearest thing around it.
func (d *decoder) where(path string) Place {
	for {
		if p, ok := d.cfg.places[path]; ok {
			return p
		}
		cut := strings.LastIndexAny(path, ".[")
		if cut < 0 {
			return Place{}
		}
		path = path[:cut]
	}
}

func (d *decoder) refuse(path, format string, args ...any) {
	for _, p := range d.problems {
		if p.Key == path {
			return
		}
	}
	at := d.where(path)
	if at.File == "" {
		at.File = "settings"
	}
	d.problems = append(d.problems, &Problem{at.File, at.Line, at.Column, path, fmt.Sprintf(format, args...)})
}

func (d *decoder) checkListeners() {
	d.checkListen("listen", d.cfg.Listen)
	if d.cfg.Admin.Listen == "" {
		return // no admin listener is wanted
	}
	d.checkListen("admin.listen", d.cfg.Admin.Listen)
	if d.cfg.Listen == d.cfg.Admin.Listen && !strings.HasSuffix(d.cfg.Listen, ":0") {
		d.refuse("admin.listen", "the same as listen; the admin listener needs an address of its own")
	}
	if d.cfg.Admin.Token == "" && !isLocal(d.cfg.Admin.Listen) {
		d.refuse("admin.listen", "%s can be reached from other machines: set admin.token or RECAP_ADMIN_TOKEN, or listen on 127.0.0.1",
			quote(d.cfg.Admin.Listen))
	}
}

func (d *decoder) checkListen(path, address string) {
	if socket, ok := strings.CutPrefix(address, "unix:"); ok {
		if socket == "" {
			d.refuse(path, "want unix:/path, got no path")
		}
		return
	}
	_, port, err := net.SplitHostPort(address)
	n, errPort := strconv.Atoi(port)
	if err != nil || errPort != nil || n < 0 || n > 65535 {
		d.refuse(path, "want host:port or unix:/path, got %s", quote(address))
	}
}

// isLocal reports whether only this machine can connect. An empty host means all interfaces.
func isLocal(address string) bool {
	if strings.HasPrefix(address, "unix:") {
		return true
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return true // refused already
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Names of upstreams stand in metrics and headers. Those of providers may have spaces, as LibreChat's endpoints do.
var (
	plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	label     = regexp.MustCompile(`^[\pL\pN][\pL\pN ._-]{0,63}$`)
)

func (d *decoder) checkUpstreams() {
	if len(d.cfg.Upstreams) == 0 {
		d.refuse("upstreams", "empty: name at least one, like --upstream http://127.0.0.1:11434")
	}
	if len(d.cfg.Upstreams) == 1 && d.cfg.Upstreams[0].Name == "" {
		d.cfg.Upstreams[0].Name = "local"
	}
	seen := map[string]bool{}
	for i := range d.cfg.Upstreams {
		u := &d.cfg.Upstreams[i]
		path := fmt.Sprintf("upstreams[%d]", i)
		d.checkName(path+".name", u.Name, seen, plainName)
		d.checkURL(path+".url", u.URL)
	}
}

func (d *decoder) checkName(path, name string, seen map[string]bool, form *regexp.Regexp) {
	switch {
	case name == "":
		d.refuse(path, "missing")
	case !form.MatchString(name):
		d.refuse(path, "want at most 64 letters, digits, dots, dashes and underscores%s, got %s",
			map[bool]string{true: ", or spaces within"}[form == label], quote(name))
	case seen[name]:
		d.refuse(path, "%s is already the name of another entry", quote(name))
	}
	seen[name] = true
}

func (d *decoder) checkURL(path, text string) {
	if why := urlFault(text); why != "" {
		d.refuse(path, "%s", why)
	}
}

// urlFault shows nothing of a URL that may hold a password.
func urlFault(text string) string {
	u, err := url.Parse(text)
	switch {
	case text == "":
		return "missing: a base URL like http://127.0.0.1:11434"
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return "want an http or https URL like http://127.0.0.1:11434"
	case u.User != nil:
		return "a name and password in a URL end up in logs; leave them out and use apiKey"
	case u.RawQuery != "" || u.Fragment != "":
		return "want a base URL without ? and #"
	}
	return ""
}

func (d *decoder) checkProviders() {
	seen := map[string]bool{}
	for i, p := range d.cfg.Providers {
		path := fmt.Sprintf("providers[%d]", i)
		d.checkName(path+".name", p.Name, seen, label)
		d.checkURL(path+".url", p.URL)
	}
	name := d.cfg.Summarization.Provider
	if name == "" {
		return
	}
	p := d.cfg.provider(name)
	if p == nil {
		names := make([]string, 0, len(seen))
		for _, p := range d.cfg.Providers {
			names = append(names, p.Name)
		}
		d.refuse("summarization.provider", "%s is not in providers (%s)%s", quote(name), words(names), meant(name, names))
		return
	}
	if p.APIKey == "" && p.Name == "openAI" && p.URL == Default().Providers[0].URL {
		d.warn("%s: summarization.provider: openAI has no key, so its summaries will be refused; set OPENAI_API_KEY", d.where("summarization.provider"))
	}
}

func (d *decoder) checkSummarization() {
	s := &d.cfg.Summarization
	d.checkTrigger()
	trim := &s.ContextPruning.SoftTrim
	if trim.HeadChars+trim.TailChars >= trim.MaxChars {
		d.refuse("summarization.contextPruning.softTrim", "headChars + tailChars must be under maxChars, got %d + %d and %d",
			trim.HeadChars, trim.TailChars, trim.MaxChars)
	}
	if clear := &s.ContextPruning.HardClear; clear.Enabled && strings.TrimSpace(clear.Placeholder) == "" {
		d.refuse("summarization.contextPruning.hardClear.placeholder", "want a text; an empty one could not be recognised as a placeholder")
	}
}

// checkTrigger holds the ranges of L9–L11 and N2, which depend on the type.
func (d *decoder) checkTrigger() {
	const path = "summarization.trigger.value"
	t := d.cfg.Summarization.Trigger
	if why := triggerFault(t.Type, t.Value); why != "" {
		if t.Type == "" {
			d.refuse("summarization.trigger.type", "missing: value is set, so name what it is a value of")
			return
		}
		d.refuse(path, "%s wants %s, got %s", t.Type, why, number(t.Value))
	}
}

// triggerFault says what a trigger's value must be, or "" where it is. The types and their ranges are summarizer's.
func triggerFault(kind string, v float64) string {
	if kind == "" && v != 0 {
		return "no value"
	}
	for _, t := range summarizer.TriggerTypes() {
		whole := t.Unit != "ratio"
		switch {
		case t.Name != kind:
		case whole && !(v >= 1 && v == math.Trunc(v) && v <= min(t.Max, 1e12)):
			return "a whole number of at least 1"
		case !(v > 0 && v <= t.Max):
			return "a number over 0 and at most " + number(t.Max)
		}
	}
	return ""
}

func triggerNames() []string {
	names := []string{"none"}
	for _, t := range summarizer.TriggerTypes() {
		names = append(names, t.Name)
	}
	return names
}

func (c *Config) provider(name string) *summarizer.Provider {
	for i := range c.Providers {
		if c.Providers[i].Name == name {
			return &c.Providers[i]
		}
	}
	return nil
}
