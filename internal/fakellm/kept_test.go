package fakellm_test

import (
	"strings"
	"testing"

	"recap/internal/fakellm"
)

func said(role, text string) string { return `{"role":"` + role + `","content":"` + text + `"}` }

func result(id, text string) string {
	return `{"role":"tool","tool_call_id":"` + id + `","content":"` + text + `"}`
}

// A chat with two turns of tools, then the newest turn: a call, its result, and a call with its last result.
var keptChat = []string{
	said("system", "rules"), // 0
	said("user", "one"),     // 1
	callA,                   // 2
	result("a", "long long result"),
	said("assistant", "done one"), // 4
	said("user", "two"),           // 5
	said("assistant", "done two"),
	said("user", "three"),            // 7
	callB,                            // 8
	result("a", "first long result"), // 9
	result("b", "second result"),     // 10
	callA,                            // 11
	result("a", "last result"),       // 12
}

// with returns keptChat's messages at some indexes; a string replaces the message at the index before it.
func with(picks ...any) []byte {
	var out []string
	for _, pick := range picks {
		switch pick := pick.(type) {
		case int:
			out = append(out, keptChat[pick])
		case string:
			out[len(out)-1] = pick
		}
	}
	return chatBody(out...)
}

func TestCheckKept(t *testing.T) {
	client := chatBody(keptChat...)
	f := func(want string, sent []byte) {
		t.Helper()
		err := fakellm.CheckKept(fakellm.OpenAI, client, sent)
		if want == "" && err != nil {
			t.Errorf("got %v, want no error", err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
		if sent := fakellm.Check(fakellm.OpenAI, sent); want == "" && sent != nil {
			t.Errorf("the body sent is refused: %v", sent)
		}
	}
	note := said("user", `[note] two`)
	open := said("user", `[note]\nthree`)

	f("", client)
	f("", with(0, 5, note, 6, 7, 8, 9, 10, 11, 12))
	f("", with(0, 7, open, 8, 9, 10, 11, 12))
	f("", with(0, 7, open, 11, 12)) // inside the newest turn: a finished round left
	f("", with(0, said("system", "rules\\n[note]"), 7, 8, 9, 10, 11, 12))
	f("", with(0, 1, 2, 3, result("a", "short"), 4, 5, 6, 7, 8, 9, 10, 11, 12))
	f("", with(0, 5, note, 6, 7, 8, 9, result("a", "cut"), 10, 11, 12))

	f("bytes outside", []byte(strings.Replace(string(client), `"m"`, `"n"`, 1)))
	f("bytes outside", append(client[:len(client)-1:len(client)-1], ` }`...))
	f("added in their place", with(0, 7, 8, 9, 10, 11, 12))                                   // dropped with nothing in its place
	f("added in their place", with(0, said("system", "rules[n]"), 7, open, 8, 9, 10, 11, 12)) // two notes
	f("though no message left", with(0, 1, said("user", "[n] one"), 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
	f("system message 0 is gone", with(5, note, 6, 7, 8, 9, 10, 11, 12))               // A9
	f("round of message 2 is split", with(0, 3, 4, 5, note, 6, 7, 8, 9, 10, 11, 12))   // A1
	f("round of message 8 is split", with(0, 7, open, 10, 11, 12))                     // A2
	f("begin with a user", with(0, 4, 5, note, 6, 7, 8, 9, 10, 11, 12))                // A7
	f("inside a turn", with(0, 1, said("user", "[n] one"), 5, 6, 7, 8, 9, 10, 11, 12)) // a hole that is no round
	f("though message", with(0, 1, said("user", "[n] one"), 5, 7, 8, 9, 10, 11, 12))
	f("stayed in front", with(0, 2, 3, 5, note, 6, 7, 8, 9, 10, 11, 12))
	f("newest user message", with(0, said("system", "rules[n]"), 11, 12)) // A4
	f("last message is gone", with(0, 7, open, 8, 9, 10))                 // A4
	f("last message got shorter", with(0, 5, note, 6, 7, 8, 9, 10, 11, 12, result("a", "last")))
	f("none of the client's", with(0, 7, said("user", "[note] thre"), 8, 9, 10, 11, 12))         // the carrier's own text was cut
	f("none of the client's", with(0, 5, note, 6, 7, said("user", "x three"), 8, 9, 10, 11, 12)) // second carrier
	f("none of the client's", with(0, 1, 2, 3, result("a", "long long result!"), 4, 5, 6, 7, 8, 9, 10, 11, 12))
	f("none of the client's", with(0, 1, 2, 3, result("a", "long long resulT"), 4, 5, 6, 7, 8, 9, 10, 11, 12))
	f("none of the client's", with(0, 1, 2, 3, result("x", "short"), 4, 5, 6, 7, 8, 9, 10, 11, 12))
	f("none of the client's", with(0, 1, 2, 3, result("a", `cut\ud83d`), 4, 5, 6, 7, 8, 9, 10, 11, 12)) // A25
	f("none of the client's", with(0, 1, 2, 3, 4, said("assistant", "done"), 5, 6, 7, 8, 9, 10, 11, 12))
	f("none of the client's", with(0, 5, 1, 6, 7, 8, 9, 10, 11, 12)) // order
	f("none of the client's", with(0, 1, 2, strings.Replace(callA, `"content":null,`, "", 1), 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
	f("body sent", []byte(`{"model":"m","messages":[`))
}

func TestCheckKeptCapped(t *testing.T) {
	sent := with(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, result("a", "last"))
	if err := fakellm.CheckKeptCapped(fakellm.OpenAI, chatBody(keptChat...), sent); err != nil {
		t.Errorf("a shortened last result under capNewChars: got %v", err)
	}
}

func TestCheckKeptParts(t *testing.T) {
	image := `{"type":"image_url","image_url":{"url":"data:x"}}`
	own := `{"role":"user","name":"bob","content":[ {"type":"text","text":"now"}, ` + image + `]}`
	client := chatBody(usr, asst, own)
	f := func(want bool, carrier string) {
		t.Helper()
		if err := fakellm.CheckKept(fakellm.OpenAI, client, chatBody(carrier)); (err == nil) != want {
			t.Errorf("%s: got %v, want it allowed: %v", carrier, err, want)
		}
	}
	text := `{"type":"text","text":"[note]"}`
	f(true, strings.Replace(own, `[ {`, `[`+text+`, {`, 1))
	f(false, strings.Replace(own, `[ {`, `[`+image+`, {`, 1))
	f(false, strings.Replace(strings.Replace(own, `[ {`, `[`+text+`, {`, 1), `"bob"`, `"eve"`, 1))
	f(false, strings.Replace(strings.Replace(own, `[ {`, `[`+text+`, {`, 1), `"now"`, `"no"`, 1))
	f(false, strings.Replace(own, `"data:x"}}]`, `"data:x"}},`+text+`]`, 1)) // behind, not in front
}

// A round whose result never came is not finished: it may not leave from inside a turn, nor at all.
func TestCheckKeptUnfinished(t *testing.T) {
	client := chatBody(usr, callB, resA, asst, said("user", "now"))
	err := fakellm.CheckKept(fakellm.OpenAI, client, chatBody(said("user", "[note] now")))
	if err == nil || !strings.Contains(err.Error(), "unfinished") {
		t.Errorf("got %v, want an error about an unfinished round", err)
	}
}

// A list of parts may become the placeholder; Ollama's rounds are told by position.
func TestCheckKeptOllama(t *testing.T) {
	client := chatBody(usr, ocal2, ores, ores, asst, usr, asst, usr)
	note := said("user", "[note] u")
	f := func(want bool, messages ...string) {
		t.Helper()
		if err := fakellm.CheckKept(fakellm.Ollama, client, chatBody(messages...)); (err == nil) != want {
			t.Errorf("%v: got %v, want it allowed: %v", messages, err, want)
		}
	}
	f(true, note, asst, usr)
	f(false, note, ores, asst, usr, asst, usr)
}
