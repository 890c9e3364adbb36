package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// decoder writes nodes into a Config. It collects problems and goes on.
type decoder struct {
	cfg      *Config
	env      Lookup
	source   string // file, variable or flag
	inFile   bool   // the source has lines, and ${VAR} is looked up in it
	problems Problems
	warnings []Warning
}

func (d *decoder) problem(n *node, path, format string, args ...any) {
	p := &Problem{File: d.source, Key: path, Message: fmt.Sprintf(format, args...)}
	if d.inFile && n != nil {
		p.Line, p.Column = n.line, n.column
	}
	d.problems = append(d.problems, p)
}

func (d *decoder) warn(format string, args ...any) {
	d.warnings = append(d.warnings, Warning(fmt.Sprintf(format, args...)))
}

func (d *decoder) place(n *node) Place {
	if d.inFile {
		return Place{d.source, n.line, n.column}
	}
	return Place{File: d.source}
}

// decode writes n into target at branch b. path is the full path for messages: "upstreams[1].timeouts".
func (d *decoder) decode(b *branch, target any, path string, n *node) {
	if n.shape == null {
		// `summarization:` over commented-out lines is common and harmless; said, not refused.
		d.warn("%s: %s: empty, so the default holds", d.place(n), path)
		return
	}
	if b.key.Kind == Group {
		d.group(b, target, path, n)
		return
	}
	d.cfg.places[path] = d.place(n)
	at := b.key.at(target)
	switch b.key.Kind {
	case List:
		d.list(b.key, at, path, n)
	case Strings:
		d.strings(b.key, at.(*[]string), path, n)
	case Values:
		d.values(at.(*map[string]any), path, n)
	default:
		d.scalar(b.key, at, path, n)
	}
}

func (d *decoder) group(b *branch, target any, path string, n *node) {
	if n.shape != mapping {
		d.problem(n, path, "want a map with %s, got %s", words(b.names()), n.shape)
		return
	}
	seen := map[string]*node{}
	for _, e := range n.entries {
		if path == "" && strings.HasPrefix(e.name, "x-") {
			continue
		}
		full := join(path, e.name)
		if first := seen[e.name]; first != nil {
			d.problem(e.place, full, "given twice, first in line %d", first.line)
			continue
		}
		seen[e.name] = e.place
		if kid := b.kid(e.name); kid != nil {
			d.decode(kid, target, full, e.value)
			continue
		}
		d.problem(e.place, full, "unknown key%s", advice(b, path, e.name))
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// advice says what an unknown key was probably meant to be: a sibling with nearly that name, or the same name
// under another parent.
func advice(b *branch, path, name string) string {
	if near := nearest(name, b.names()); near != "" {
		return "; did you mean " + near + "?"
	}
	for _, k := range Keys() {
		if k.Path == name {
			return "; " + name + " belongs at the top level"
		}
		if parent, ok := strings.CutSuffix(k.Path, "."+name); ok && parent != path {
			return "; " + name + " belongs under " + parent
		}
		for _, item := range k.Items {
			if item.Path == name {
				return "; " + name + " belongs in an entry of " + k.Path
			}
		}
	}
	return "; here are allowed " + words(b.names())
}

func (d *decoder) list(k *Key, at any, path string, n *node) {
	if n.shape != sequence {
		d.problem(n, path, "want a list of maps, got %s", n.shape)
		return
	}
	tree := grow(k.Items)
	all := make([]any, 0, len(n.items))
	for i, item := range n.items {
		one := k.list.fresh()
		full := path + "[" + strconv.Itoa(i) + "]"
		d.cfg.places[full] = d.place(item)
		if item.shape == null {
			d.problem(item, full, "want a map, got nothing")
			continue
		}
		d.group(tree, one, full, item)
		all = append(all, one)
	}
	k.list.store(at, all)
}

func (d *decoder) strings(k *Key, at *[]string, path string, n *node) {
	if n.shape != sequence {
		d.problem(n, path, "want a list like [a, b], got %s", n.shape)
		return
	}
	out := make([]string, 0, len(n.items))
	for i, item := range n.items {
		full := path + "[" + strconv.Itoa(i) + "]"
		d.cfg.places[full] = d.place(item)
		if item.shape != scalar {
			d.problem(item, full, "want a string, got %s", item.shape)
			continue
		}
		if text, ok := d.expand(k, full, item); ok {
			out = append(out, text)
		}
	}
	*at = out
}

func (d *decoder) scalar(k *Key, at any, path string, n *node) {
	if n.shape != scalar {
		d.problem(n, path, "want %s, got %s", k.Kind.noun(), n.shape)
		return
	}
	text, ok := d.expand(k, path, n)
	if !ok {
		return
	}
	strict := k.Kind == Bool || k.Kind == Int || k.Kind == Number
	if strict && n.quoted && text == n.text && d.inFile {
		d.problem(n, path, "want %s, got a string; leave out the quotes", k.Kind.noun())
		return
	}
	if err := setValue(k, at, text); err != nil {
		d.problem(n, path, "%s", err)
	}
}

// values reads a map of plain values (row L4).
func (d *decoder) values(at *map[string]any, path string, n *node) {
	if n.shape != mapping {
		d.problem(n, path, "want a map, got %s", n.shape)
		return
	}
	out := make(map[string]any, len(n.entries))
	for _, e := range n.entries {
		full := join(path, e.name)
		if _, twice := out[e.name]; twice {
			d.problem(e.place, full, "given twice")
			continue
		}
		v, err := d.plain(full, e.value)
		if err != nil {
			d.problem(e.value, full, "%s", err)
			continue
		}
		out[e.name] = v
	}
	*at = out
}

var errPlain = errors.New("want a string, a number, true, false or null")

func (d *decoder) plain(path string, n *node) (any, error) {
	if n.shape == null {
		return nil, nil
	}
	if n.shape != scalar {
		return nil, errPlain
	}
	text, _ := d.expand(&Key{}, path, n)
	if n.quoted {
		return text, nil
	}
	if text == "true" || text == "false" {
		return text == "true", nil
	}
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return i, nil
	}
	var f float64
	if setNumber(&Key{}, &f, text) == nil {
		return f, nil
	}
	if lower := strings.ToLower(text); strings.HasSuffix(lower, ".nan") || strings.HasSuffix(lower, ".inf") {
		return nil, errPlain
	}
	return text, nil
}

// expand looks up ${VAR} in values of the file. A secret whose variable is not set is empty: the example file names
// RECAP_ADMIN_TOKEN, and most people have none. Anywhere else that is a problem.
func (d *decoder) expand(k *Key, path string, n *node) (string, bool) {
	if !d.inFile {
		return unmark(n.text), true
	}
	text, missing, _ := expand(n.text, d.env)
	if len(missing) > 0 && !k.Secret {
		d.problem(n, path, "the variable %s is not set; write ${%s:-default} to go on without it", missing[0], missing[0])
		return "", false
	}
	return text, true
}
