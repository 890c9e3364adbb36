package chat_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"recap/chat"
	"recap/dialect"
	"recap/internal/chattest"
)

func decode(t testing.TB, name, body string) *chat.Chat {
	t.Helper()
	c, err := dialect.ByName(name).Decode(body, nil)
	if err != nil {
		t.Fatalf("decode %s: %v", name, err)
	}
	return c
}

func keys(t testing.TB, name, body string, seed chat.Key) []chat.Key {
	t.Helper()
	return chat.Keys(chat.NewOutline(decode(t, name, body)), seed)
}

var seed = chat.Seed("tenant", "upstream", "recipe")

// P4: keys of a prefix are a prefix of the keys, so that a checkpoint is found where its messages are.
func TestP4KeysOfAPrefix(t *testing.T) {
	const notation = "S,U,A(c1,c2),T(c1),T(c2),A,U,S,A(c3),T(c3),A,U"
	messages := chattest.OpenAI(notation)
	whole := keys(t, "openai", chattest.Body(messages), seed)
	for n := 2; n <= len(messages); n++ {
		part := keys(t, "openai", chattest.Body(messages[:n]), seed)
		for i := range part {
			if part[i] != whole[i] {
				t.Fatalf("prefix of %d messages: key %d differs", n, i+1)
			}
		}
	}
}

// P4: what the model reads differently is another key; what it does not read is not.
func TestP4WhatCounts(t *testing.T) {
	base := `{"messages":[{"role":"user","content":"read a"},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{\"path\":\"a\"}"}}]},` +
		`{"role":"tool","tool_call_id":"c1","content":"text of a"}]}`
	want := keys(t, "openai", base, seed)
	f := func(same bool, old, new string) {
		t.Helper()
		body := strings.ReplaceAll(base, old, new)
		if body == base {
			t.Fatalf("%q is not in the body", old)
		}
		got := keys(t, "openai", body, seed)
		if (got[len(got)-1] == want[len(want)-1]) != same {
			t.Errorf("%q → %q: same key = %v, want %v", old, new, !same, same)
		}
	}
	f(true, `"c1"`, `"call_9"`)
	f(true, `":`, `" : `)
	f(true, `"read a"`, `"  read a\n"`)
	f(true, `"read a"`, `"re\u0061d a"`)
	f(true, `"content":"read a"`, `"content":[{"type":"text","text":"read a"}]`)
	f(true, `"content":"read a"`, `"content":[{"type":"text","text":"read a","cache_control":{"type":"ephemeral"}}]`)
	f(true, `"content":null,`, `"content":"",`)
	f(true, `"content":null,`, ``)
	f(true, `{\"path\":\"a\"}`, `{ \"path\" : \"a\" }`)
	f(true, `{"role":"user"`, `{"name":"bob","role":"user"`)
	f(false, `"read a"`, `"read b"`)
	f(false, `"name":"read"`, `"name":"write"`)
	f(false, `{\"path\":\"a\"}`, `{\"path\":\"b\"}`)
	f(false, `"text of a"`, `"text of b"`)
	f(false, `{"role":"user"`, `{"role":"assistant"`)
	f(false, `"read a"`, `"read \ud800"`)
	f(false, `"content":"read a"`, `"content":[{"type":"text","text":"read a"},{"type":"image_url","image_url":{"url":"x"}}]`)
}

// Results that change places between two calls of one round are another chat, whatever the ids are.
func TestKeyOrdinals(t *testing.T) {
	body := func(first, second string) string {
		messages := chattest.OpenAI("U,A(c1,c2)")
		for _, id := range []string{first, second} {
			messages = append(messages, chattest.Message{"role": "tool", "tool_call_id": id, "content": "same"})
		}
		return chattest.Body(messages)
	}
	a, b := keys(t, "openai", body("c1", "c2"), seed), keys(t, "openai", body("c2", "c1"), seed)
	if a[3] == b[3] {
		t.Error("swapped results have the same key")
	}
}

// One chat has the same keys in both formats: clients and dialects share checkpoints.
func TestKeysAcrossDialects(t *testing.T) {
	const notation = "S,U,A(c1,c2),T(c1),T(c2),A,U"
	a, b := keys(t, "openai", chattest.OpenAIBody(notation), seed), keys(t, "ollama", chattest.OllamaBody(notation), seed)
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("keys differ:\nopenai %v\nollama %v", a, b)
	}
}

// P10: tenants, upstreams and recipes never share a key. E1: neither do chats that only begin alike.
func TestP10E1SeparateKeys(t *testing.T) {
	seen := map[chat.Key]string{}
	add := func(tenant, upstream, recipe, body string) {
		t.Helper()
		list := keys(t, "openai", body, chat.Seed(tenant, upstream, recipe))
		last := list[len(list)-1]
		name := strings.Join([]string{tenant, upstream, recipe, body}, "|")
		if other, ok := seen[last]; ok {
			t.Errorf("%s and %s share a key", name, other)
		}
		seen[last] = name
	}
	body := chattest.OpenAIBody("S,U,A,U")
	add("a", "b", "c", body)
	add("b", "b", "c", body)
	add("a", "c", "c", body)
	add("a", "b", "d", body)
	add("ab", "", "c", body)
	add("a", "bc", "", body)
	add("a", "b", "c", strings.Replace(body, "message 3", "message three", 1))
}

func TestParseKey(t *testing.T) {
	want := chat.Seed("t", "u", "r")
	got, err := chat.ParseKey(want.String())
	if err != nil || got != want {
		t.Errorf("ParseKey(String()) = %v, %v, want %v", got, err, want)
	}
	for _, bad := range []string{"", "00", strings.Repeat("g", 32), strings.Repeat("0", 33)} {
		if _, err := chat.ParseKey(bad); err == nil {
			t.Errorf("ParseKey(%q) succeeded", bad)
		}
	}
}

func TestUnquote(t *testing.T) {
	f := func(token, want string) {
		t.Helper()
		if got := chat.Unquote(token); got != want {
			t.Errorf("Unquote(%s) = %q, want %q", token, got, want)
		}
	}
	f(`""`, "")
	f(`"a"`, "a")
	f(`"a\n\"b\" \u00e9 \ud83d\ude00"`, "a\n\"b\" é 😀")
	f(`"<|endoftext|>"`, "<|endoftext|>")
	f("\"a\xffb\"", "a\ufffdb")
	f(`12`, `12`)
	f(`"`, `"`)
}

// FuzzUnquote: the same as the library's, for every token that is valid JSON.
func FuzzUnquote(f *testing.F) {
	for _, token := range []string{`""`, `"a\n\t\"\\\/b"`, `"\u00e9\ud83d\ude00\ud800"`, "\"a\xff\\n\"", `"\\"`, `"\\u0041"`} {
		f.Add(token)
	}
	f.Fuzz(func(t *testing.T, token string) {
		var want string
		if len(token) == 0 || token[0] != '"' || json.Unmarshal([]byte(token), &want) != nil || token[len(token)-1] != '"' {
			return
		}
		if got := chat.Unquote(token); got != want {
			t.Errorf("Unquote(%q) = %q, want %q", token, got, want)
		}
	})
}

// P4: text that is no Unicode reads as U+FFFD, and is still told apart.
func TestP4BrokenUnicode(t *testing.T) {
	seen := map[chat.Key]string{}
	for _, text := range []string{`\ud800`, `\ud801`, "\ufffd", "\xff", "\xfe", `\ufffd`} {
		list := keys(t, "openai", `{"messages":[{"role":"user","content":"a`+text+`"}]}`, seed)
		if other, ok := seen[list[0]]; ok {
			t.Errorf("%q and %q share a key", text, other)
		}
		seen[list[0]] = text
	}
}
