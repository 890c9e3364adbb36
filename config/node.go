package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

const (
	maxFile   = 256 << 10 // bytes of a file; a config is some kilobytes
	maxValues = 20_000    // values after aliases were followed: what an alias bomb runs into
	maxDepth  = 50
)

type shape int

const (
	null shape = iota
	scalar
	sequence
	mapping
)

// node is a YAML value with its place, aliases followed and merge keys merged.
type node struct {
	shape        shape
	text         string // of a scalar, ${VAR} still as marks; see expand.go
	quoted       bool   // or a block text: certainly meant as a string
	items        []*node
	entries      []entry
	line, column int
}

type entry struct {
	name  string
	place *node // of the name
	value *node
}

// String names the shape in a sentence.
func (s shape) String() string {
	return [...]string{"nothing", "a single value", "a list", "a map"}[s]
}

// fault is a Problem that does not know its file yet.
type fault struct {
	line, column int
	message      string
}

// Error implements error.
func (f *fault) Error() string { return f.message }

// parseYAML reads one document. An empty one gives an empty map. Its error is a *fault.
func parseYAML(text string) (n *node, err error) {
	// The parser is third-party code that meets whatever somebody typed; a panic there is a syntax error to us.
	defer func() {
		if recover() != nil {
			n, err = nil, &fault{1, 1, "not readable as YAML"}
		}
	}()
	if len(text) > maxFile {
		return nil, &fault{1, 1, fmt.Sprintf("the file is larger than %d bytes", maxFile)}
	}
	if deep(text) {
		return nil, &fault{1, 1, fmt.Sprintf("nested deeper than %d levels", maxDepth)}
	}
	file, err := parser.ParseBytes([]byte(mark(text)), 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, syntaxFault(err)
	}
	body, err := onlyBody(file)
	if err != nil || body == nil {
		return &node{shape: mapping, line: 1, column: 1}, err
	}
	r := &reader{anchors: map[string]ast.Node{}, open: map[string]bool{}}
	return r.read(body, 0)
}

// onlyBody returns the one document of a file, nil where it is empty.
func onlyBody(file *ast.File) (body ast.Node, err error) {
	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil:
		case body != nil:
			return nil, faultAt(doc.Body.GetToken(), "a second document: the file may hold one")
		default:
			body = doc.Body
		}
	}
	return body, nil
}

// deep bounds flow nesting before the parser recurses into it. It counts brackets without looking at quotes, which
// can only refuse a text that no config would hold.
func deep(text string) bool {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '[', '{':
			if depth++; depth > maxDepth*20 {
				return true
			}
		case ']', '}':
			depth--
		}
	}
	return false
}

// syntaxFault keeps the parser's words and place but not its excerpt of the source, which may hold a secret.
func syntaxFault(err error) error {
	var located interface {
		GetToken() *token.Token
		GetMessage() string
	}
	if errors.As(err, &located) && located.GetToken() != nil {
		return faultAt(located.GetToken(), firstLine(located.GetMessage()))
	}
	return &fault{1, 1, "not readable as YAML"}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func faultAt(t *token.Token, message string) *fault {
	f := &fault{1, 1, message}
	if t != nil && t.Position != nil {
		f.line, f.column = t.Position.Line, max(1, t.Position.Column)
	}
	return f
}

// reader turns the parser's tree into nodes.
type reader struct {
	anchors map[string]ast.Node
	open    map[string]bool // anchors being followed, to refuse one that holds itself
	count   int
}

func (r *reader) read(n ast.Node, depth int) (*node, error) {
	if n == nil {
		return &node{shape: null, line: 1, column: 1}, nil
	}
	t := n.GetToken()
	if r.count++; r.count > maxValues {
		return nil, faultAt(t, fmt.Sprintf("more than %d values once aliases are followed", maxValues))
	}
	if depth > maxDepth {
		return nil, faultAt(t, fmt.Sprintf("nested deeper than %d levels", maxDepth))
	}
	switch v := n.(type) {
	case *ast.AnchorNode:
		return r.anchor(v, depth)
	case *ast.AliasNode:
		return r.alias(v, depth)
	case *ast.TagNode:
		return r.read(v.Value, depth+1)
	case *ast.MappingNode:
		return r.mapping(v.Values, t, depth)
	case *ast.MappingValueNode:
		return r.mapping([]*ast.MappingValueNode{v}, v.Key.GetToken(), depth)
	case *ast.SequenceNode:
		return r.sequence(v.Values, t, depth)
	}
	return readScalar(n)
}

func (r *reader) sequence(values []ast.Node, t *token.Token, depth int) (*node, error) {
	out := located(sequence, t)
	for _, item := range values {
		one, err := r.read(item, depth+1)
		if err != nil {
			return nil, err
		}
		out.items = append(out.items, one)
	}
	return out, nil
}

func readScalar(n ast.Node) (*node, error) {
	t := n.GetToken()
	out := located(scalar, t)
	switch v := n.(type) {
	case *ast.NullNode:
		out.shape = null
	case *ast.StringNode:
		out.text = v.Value
		out.quoted = t.Type == token.SingleQuoteType || t.Type == token.DoubleQuoteType
	case *ast.LiteralNode:
		out.text, out.quoted = v.Value.Value, true
	case *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		out.text = t.Value
	default:
		return nil, faultAt(t, "not understood here")
	}
	return out, nil
}

func located(s shape, t *token.Token) *node {
	f := faultAt(t, "")
	return &node{shape: s, line: f.line, column: f.column}
}

func (r *reader) anchor(v *ast.AnchorNode, depth int) (*node, error) {
	name := v.Name.GetToken().Value
	r.open[name] = true
	out, err := r.read(v.Value, depth+1)
	r.open[name] = false
	r.anchors[name] = v.Value
	return out, err
}

func (r *reader) alias(v *ast.AliasNode, depth int) (*node, error) {
	name := v.Value.GetToken().Value
	target, ok := r.anchors[name]
	if r.open[name] || !ok {
		return nil, faultAt(v.GetToken(), fmt.Sprintf("alias *%s names no anchor before it", name))
	}
	r.open[name] = true
	out, err := r.read(target, depth+1)
	r.open[name] = false
	return out, err
}

func (r *reader) mapping(values []*ast.MappingValueNode, t *token.Token, depth int) (*node, error) {
	out := located(mapping, t)
	var merged []entry
	for _, v := range values {
		value, err := r.read(v.Value, depth+1)
		if err != nil {
			return nil, err
		}
		if _, ok := v.Key.(*ast.MergeKeyNode); ok {
			more, err := mergeable(value, v.Key.GetToken())
			if err != nil {
				return nil, err
			}
			merged = append(merged, more...)
			continue
		}
		key, err := readScalar(v.Key)
		if err != nil {
			return nil, err
		}
		if value.shape == null {
			value.line, value.column = key.line, key.column
		}
		out.entries = append(out.entries, entry{unmark(key.text), key, value})
	}
	if len(out.entries) > 0 {
		out.line, out.column = out.entries[0].place.line, out.entries[0].place.column
	}
	for _, e := range merged {
		if out.get(e.name) == nil {
			out.entries = append(out.entries, e)
		}
	}
	return out, nil
}

// mergeable gives the entries that `<<` brings in: of a map, or of a list of maps of which the first one counts.
func mergeable(n *node, t *token.Token) ([]entry, error) {
	switch n.shape {
	case mapping:
		return n.entries, nil
	case sequence:
		var all []entry
		for _, item := range n.items {
			more, err := mergeable(item, t)
			if err != nil {
				return nil, err
			}
			all = append(all, more...)
		}
		return all, nil
	}
	return nil, faultAt(t, "<< takes a map or a list of maps")
}

func (n *node) get(name string) *node {
	for _, e := range n.entries {
		if e.name == name {
			return e.value
		}
	}
	return nil
}
