package config_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"recap/config"
)

// samples are values that differ from the defaults, for the kinds whose rows do not say enough.
func sample(k config.Key) string {
	switch {
	case k.Path == "listen" || k.Path == "admin.listen":
		return "127.0.0.1:9999"
	case k.Path == "summarization.contextPruning.softTrim.maxChars":
		return "5000"
	case k.Path == "tenant":
		return "none"
	case k.Path == "summarization.provider":
		return "openAI"
	case k.Path == "store.mirror.url":
		return "http://m"
	case k.Path == "overrides.allow":
		return "X-Recap-Mode, X-Recap-Keep-*"
	case len(k.Allowed) > 0:
		return k.Allowed[len(k.Allowed)-1]
	}
	return map[config.Kind]string{
		config.String: "word", config.Bool: "true", config.Int: "5", config.Number: "0.4", config.Duration: "90s", config.Size: "5KiB",
		config.Strings: "[a, b]", config.Values: "{top_p: 0.5}",
		config.List: map[string]string{"upstreams": "[{url: http://u}]", "models": "[{match: m}]", "providers": "[{name: p, url: http://p}]"}[k.Path],
	}[k.Kind]
}

// alone are keys that mean nothing without another.
var alone = map[string]string{
	"summarization.trigger.type":  "RECAP_SUMMARIZATION_TRIGGER_VALUE=1",
	"summarization.trigger.value": "RECAP_SUMMARIZATION_TRIGGER_TYPE=token_ratio",
}

// Every file key can be set by its variable and by its flag, with the same effect.
func TestEveryKeyHasVariableAndFlag(t *testing.T) {
	seen := map[string]string{}
	for _, k := range config.Keys() {
		for _, name := range []string{k.Env(), k.Flag()} {
			if seen[name] != "" {
				t.Errorf("%s names %s and %s", name, seen[name], k.Path)
			}
			seen[name] = k.Path
		}
		if k.Kind == config.Group {
			continue
		}
		value := sample(k)
		if k.Kind == config.Bool && strings.HasSuffix(k.Path, "nabled") && k.Path != "summarization.contextPruning.enabled" {
			value = "false"
		}
		byEnv := mustRead(t, "", env(k.Env()+"="+value, alone[k.Path]))
		byFlag := mustRead(t, "", env(alone[k.Path]), config.Setting{Key: k.Path, Value: value, From: "--" + k.Flag()})
		equalSettings(t, byFlag, byEnv)
		if alone[k.Path] == "" && len(k.Allowed) != 1 && reflect.DeepEqual(exported(mustRead(t, "", env())), exported(byEnv)) {
			t.Errorf("%s=%s changes nothing", k.Env(), value)
		}
		if p := byEnv.Place(k.Path); p.File != k.Env() {
			t.Errorf("%s comes from %q", k.Path, p)
		}
	}
	if k := seen["RECAP_SUMMARIZATION_TRIGGER_TYPE"]; k != "summarization.trigger.type" {
		t.Errorf("RECAP_SUMMARIZATION_TRIGGER_TYPE names %q", k)
	}
	if k := seen["summarization-context-pruning-keep-last-assistants"]; k != "summarization.contextPruning.keepLastAssistants" {
		t.Errorf("the flag names %q", k)
	}
}

func exported(c *config.Config) []any {
	var out []any
	v := reflect.ValueOf(*c)
	for i := range v.NumField() {
		if v.Type().Field(i).IsExported() {
			out = append(out, v.Field(i).Interface())
		}
	}
	return out
}

// notInFile are the fields that no key of the file reaches, with the reason.
var notInFile = map[string]string{
	"TenantKey":       "a secret of the environment: RECAP_TENANT_KEY",
	"Log.Diagnostics": "follows log.level and AGENT_DEBUG_LOGGING",
	"Store.Now":       "the clock",
	"Store.Report":    "for the process",
	"Store.Patience":  "for tests on busy machines",
}

// The table reaches every field of every options struct: a field that is added without a row is found here.
func TestTableIsComplete(t *testing.T) {
	rows := map[string]bool{}
	add := func(prefix string, keys []config.Key) {
		for _, k := range keys {
			rows[strings.ToLower(strings.ReplaceAll(prefix+k.Path, ".url", ""))] = true
			rows[strings.ToLower(prefix+k.Path)] = true
			if k.Doc == "" && len(k.Allowed) == 0 && !selfEvident[k.Path] {
				t.Errorf("%s has no doc", k.Path)
			}
		}
	}
	add("", config.Keys())
	for _, k := range config.Keys() {
		add(k.Path+"[].", k.Items)
	}
	var walk func(prefix string, typ reflect.Type)
	walk = func(prefix string, typ reflect.Type) {
		for i := range typ.NumField() {
			f := typ.Field(i)
			path := prefix + f.Name
			switch {
			case !f.IsExported() || notInFile[path] != "":
			case f.Type.Kind() == reflect.Struct:
				walk(path+".", f.Type)
			case f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct:
				walk(path+"[].", f.Type.Elem())
			case !rows[strings.ToLower(path)]:
				t.Errorf("no row for %s", path)
			}
		}
	}
	walk("", reflect.TypeFor[config.Config]())
}

// selfEvident rows need no sentence: their name and their group's say it.
var selfEvident = map[string]bool{
	"summarization.contextPruning.enabled":               true,
	"summarization.contextPruning.softTrim.headChars":    true,
	"summarization.contextPruning.softTrim.tailChars":    true,
	"summarization.contextPruning.hardClear.placeholder": true,
}

func TestSettingsAsText(t *testing.T) {
	c := mustRead(t, "", env("RECAP_STORE=memory", "RECAP_ADMIN=127.0.0.1:1", "RECAP_SUMMARIZATION_TRIGGER={type: token_ratio, value: 0.5}",
		"RECAP_UPSTREAM=gpu=http://a:1, http://b:2/v1", "RECAP_TENANT_KEY=secret", "RECAP_LOG={level: warn}", "RECAP_LOG_LEVEL=error"))
	if c.Store.Kind != "memory" || c.Admin.Listen != "127.0.0.1:1" || c.Summarization.Trigger.Value != 0.5 || c.TenantKey != "secret" || c.Log.Level != "error" {
		t.Errorf("settings = %+v %+v %+v", c.Store, c.Admin, c.Log)
	}
	if u := c.Upstreams; len(u) != 2 || u[0].Name != "gpu" || u[0].URL != "http://a:1" || u[1].Name != "local2" || u[1].URL != "http://b:2/v1" {
		t.Errorf("upstreams = %+v", u)
	}
	if c := mustRead(t, "store: {kind: memory}", env(), config.Setting{Key: "store", Value: "/var/lib/recap.db"}); c.Store.Path != "/var/lib/recap.db" {
		t.Errorf("store = %+v", c.Store)
	}
	refused(t, "", env("RECAP_ADMIN_TOKEN=abc\n"), "RECAP_ADMIN_TOKEN: admin.token: a line end")
	refused(t, "", env("RECAP_LIMITS_BODY=-1"), "RECAP_LIMITS_BODY: limits.body: want a size")
	refused(t, "", env("RECAP_UPSTREAMS=http://x"), "RECAP_UPSTREAMS: upstreams: want a list of maps")
	refused(t, "", env("RECAP_LOG={level"), "RECAP_LOG: log: ")
	refused(t, "", env(), "--set: listne: unknown key; did you mean listen?", config.Setting{Key: "listne", Value: "x", From: "--set"})
	refused(t, "", env(), "--upstream: upstreams[0].url: want an http or https URL", config.Setting{Key: "upstream", Value: "localhost:11434"})
	got := config.UnknownEnv([]string{"RECAP_LISTN=x", "RECAP_LISTEN=x", "RECAP_SERVICE_HOST=10.0.0.1", "RECAP_PORT_8787_TCP=x", "HOME=/", "RECAP_ZEBRA="})
	if len(got) != 1 || !strings.Contains(string(got[0]), "did you mean RECAP_LISTEN?") {
		t.Errorf("unknown variables: %q", got)
	}
}

func TestVariablesInValues(t *testing.T) {
	lookup := env("HOST=box", "EMPTY=", "NESTED=${HOST}", "OFF=false", "N=5")
	f := func(want, text string) {
		t.Helper()
		if got := mustRead(t, "summarization: {prompt: "+text+"}", lookup).Summarization.Prompt; got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	f("box", "${HOST}")
	f("a box b", `"a ${HOST} b"`)
	f("box", `'${HOST}'`)
	f("there", "${NOT:-there}")
	f("there", "${EMPTY:-there}")
	f("", `"${NOT:-}"`)
	f("", "${EMPTY}")
	f("${HOST}", "${NESTED}") // what a variable holds is not looked up again
	f("${HOST}", `"$${HOST}"`)
	f("$HOST costs $5", `"$HOST costs $5"`)
	f("${1} ${}", `"${1} ${}"`)
	c := mustRead(t, "summarization: {enabled: ${OFF}, minMessages: \"${N}\"}\nadmin: {token: ${NOT}}", lookup)
	if c.Summarization.Enabled || c.Summarization.MinMessages != 5 || c.Admin.Token != "" {
		t.Errorf("typed values: %+v %+v", c.Summarization, c.Admin)
	}
}

func TestAnchorsAndMergeKeys(t *testing.T) {
	c := mustRead(t, `
x-times: &times {connect: 1s, idle: 2s}
x-up: &up
  timeouts: {<<: *times, idle: 3s}
  models: [a]
upstreams:
  - <<: *up
    name: one
    url: http://a
  - {<<: [*up], name: two, url: http://b, models: [b]}
`, env())
	for i, want := range []string{"one 1s 3s [a]", "two 1s 3s [b]"} {
		u := c.Upstreams[i]
		if got := fmt.Sprint(u.Name, " ", u.Timeouts.Connect, " ", u.Timeouts.Idle, " ", u.Models); got != want {
			t.Errorf("upstream %d: %s, want %s", i, got, want)
		}
	}
}

// P10: neither String nor Print nor %#v shows a secret, and what they show loads.
func TestP10SecretsAreNotPrinted(t *testing.T) {
	c := mustRead(t, `
admin: {token: hunter2a}
upstreams: [{url: http://h, apiKey: hunter2b}]
providers: [{name: p, url: http://h, apiKey: hunter2c}]
`, env("RECAP_TENANT_KEY=hunter2d"))
	for _, text := range []string{c.String(), fmt.Sprintf("%v %+v %#v %s", c, c, c, c)} {
		if strings.Contains(text, "hunter2") {
			t.Errorf("a secret is shown: %s", text)
		}
	}
	if n := strings.Count(c.String(), `"(set)"`); n != 3 {
		t.Errorf("%d secrets are marked as set, want 3:\n%s", n, c)
	}
	again := mustRead(t, c.String(), env())
	if again.Upstreams[0].URL != "http://h" || again.Providers[0].Name != "p" {
		t.Errorf("printed settings do not load the same: %+v", again.Upstreams)
	}
}

// F3: whoever reloads gets either a whole new Config or none.
func TestF3BrokenReloadGivesNoConfig(t *testing.T) {
	c, _, err := config.Read("recap.yaml", "listen: 127.0.0.1:1\nsumarization: {}\n", env(), nil)
	if c != nil || err == nil {
		t.Errorf("Read of a broken file = %v, %v", c, err)
	}
}
