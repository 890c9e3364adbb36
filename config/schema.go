package config

import (
	"encoding/json"
	"io"
	"math"
)

// Schema writes a JSON schema (draft 2020-12) of recap.yaml, for editors.
func Schema(w io.Writer) error {
	root := schemaOf(keyTree(), Default())
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "recap.yaml"
	root["patternProperties"] = map[string]any{"^x-": true}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(root)
}

// fromVariable is a value that the environment gives; patterns apply to strings only, so it can stand beside any type.
const fromVariable = `\$\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\}`

func schemaOf(b *branch, target any) map[string]any {
	k := b.key
	s := map[string]any{}
	if k.Doc != "" {
		s["description"] = k.Doc
	}
	if k.Kind == Group {
		properties := map[string]any{}
		for _, kid := range b.kids {
			properties[kid.name] = schemaOf(kid, target)
		}
		s["type"], s["properties"], s["additionalProperties"] = "object", properties, false
		return s
	}
	at := k.at(target)
	switch k.Kind {
	case List:
		s["type"], s["items"] = "array", schemaOf(grow(k.Items), k.list.fresh())
	case Strings:
		s["type"], s["items"], s["default"] = "array", map[string]any{"type": "string"}, orEmpty(*at.(*[]string))
	case Values:
		s["type"] = "object"
		s["additionalProperties"] = map[string]any{"type": []string{"string", "number", "boolean", "null"}}
	default:
		k.describe(s, at)
	}
	return s
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// describe adds what a single value may be.
func (k *Key) describe(s map[string]any, at any) {
	switch k.Kind {
	case Bool:
		s["type"], s["pattern"], s["default"] = []string{"boolean", "string"}, "^"+fromVariable+"$", *at.(*bool)
	case Int, Number:
		kind := map[Kind]string{Int: "integer", Number: "number"}[k.Kind]
		s["type"], s["pattern"], s["default"] = []string{kind, "string"}, "^"+fromVariable+"$", json.Number(formatValue(k, at))
		k.Range.describe(s)
	case Duration:
		s["type"], s["pattern"] = "string", `^(([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+|.*`+fromVariable+`.*)$`
		s["default"] = formatValue(k, at)
	case Size:
		s["type"], s["pattern"] = []string{"integer", "string"}, `^([0-9]+ ?(B|KB|MB|GB|KiB|MiB|GiB)?|.*`+fromVariable+`.*)$`
		s["minimum"], s["default"] = 1, formatValue(k, at)
	default:
		s["type"] = "string"
		if len(k.Allowed) > 0 {
			s["enum"] = k.Allowed
		}
		if !k.Secret {
			s["default"] = formatValue(k, at)
		}
	}
}

func (r *Range) describe(s map[string]any) {
	if r == nil {
		return
	}
	put := func(has, open bool, name, exclusive string, v float64) {
		switch {
		case !has || math.IsInf(v, 0):
		case open:
			s[exclusive] = v
		default:
			s[name] = v
		}
	}
	put(r.HasMin, r.OpenMin, "minimum", "exclusiveMinimum", r.Min)
	put(r.HasMax, r.OpenMax, "maximum", "exclusiveMaximum", r.Max)
}
