package pruning_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"recap/pruning"
)

// golden builds system + T × (user, assistant with call, tool result, assistant) + user.
func golden(turns, size int) []message {
	list := []message{{"role": "system", "content": "s"}}
	for i := range turns {
		id := string(rune('a' + i))
		list = append(list, user("u"), call("f", id), result(id, long(i, size)), agent("a"))
	}
	return append(list, user("last"))
}

// L14–L19: the golden cases of seeds/README.md, as LibreChat applies its rule.
func TestL14ToL19GoldenCases(t *testing.T) {
	f := func(name string, list []message, n int, want string, change ...func(*pruning.Options)) {
		t.Helper()
		if len(list) != n {
			t.Fatalf("%s: %d messages, want %d", name, len(list), n)
		}
		o := options(append(change, everyRequest)...)
		if err := o.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := describe(o, pruning.Prune(build(t, list), o, 128000, false)); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	f("T=10, defaults", golden(10, 60000), 42, "3c 7c 11c 15c 19c 23t 27t")
	f("T=5, defaults", golden(5, 60000), 22, "3c 7c")
	f("T=4, defaults", golden(4, 60000), 18, "3c")
	f("T=3, defaults", golden(3, 60000), 14, "")
	f("T=5, keepLastAssistants 1", golden(5, 60000), 22, "3c 7c 11c 15t", func(o *pruning.Options) { o.KeepLastAssistants = 1 })
	f("T=10, hardClear off", golden(10, 60000), 42, "3t 7t 11t 15t 19t 23t 27t", func(o *pruning.Options) { o.HardClear.Enabled = false })
	f("T=10, ratios .6 and .2", golden(10, 60000), 42, "3c 7c 11c 15c 19c 23c 27c",
		func(o *pruning.Options) { o.SoftTrimRatio, o.HardClearRatio = 0.6, 0.2 })
	f("49,999 characters", golden(10, 49999), 42, "")
	f("50,000 characters", golden(10, 50000), 42, "3c 7c 11c 15c 19c 23t 27t")

	one := []message{user("u")}
	for i := range 8 {
		id := string(rune('a' + i))
		one = append(one, call("f", id), result(id, long(i, 60000)))
	}
	f("one user message, then 8 rounds", one, 17, "")
	f("not enabled", golden(10, 60000), 42, "", func(o *pruning.Options) { o.Enabled = false })
}

// L15: messages before the first user message and the last K assistant turns are never pruned, K = 0 to 10.
func TestL15ProtectedTurns(t *testing.T) {
	list := append([]message{call("f", "x"), result("x", long(99, 60000))}, golden(10, 60000)[1:]...)
	c := build(t, list)
	for k := range 11 {
		o := options(everyRequest, func(o *pruning.Options) {
			o.KeepLastAssistants, o.SoftTrimRatio, o.HardClearRatio = k, 0, 0
		})
		r := pruning.Prune(c, o, 0, false)
		if len(r.Trims) != 10-k {
			t.Errorf("keepLastAssistants %d: %d pruned, want %d", k, len(r.Trims), 10-k)
		}
		for _, trim := range r.Trims {
			if trim.Message == 1 {
				t.Error("a result before the first user message was pruned")
			}
		}
	}
}

// P5: the last message stays verbatim even when nothing else protects it.
func TestP5LastMessageStays(t *testing.T) {
	list := []message{user("u"), call("f", "a"), result("a", long(1, 60000)), call("f", "b"), result("b", long(2, 60000))}
	for _, o := range []*pruning.Options{
		options(everyRequest, func(o *pruning.Options) { o.KeepLastAssistants, o.SoftTrimRatio, o.HardClearRatio = 0, 0, 0 }),
		options(everyRequest, budget, func(o *pruning.Options) { o.KeepLastAssistants, o.ProtectTokens = 0, 0 }),
	} {
		if got := describe(o, pruning.Prune(build(t, list), o, 0, true)); got != "2c" {
			t.Errorf("%s: got %s, want the older one alone", o.Strategy, got)
		}
	}
}

// L18: head, marker and tail, in whole characters, never longer than before; a tail of 0 means no tail.
func TestL18SoftTrim(t *testing.T) {
	f := func(text string, trim pruning.SoftTrim, head, tail string) {
		t.Helper()
		o := options(everyRequest, func(o *pruning.Options) {
			o.MinPrunableToolChars, o.HardClear.Enabled, o.SoftTrim = 0, false, trim
		})
		list := golden(4, 100)
		list[3]["content"] = text
		r := pruning.Prune(build(t, list), o, 0, false)
		if head == "" {
			if len(r.Trims) > 0 && r.Trims[0].Message == 3 {
				t.Errorf("%.20q… was trimmed", text)
			}
			return
		}
		if len(r.Trims) == 0 || r.Trims[0].Message != 3 {
			t.Fatalf("%.20q… was not trimmed", text)
		}
		got := r.Trims[0].Text
		if !strings.HasPrefix(got, head+"\n\n[") || !strings.HasSuffix(got, "]\n\n"+tail) || !utf8.ValidString(got) {
			t.Errorf("got %q", got)
		}
		if utf8.RuneCountInString(got) >= utf8.RuneCountInString(text) {
			t.Errorf("%d characters became %d", utf8.RuneCountInString(text), utf8.RuneCountInString(got))
		}
	}
	f(strings.Repeat("ż", 2000)+strings.Repeat("😀", 2001), pruning.SoftTrim{MaxChars: 4000, HeadChars: 3, TailChars: 2}, "żżż", "😀😀")
	f(strings.Repeat("a", 4000), pruning.SoftTrim{MaxChars: 4000, HeadChars: 3, TailChars: 2}, "", "")
	f(strings.Repeat("ab", 300), pruning.SoftTrim{MaxChars: 500, HeadChars: 5, TailChars: 0}, "ababa", "")
	f(strings.Repeat("a b ", 26), pruning.SoftTrim{MaxChars: 100, HeadChars: 50, TailChars: 49}, "", "") // the marker is longer than the gap
}

// L18: head + tail under maxChars, and every other range.
func TestValidateNamesTheKey(t *testing.T) {
	f := func(key string, change func(*pruning.Options)) {
		t.Helper()
		o := pruning.Defaults()
		change(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: got %v", key, err)
		}
	}
	f("softTrim", func(o *pruning.Options) { o.SoftTrim.HeadChars = 2500 })
	f("softTrim.tailChars", func(o *pruning.Options) { o.SoftTrim.TailChars = -1 })
	f("softTrim.headChars", func(o *pruning.Options) { o.SoftTrim.HeadChars = -1 })
	f("softTrim.maxChars", func(o *pruning.Options) { o.SoftTrim.MaxChars = 0 })
	f("keepLastAssistants", func(o *pruning.Options) { o.KeepLastAssistants = 11 })
	f("softTrimRatio", func(o *pruning.Options) { o.SoftTrimRatio = 1.1 })
	f("hardClearRatio", func(o *pruning.Options) { o.HardClearRatio = -0.1 })
	f("minPrunableToolChars", func(o *pruning.Options) { o.MinPrunableToolChars = -1 })
	f("strategy", func(o *pruning.Options) { o.Strategy = "" })
	f("cadence", func(o *pruning.Options) { o.Cadence = "daily" })
	f("protectTokens", func(o *pruning.Options) { o.ProtectTokens = -1 })
	f("clearAtLeast", func(o *pruning.Options) { o.ClearAtLeast = -1 })
	f("digestChars", func(o *pruning.Options) { o.DigestChars = -1 })
	f("capNewChars", func(o *pruning.Options) { o.CapNewChars = 10 })
	o := pruning.Defaults()
	if err := o.Validate(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
}
