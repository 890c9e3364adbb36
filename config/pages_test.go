package config_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"recap/config"
)

// The generated files are as the table says; `go test ./config -update` writes them anew.
func TestGeneratedFiles(t *testing.T) {
	for file, write := range map[string]func(io.Writer) error{
		"../recap.example.yaml": config.Example, "../docs/options.md": config.OptionsPage, "../docs/headers.md": config.HeadersPage,
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		golden(t, file, b.String())
	}
}

// recap.example.yaml holds the defaults, all of them, and fits the schema.
func TestExampleIsTheDefaults(t *testing.T) {
	var example, schema bytes.Buffer
	if err := errors.Join(config.Example(&example), config.Schema(&schema)); err != nil {
		t.Fatal(err)
	}
	got := mustRead(t, example.String(), env())
	got.Summarization.Parameters = nil
	got.Upstreams[0].Hosts, got.Models = nil, nil
	got.Summarization.ContextPruning.ExcludeTools = nil
	equalSettings(t, got, mustRead(t, "", env()))
	for _, k := range config.Keys() {
		if k.Kind != config.Group && got.Place(k.Path).Line == 0 {
			t.Errorf("the example does not show %s", k.Path)
		}
	}
	var rules map[string]any
	if err := json.Unmarshal(schema.Bytes(), &rules); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{example.String(), got.String()} {
		for _, fault := range validate(rules, decodeYAML(t, text), "") {
			t.Error(fault)
		}
	}
	for _, wrong := range []string{
		"sumarization: {}", "listen: 5", "log: {level: loud}", "summarization: {reserveRatio: 1}", "summarization: {minMessages: -1}",
		"summarization: {minMessages: 1.5}", "store: {ttl: soon}", "limits: {body: 64 megs}", "upstreams: [{nam: a}]", "summarization: {parameters: {a: []}}",
	} {
		if len(validate(rules, decodeYAML(t, wrong), "")) == 0 {
			t.Errorf("the schema takes %s", wrong)
		}
	}
}

func decodeYAML(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// validate knows the few words of JSON Schema that config.Schema uses, and fails on any other.
func validate(rules map[string]any, v any, path string) (faults []string) {
	bad := func(format string, args ...any) { faults = append(faults, path+": "+fmt.Sprintf(format, args...)) }
	for word, rule := range rules {
		text, isText := v.(string)
		n, isNumber := v.(float64)
		limit, _ := rule.(float64)
		switch word {
		case "description", "default", "title", "$schema", "patternProperties", "additionalProperties":
		case "type":
			if !typeFits(rule, v) {
				bad("%v is no %v", v, rule)
			}
		case "enum":
			if !slices.Contains(rule.([]any), v) {
				bad("%v is none of %v", v, rule)
			}
		case "pattern":
			if isText && !regexp.MustCompile(rule.(string)).MatchString(text) {
				bad("%q does not match %v", text, rule)
			}
		case "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum":
			if isNumber && !inside(word, n, limit) {
				bad("%v breaks %s %v", n, word, limit)
			}
		case "items":
			list, _ := v.([]any)
			for i, one := range list {
				faults = append(faults, validate(rule.(map[string]any), one, fmt.Sprint(path, "[", i, "]"))...)
			}
		case "properties":
			faults = append(faults, members(rules, v, path)...)
		default:
			bad("the schema uses %s", word)
		}
	}
	if _, ok := rules["properties"]; !ok {
		faults = append(faults, members(rules, v, path)...)
	}
	return faults
}

func inside(word string, n, limit float64) bool {
	return map[string]bool{"minimum": n >= limit, "exclusiveMinimum": n > limit, "maximum": n <= limit, "exclusiveMaximum": n < limit}[word]
}

func members(rules map[string]any, v any, path string) (faults []string) {
	object, _ := v.(map[string]any)
	properties, _ := rules["properties"].(map[string]any)
	for name, value := range object {
		if r, ok := properties[name]; ok {
			faults = append(faults, validate(r.(map[string]any), value, path+"."+name)...)
			continue
		}
		switch more := rules["additionalProperties"].(type) {
		case bool:
			if !more && !strings.HasPrefix(name, "x-") {
				faults = append(faults, path+"."+name+": unknown")
			}
		case map[string]any:
			faults = append(faults, validate(more, value, path+"."+name)...)
		}
	}
	return faults
}

func typeFits(rule, v any) bool {
	if list, ok := rule.([]any); ok {
		return slices.ContainsFunc(list, func(one any) bool { return typeFits(one, v) })
	}
	switch v := v.(type) {
	case nil:
		return rule == "null"
	case bool:
		return rule == "boolean"
	case string:
		return rule == "string"
	case float64:
		return rule == "number" || rule == "integer" && v == math.Trunc(v)
	case []any:
		return rule == "array"
	}
	return rule == "object"
}

// L25 and L26: testdata/import/*.yaml are LibreChat files; *.want is what config import makes of them. What it prints
// must load.
func TestL25Import(t *testing.T) {
	files, _ := filepath.Glob("testdata/import/*.yaml")
	if len(files) < 4 {
		t.Fatalf("only %d cases", len(files))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		made, notes, err := config.Import("librechat.yaml", string(text))
		got := strings.Join(notes, "\n") + "\n--------\n" + made
		if err != nil {
			got += err.Error() + "\n"
		}
		golden(t, strings.TrimSuffix(file, ".yaml")+".want", got)
		if err != nil {
			continue
		}
		if _, _, err := config.Read("recap.yaml", made, env("OPENAI_API_KEY=k", "OPENROUTER_KEY=k"), nil); err != nil {
			t.Errorf("%s: what was made does not load: %v\n%s", file, err, made)
		}
		if strings.Contains(got, "hunter2") {
			t.Errorf("%s: a key was copied", file)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(contract)
	files, _ := filepath.Glob("testdata/*/*.yaml")
	for _, file := range files {
		text, _ := os.ReadFile(file)
		f.Add(string(text))
	}
	f.Add("a: &a\n <<: *a\n")
	f.Add("{[]: }")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4<<10 {
			return
		}
		lookup := env("A=1", "SECRET=hunter2")
		c, _, err := config.Read("f.yaml", text, lookup, nil)
		if (c == nil) != (err != nil) {
			t.Fatalf("Read = %v, %v", c, err)
		}
		if err == nil {
			if _, _, err := config.Read("printed.yaml", c.String(), lookup, nil); err != nil {
				t.Fatalf("what is printed does not load: %v\n%s", err, c)
			}
		}
		if made, _, err := config.Import("f.yaml", text); err == nil {
			var v any
			if err := yaml.Unmarshal([]byte(made), &v); err != nil {
				t.Fatalf("what was imported is no YAML: %v\n%s", err, made)
			}
		}
	})
}
