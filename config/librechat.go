package config

import (
	"fmt"
	"strconv"
	"strings"
)

// Import turns a librechat.yaml into a recap.yaml (row L25). It takes the summarization block with its values as they
// are written, converts the fields that were once set per endpoint, and ignores the rest. notes says, one line each,
// what was found and where it went. The error is a Problems.
func Import(name, text string) (yaml string, notes []string, err error) {
	root, err := parseYAML(text)
	if err != nil {
		d := &decoder{source: name, inFile: true}
		d.fault(err)
		return "", nil, d.problems
	}
	if root.shape != mapping {
		return "", nil, Problems{{File: name, Line: 1, Column: 1, Message: "want a map of settings, got " + root.shape.String()}}
	}
	in := &importer{file: name, endpoints: root.get("endpoints")}
	block := in.block(root.get("summarization"))
	in.retired("endpoints", "", in.endpoints)
	in.convert(block)
	yaml = in.write(block)
	for _, e := range root.entries {
		switch e.name {
		case "summarization":
		case "endpoints":
			in.note(e.place, e.name, "ignored but for what is named above")
		default:
			in.note(e.place, e.name, "ignored: Recap has no such setting")
		}
	}
	// Whatever is printed must load. Problems stand where the value stands in the file that came in.
	d := &decoder{cfg: Default(), source: name, inFile: true, env: func(string) (string, bool) { return "", true }}
	d.group(find("summarization"), d.cfg, "summarization", block)
	d.checkSummarization()
	if len(d.problems) > 0 {
		return "", in.notes, d.problems
	}
	return yaml, in.notes, nil
}

type importer struct {
	file      string
	endpoints *node
	notes     []string
	models    []*node // summaryModel, as found
	switches  []*node // summarize, as found
	providers string  // YAML of a providers section, "" = not needed
}

func (in *importer) note(n *node, path, format string, args ...any) {
	in.notes = append(in.notes, fmt.Sprintf("%s:%d: %s: %s", in.file, n.line, path, fmt.Sprintf(format, args...)))
}

// block copies the summarization block without keys that Recap does not know.
func (in *importer) block(n *node) *node {
	if n == nil || n.shape != mapping {
		if n != nil && n.shape != null {
			return n // refused by the decoder, with its place
		}
		return &node{shape: mapping, line: 1, column: 1}
	}
	return in.known(find("summarization"), "summarization", n)
}

func (in *importer) known(b *branch, path string, n *node) *node {
	out := *n
	out.entries = nil
	for _, e := range n.entries {
		kid := b.kid(e.name)
		switch {
		case kid == nil:
			in.note(e.place, join(path, e.name), "left out: Recap has no such key%s", advice(b, path, e.name))
			continue
		case kid.key.Kind == Group && e.value.shape == mapping:
			e.value = in.known(kid, join(path, e.name), e.value)
		}
		out.entries = append(out.entries, e)
	}
	return &out
}

// retired finds summarize and summaryModel anywhere under endpoints.
func (in *importer) retired(path, label string, n *node) {
	if n == nil {
		return
	}
	for i, item := range n.items {
		in.retired(path+"["+strconv.Itoa(i)+"]", labelOf(item), item)
	}
	for _, e := range n.entries {
		full := path + "." + e.name + label
		switch {
		case e.name == "summarize" && e.value.shape == scalar:
			in.switches = append(in.switches, e.value)
			in.note(e.place, full, "gone; it is summarization.enabled now, for all endpoints")
		case e.name == "summaryModel" && e.value.shape == scalar:
			in.models = append(in.models, e.value)
			in.note(e.place, full, "gone; it is summarization.model now, for all endpoints")
		default:
			in.retired(path+"."+e.name, "", e.value)
		}
	}
}

func labelOf(n *node) string {
	if name := n.get("name"); name != nil && name.shape == scalar {
		return " (" + name.text + ")"
	}
	return ""
}

// convert moves the retired fields into the block, under whatever the block says itself.
func (in *importer) convert(block *node) {
	if block.shape != mapping {
		return
	}
	in.convertModel(block)
	in.convertSwitch(block)
	in.convertProvider(block)
}

func (in *importer) convertModel(block *node) {
	for _, m := range in.models {
		has := block.get("model")
		switch {
		case m.text == "current_model":
			in.note(m, "summarization.model", "left out: current_model is what Recap does without a model")
		case has == nil:
			block.add("model", m)
			in.note(m, "summarization.model", "set to %s", quote(m.text))
		case has.text != m.text:
			in.note(m, "summarization.model", "stays %s; %s is dropped, for there is one model for all endpoints", quote(has.text), quote(m.text))
		}
	}
}

// convertSwitch turns summaries off only where every endpoint that said anything said no.
func (in *importer) convertSwitch(block *node) {
	if len(in.switches) == 0 || block.get("enabled") != nil {
		return
	}
	on := false
	for _, s := range in.switches {
		on = on || s.text == "true"
	}
	block.add("enabled", &node{shape: scalar, text: strconv.FormatBool(on), line: in.switches[0].line, column: in.switches[0].column})
	in.note(in.switches[0], "summarization.enabled", "set to %t", on)
}

// convertProvider keeps a provider that Recap knows, or that a custom endpoint of the file describes.
func (in *importer) convertProvider(block *node) {
	p := block.get("provider")
	if p == nil || p.shape != scalar || Default().provider(p.text) != nil {
		return
	}
	if e := in.custom(p.text); e != nil {
		in.note(p, "summarization.provider", "%s is a custom endpoint; its address went into providers", quote(p.text))
		in.providers = in.providerYAML(p, e)
		return
	}
	block.remove("provider")
	in.note(p, "summarization.provider", "%s left out: describe it under providers, then name it here; until then the chat's own upstream writes", quote(p.text))
}

func (in *importer) custom(name string) *node {
	if in.endpoints == nil || in.endpoints.get("custom") == nil {
		return nil
	}
	for _, item := range in.endpoints.get("custom").items {
		n, address := item.get("name"), item.get("baseURL")
		if n != nil && n.text == name && address != nil && (marked.MatchString(address.text) || urlFault(address.text) == "") {
			return item
		}
	}
	return nil
}

// providerYAML never writes a key in clear: one that is not a variable becomes the variable to set.
func (in *importer) providerYAML(p, endpoint *node) string {
	key := "${PROVIDER_API_KEY}"
	if k := endpoint.get("apiKey"); k != nil && k.text != "" && marked.FindString(k.text) == k.text {
		key = unmark(k.text)
	} else {
		in.note(p, "providers", "its apiKey is not copied; set PROVIDER_API_KEY in the environment")
	}
	return fmt.Sprintf("providers:\n  - name: %s\n    dialect: openai\n    url: %s\n    apiKey: %s\n",
		yamlString(p.text), strconv.Quote(unmark(endpoint.get("baseURL").text)), key)
}

func (in *importer) write(block *node) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Taken from %s by recap config import.\n%s", strings.ReplaceAll(in.file, "\n", " "), in.providers)
	if len(block.entries) > 0 {
		b.WriteString("summarization:\n")
		writeNode(&b, block, "  ")
	}
	return b.String()
}

func writeNode(b *strings.Builder, n *node, indent string) {
	for _, e := range n.entries {
		b.WriteString(indent + yamlString(e.name) + ":")
		if e.value.shape == mapping && len(e.value.entries) > 0 {
			b.WriteString("\n")
			writeNode(b, e.value, indent+"  ")
			continue
		}
		b.WriteString(" " + flow(e.value) + "\n")
	}
}

// flow writes a value on one line, a plain one as it was written.
func flow(n *node) string {
	switch n.shape {
	case null:
		return "null"
	case sequence:
		parts := make([]string, len(n.items))
		for i, item := range n.items {
			parts[i] = flow(item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case mapping:
		parts := make([]string, len(n.entries))
		for i, e := range n.entries {
			parts[i] = yamlString(e.name) + ": " + flow(e.value)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	var probe float64
	if text := unmark(n.text); n.quoted || !safe.MatchString(text) && setNumber(&Key{}, &probe, text) != nil {
		return strconv.Quote(text)
	}
	return n.text
}

func (n *node) add(name string, value *node) {
	n.entries = append(n.entries, entry{name, value, value})
}

func (n *node) remove(name string) {
	for i, e := range n.entries {
		if e.name == name {
			n.entries = append(n.entries[:i], n.entries[i+1:]...)
			return
		}
	}
}
