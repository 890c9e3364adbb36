package config

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Print writes the settings as a recap.yaml. Secrets are shown as (set), and where a value does not come from the
// defaults, a comment says from where.
func (c *Config) Print(w io.Writer) error {
	p := &printer{hide: true, places: c.places}
	p.group(keyTree(), c, "", "")
	_, err := io.WriteString(w, p.out.String())
	return err
}

// Example writes recap.example.yaml: every key with its default and what it is for.
func Example(w io.Writer) error {
	p := &printer{docs: true}
	p.out.WriteString("# Recap's settings with their defaults: generated from the table of keys. Keep only the lines you change.\n" +
		"# ${VAR} and ${VAR:-default} take a value from the environment; top-level keys that begin with x- are ignored.\n" +
		"# Every key is an environment variable and a flag too, see docs/options.md. Check a file with: recap config check FILE\n")
	p.group(keyTree(), Default(), "", "")
	_, err := io.WriteString(w, p.out.String())
	return err
}

// printer writes the table's values as YAML.
type printer struct {
	out    strings.Builder
	docs   bool // with comments, and secrets as the variables they come from
	hide   bool // secrets as (set)
	places map[string]Place
}

func (p *printer) group(b *branch, target any, path, indent string) {
	for _, kid := range b.kids {
		if p.docs {
			p.comment(kid.key, path, indent)
		}
		p.entry(kid, target, join(path, kid.name), indent)
	}
}

func (p *printer) comment(k *Key, path, indent string) {
	if path == "" {
		p.out.WriteString("\n")
	}
	text := k.Doc
	if k.Kind == List && k.Example != "" {
		text += " For example: [" + k.Example + "]"
	}
	if allowed := k.values(); allowed != "" {
		text = strings.TrimSpace(text + " Values: " + allowed + ".")
	}
	if text != "" {
		p.out.WriteString(indent + "# " + text + "\n")
	}
}

// values says in words what is allowed, or "" where the type says it all.
func (k *Key) values() string {
	switch {
	case len(k.Allowed) > 0:
		return words(k.Allowed)
	case k.Range != nil && k.Kind != Size && k.Kind != Duration:
		return k.Range.String()
	}
	return ""
}

func (p *printer) entry(b *branch, target any, path, indent string) {
	p.out.WriteString(indent + b.name + ":")
	if b.key.Kind == Group {
		p.out.WriteString("\n")
		p.group(b, target, path, indent+"  ")
		return
	}
	at := b.key.at(target)
	if b.key.Kind == List {
		p.list(b.key, at, path, indent)
		return
	}
	p.out.WriteString(" " + p.value(b.key, at) + p.origin(path) + "\n")
}

func (p *printer) origin(path string) string {
	if at, ok := p.places[path]; ok {
		return "  # " + at.String()
	}
	return ""
}

func (p *printer) list(k *Key, at any, path, indent string) {
	entries := k.list.entries(at)
	if len(entries) == 0 {
		p.out.WriteString(" []" + p.origin(path) + "\n")
		return
	}
	p.out.WriteString(p.origin(path) + "\n")
	tree := grow(k.Items)
	for i, one := range entries {
		before := p.out.Len()
		p.group(tree, one, path+"["+strconv.Itoa(i)+"]", indent+"    ")
		p.dash(before, indent)
	}
}

// dash puts the mark of a list's entry in front of the first key that was written since from.
func (p *printer) dash(from int, indent string) {
	text := p.out.String()
	written := strings.SplitAfter(text[from:], "\n")
	for i, line := range written {
		if body, ok := strings.CutPrefix(line, indent+"    "); ok && !strings.HasPrefix(body, "#") {
			written[i] = indent + "  - " + body
			break
		}
	}
	p.out.Reset()
	p.out.WriteString(text[:from] + strings.Join(written, ""))
}

func (p *printer) value(k *Key, at any) string {
	if k.Secret {
		return p.secret(k, *at.(*string))
	}
	switch v := at.(type) {
	case *[]string:
		parts := make([]string, len(*v))
		for i, s := range *v {
			parts[i] = yamlString(s)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *map[string]any:
		parts := make([]string, 0, len(*v))
		for _, name := range slices.Sorted(maps.Keys(*v)) {
			parts = append(parts, yamlString(name)+": "+yamlPlain((*v)[name]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case *string:
		return yamlString(formatValue(k, at))
	}
	return formatValue(k, at)
}

func (p *printer) secret(k *Key, value string) string {
	switch {
	case p.docs && k.Example != "":
		return k.Example
	case value == "":
		return `""`
	case p.hide:
		return `"(set)"`
	}
	return yamlString(value)
}

func yamlPlain(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return yamlString(v)
	case float64:
		return number(v)
	}
	return fmt.Sprint(v)
}

var (
	safe   = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9_./+-]*(:[A-Za-z0-9_./+-]+)*$`)
	listen = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+:[0-9]+$`)
	odd    = regexp.MustCompile(`(?i)^(true|false|null|yes|no|on|off|y|n)$`)
)

// yamlString writes a string so that any YAML reader takes it for one. Go's escapes are YAML's too.
func yamlString(s string) string {
	s = variable.ReplaceAllStringFunc(s, func(m string) string { return "$" + m })
	if (safe.MatchString(s) || listen.MatchString(s)) && !odd.MatchString(s) {
		return s
	}
	return strconv.Quote(s)
}
