package config_test

import (
	"errors"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"recap/config"
	"recap/summarizer"
)

func read(t *testing.T, pairs ...string) (config.Overrides, error) {
	t.Helper()
	o, _, err := config.ReadOverrides(header(pairs...).Values, []string{"*"})
	return o, err
}

func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add("X-Recap-"+pairs[i], pairs[i+1])
	}
	return h
}

func TestOverrideHeaders(t *testing.T) {
	two, zero := 2, 0
	o, err := read(t, "Mode", "observe", "Session", "chat 12 · über", "Context-Window", "8192", "Trigger", "token_ratio=0.7;min-turns=3",
		"Keep-Turns", "2", "Pruning", "budget", "Keep-Last-Assistants", "0", "Provider", "openAI", "Model", "hf.co/a/b:Q4_K_M",
		"Max-Summary-Tokens", "900", "Placement", "system", "Overflow", "reject", "Wait", "2.5")
	want := config.Overrides{
		Mode: config.Observe, Session: "chat 12 · über", ContextWindow: 8192,
		Trigger:   &summarizer.Trigger{Type: "token_ratio", Value: 0.7, MinTurns: 3},
		KeepTurns: &two, Pruning: "budget", KeepLastAssistants: &zero, Provider: "openAI", Model: "hf.co/a/b:Q4_K_M",
		MaxSummaryTokens: 900, Placement: "system", Overflow: "reject", Wait: 2500 * time.Millisecond,
	}
	if err != nil || !reflect.DeepEqual(o, want) {
		t.Errorf("got %+v, %v, want %+v", o, err, want)
	}
	if o, err := read(t); err != nil || !reflect.DeepEqual(o, config.Overrides{}) {
		t.Errorf("no headers: %+v, %v", o, err)
	}
	if o, err := read(t, "Trigger", "none"); err != nil || *o.Trigger != (summarizer.Trigger{}) {
		t.Errorf("no trigger: %+v, %v", o, err)
	}
	if o, err := read(t, "Session", "", "Model", ""); err != nil || o.Session != "" {
		t.Errorf("templates that came out empty: %+v, %v", o, err)
	}
}

// E15: values that try to reach another host, break a header or leave the range are refused, naming the header.
func TestE15BadOverrides(t *testing.T) {
	bad := func(name, value string) {
		t.Helper()
		o, err := read(t, name, value)
		var b *config.BadHeader
		if !errors.As(err, &b) || b.Name != "X-Recap-"+name || !reflect.DeepEqual(o, config.Overrides{}) {
			t.Errorf("%s: %.60q gives %+v, %v", name, value, o, err)
			return
		}
		if len(value) > 20 && strings.Contains(err.Error(), value) {
			t.Errorf("%s: the error repeats the value: %v", name, err)
		}
	}
	for _, url := range []string{"http://169.254.169.254/", "http://127.0.0.1:22/", "http://evil.example/v1", "file:///etc/passwd", "//evil.example"} {
		bad("Provider", url)
		bad("Model", url)
	}
	huge := strings.Repeat("9", 1<<20)
	for _, h := range config.OverrideHeaders() {
		name := strings.TrimPrefix(h, "X-Recap-")
		bad(name, "a\r\nX-Evil: 1")
		bad(name, huge)
		bad(name, "\x00")
		bad(name, "\xff")
		if name != "Session" && name != "Model" && name != "Provider" {
			for _, v := range []string{"NaN", "1e309", "-1", "999999999999999", "", "a, b", `"x"`, "1;", "=", "Infinity", ":AAA=:", "@1"} {
				bad(name, v)
			}
		}
	}
	bad("Session", strings.Repeat("x", 257))
	bad("Trigger", "token_ratio=-1")
	bad("Trigger", "token_ratio=0")
	bad("Trigger", "token_ratio=1.5")
	bad("Trigger", "token_ratio=NaN")
	bad("Trigger", "token_ratio=1e309")
	bad("Trigger", "token_ratio")
	bad("Trigger", "token_ratio=0.5, remaining_tokens=3")
	bad("Trigger", "token_ratio=0.5;min-turns=-1")
	bad("Trigger", "token_ratio=0.5;url=1")
	bad("Trigger", "remaining_tokens=0.5")
	bad("Trigger", "none=3")
	bad("Trigger", "none=?0")
	bad("Keep-Turns", "999999999")
	bad("Keep-Turns", "21")
	bad("Keep-Turns", "2.0")
	bad("Keep-Turns", "2;x=1")
	bad("Keep-Last-Assistants", "11")
	bad("Context-Window", "0")
	bad("Wait", "601")
	bad("Wait", "0.1234")
	bad("Mode", "AUTO")
	bad("Mode", `"off"`)
	if _, err := read(t, "Mode", "off", "Mode", "off"); err == nil {
		t.Error("a header given twice was taken")
	}
}

// E15: what the operator does not allow is ignored, even where its value is bad; [] switches all of it off.
func TestE15Allow(t *testing.T) {
	all := header("Mode", "off", "Keep-Turns", "3", "Keep-Last-Assistants", "x", "Model", "m")
	f := func(allow []string, ignored ...string) config.Overrides {
		t.Helper()
		o, got, err := config.ReadOverrides(all.Values, allow)
		if err != nil || !slices.Equal(got, ignored) {
			t.Errorf("allow %q ignores %q, %v, want %q", allow, got, err, ignored)
		}
		return o
	}
	o := f([]string{"x-recap-mode", "X-Recap-Keep-Turns"}, "X-Recap-Keep-Last-Assistants", "X-Recap-Model")
	if o.Mode != config.Off || *o.KeepTurns != 3 || o.Model != "" {
		t.Errorf("overrides = %+v", o)
	}
	f(nil, "X-Recap-Mode", "X-Recap-Keep-Turns", "X-Recap-Keep-Last-Assistants", "X-Recap-Model")
	c := mustRead(t, "", env())
	if _, _, err := c.ReadOverrides(header("Provider", "mystery").Values); err == nil {
		t.Error("a provider that the file does not name was taken")
	}
	if o, _, err := c.ReadOverrides(header("Provider", "openAI").Values); err != nil || o.Provider != "openAI" {
		t.Errorf("a provider of the file: %+v, %v", o, err)
	}
}

// L26: one block in the file, and a request may change it for itself alone.
func TestL26Apply(t *testing.T) {
	base := mustRead(t, "summarization: {trigger: {type: token_ratio, value: 0.9}, parameters: {a: 1}}", env()).Summarization
	before := base
	before.Parameters = maps.Clone(base.Parameters)
	o, err := read(t, "Trigger", "remaining_tokens=500", "Keep-Turns", "0", "Pruning", "budget", "Keep-Last-Assistants", "1", "Model", "m",
		"Max-Summary-Tokens", "9", "Placement", "system", "Overflow", "pass", "Provider", "p")
	if err != nil {
		t.Fatal(err)
	}
	got := o.Apply(base)
	if got.Trigger.Type != "remaining_tokens" || got.RetainRecent.Turns != 0 || !got.ContextPruning.Enabled || got.ContextPruning.Strategy != "budget" ||
		got.ContextPruning.KeepLastAssistants != 1 || got.Model != "m" || got.Provider != "p" || got.MaxSummaryTokens != 9 ||
		got.Placement != "system" || got.Overflow != "pass" {
		t.Errorf("Apply = %+v", got)
	}
	if !reflect.DeepEqual(base, before) {
		t.Error("Apply changed its argument")
	}
	if got := (&config.Overrides{}).Apply(base); !reflect.DeepEqual(got, base) {
		t.Errorf("nothing asked for, yet %+v", got)
	}
	off, _ := read(t, "Pruning", "off")
	on, _ := read(t, "Pruning", "on")
	if o := on.Apply(base); !o.ContextPruning.Enabled || off.Apply(o).ContextPruning.Enabled {
		t.Error("on and off do not switch pruning")
	}
}

func FuzzReadOverrides(f *testing.F) {
	for _, v := range []string{"auto", "token_ratio=0.7;min-turns=2", "8192", "-1.5", `"a\"b"`, "?1", "x;y=2", "NaN", "http://h", "a\r\nb", ""} {
		f.Add(v)
	}
	allow := []string{"*"}
	f.Fuzz(func(t *testing.T, value string) {
		for _, name := range config.OverrideHeaders() {
			one := func(n string) []string {
				if n == name {
					return []string{value}
				}
				return nil
			}
			o, ignored, err := config.ReadOverrides(one, allow)
			var bad *config.BadHeader
			if len(ignored) > 0 || err != nil && (!errors.As(err, &bad) || bad.Name != name) {
				t.Fatalf("%s: %q: ignored %q, %v", name, value, ignored, err)
			}
			if strings.Contains(o.Provider+o.Model, "://") || len([]rune(o.Session)) > 256 || strings.ContainsAny(o.Session+o.Model+o.Provider, "\r\n\x00") ||
				o.KeepTurns != nil && (*o.KeepTurns < 0 || *o.KeepTurns > 20) || o.Wait < 0 || o.Wait > 10*time.Minute {
				t.Fatalf("%s: %q gives %+v", name, value, o)
			}
			if tr := o.Trigger; tr != nil && tr.Check() != nil {
				t.Fatalf("%q gives a trigger that is refused: %v", value, tr.Check())
			}
		}
	})
}
