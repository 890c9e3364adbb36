package promises_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"recap/config"
	"recap/internal/fakellm"
	"recap/summarizer"
)

// plain is a request body: n turns of that many characters each, what stands in front, and the messages at its end.
func plain(front string, n, size int, tail ...string) []byte {
	list := []string{}
	if front != "" {
		list = append(list, front)
	}
	for i := range n {
		list = append(list, fmt.Sprintf(`{"role":"user","content":"question %d %s"}`, i, strings.Repeat("why so? ", size/16)),
			fmt.Sprintf(`{"role":"assistant","content":"answer %d %s"}`, i, strings.Repeat("that is it. ", size/24)))
	}
	list = append(list, tail...)
	return []byte(`{"model":"fake-model","messages":[` + strings.Join(list, ",") + `]}`)
}

const lastUser = `{"role":"user","content":"go on"}`

// A9: the system prompt is the first message of every body, byte for byte, over three turns in a row; a note in the
// middle of a chat without one stays what it is, and the chat is compacted all the same.
func TestA9SystemPromptIsNeverHistory(t *testing.T) {
	r := newRig(t, 4096, fakellm.Options{Lenient: true}, nil)
	const marker = `{"role":"system","content":"SYS-MARKER-7 \u00e9 <&>"}`
	for n := 40; n < 43; n++ {
		a := r.chat("openai", plain(marker, n, 500, lastUser))
		got := messages(t, r.sent())
		if got[0] != marker || !strings.Contains(a.status(), "compacted") && !strings.Contains(a.status(), "provisional") {
			t.Errorf("turn %d: status %q, first message %.80s", n, a.status(), got[0])
		}
		r.settle()
	}
	note := `{"role":"system","content":"NOTE in the middle"}`
	body := bytes.Replace(plain("", 40, 500, lastUser), []byte(`{"role":"user","content":"question 3 `), []byte(note+`,{"role":"user","content":"question 3 `), 1)
	a := r.chat("openai", body)
	got := messages(t, r.sent())
	if len(got) >= 80 || strings.Count(strings.Join(got, ""), note) != 1 {
		t.Errorf("note: status %q, %d messages, the note %d times", a.status(), len(got), strings.Count(strings.Join(got, ""), note))
	}
}

// A11, A14: null, absent and empty content, unknown keys and legacy pairs leave as they came, under the level and over it.
func TestA11A14OddMessagesStay(t *testing.T) {
	r := newRig(t, 8192, fakellm.Options{Lenient: true}, nil)
	tail := []string{
		`{"role":"user","name":"bob","content":"x","x_foo":1.10}`,
		`{"content":null,"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{ }"}}]}`,
		`{"role":"tool","tool_call_id":"c","content":null}`,
		`{"role":"assistant","tool_calls":[{"id":"d","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
		`{"role":"tool","tool_call_id":"d","content":""}`,
		`{"role":"assistant","content":"","tool_calls":[{"id":"e","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
		`{"role":"tool","tool_call_id":"e","content":"r"}`,
		`{"role":"assistant","function_call":{"name":"f","arguments":"{}"},"content":null}`,
		`{"role":"function","name":"f","content":"x"}`,
		`{"role":"assistant","refusal":"no","content":null,"annotations":[],"audio":{"id":"a"}}`,
		`{"role":"user","name":"bob","content":[{"type":"text","text":"y","cache_control":{"type":"ephemeral"}}],"x_foo":1.10}`,
	}
	for _, turns := range []int{0, 60} {
		a := r.chat("openai", plain("", turns, 500, tail...))
		sent := messages(t, r.sent())
		for _, m := range tail[1:] { // the first may carry
			if a.code != 200 || !strings.Contains(strings.Join(sent, "\n"), m) {
				t.Errorf("%d turns (%d %s): lost %s", turns, a.code, a.status(), m)
			}
		}
		if over := len(sent) < 2*turns; over != (turns > 0) {
			t.Errorf("%d turns: %d messages sent, status %q", turns, len(sent), a.status())
		}
	}
}

// A12: the summariser reads [image], never the bytes; arrays that stay are arrays.
func TestA12MediaThroughTheProxy(t *testing.T) {
	r := newRig(t, 8192, fakellm.Options{}, nil)
	picture := `{"role":"user","content":[{"type":"text","text":"LOOKATTHIS"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + strings.Repeat("QUJD", 50_000) + `"}}]}`
	sound := `{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"` + strings.Repeat("UklG", 2000) + `","format":"wav"}}]}`
	said := `{"role":"assistant","content":"a cat"}`
	body := plain(picture+","+said+","+sound+","+said, 60, 500, `{"role":"user","content":[{"type":"text","text":"and now?"}]}`)
	for range 2 {
		if a := r.chat("openai", body); a.code != 200 {
			t.Fatalf("%d %s", a.code, a.body)
		}
		if err := fakellm.CheckKept("openai", body, r.sent()); err != nil {
			t.Error(err)
		}
		r.settle()
	}
	read := ""
	for _, call := range r.up.Summaries() {
		read += call.Text()
	}
	if !strings.Contains(read, "LOOKATTHIS") || !strings.Contains(read, "[image]") || strings.Contains(read, "QUJDQUJD") || strings.Contains(read, "UklGUklG") {
		t.Errorf("%d summary calls, %d characters: the picture is not named, or its bytes are there", len(r.up.Summaries()), len(read))
	}
}

// A15: a newest result of three windows goes out as it is, and says so; nothing is summarised, again and again.
func TestA15HugeNewestResult(t *testing.T) {
	r := newRig(t, 4096, fakellm.Options{}, nil)
	call := `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	body := plain(`{"role":"system","content":"S"}`, 0, 0, lastUser, call, `{"role":"tool","tool_call_id":"c","content":"`+strings.Repeat("line of text ", 4000)+`"}`)
	for range 3 {
		a := r.chat("openai", body)
		if a.code != 200 || !has(a.status(), "over-window") || !bytes.Equal(r.sent(), body) {
			t.Errorf("%d, status %q, changed %v", a.code, a.status(), !bytes.Equal(r.sent(), body))
		}
		r.settle()
	}
	if n := len(r.up.Summaries()); n != 0 {
		t.Errorf("%d summary calls", n)
	}
	if n := strings.Count(r.log.String(), "is over its window"); n != 1 {
		t.Errorf("%d warnings, want one", n)
	}
}

// A16: a summariser with a window of 2k reads a history of 20k in pieces, one message of 12k among it: one summary in
// the end, and no chat request waited or failed.
func TestA16SmallSummariser(t *testing.T) {
	small := fakellm.New(fakellm.Options{Window: 2048, IsSummary: func(q *fakellm.Recorded) bool { return q.Chat }})
	t.Cleanup(small.Close)
	r := newRig(t, 32_000, fakellm.Options{}, func(c *config.Config) {
		c.Providers = []summarizer.Provider{{Name: "small", Dialect: "openai", URL: small.URL()}}
		c.Summarization.Provider, c.Summarization.Model = "small", "tiny"
		c.Models = append(c.Models[:0:0], c.Models...)
		c.Models[0].Match = "fake-*"
	})
	long := `{"role":"user","content":"` + strings.Repeat("a very long paste ", 2700) + `"},{"role":"assistant","content":"read"}`
	if a := r.chat("openai", plain(long, 30, 2500, lastUser)); a.code != 200 {
		t.Fatalf("%d %s", a.code, a.body)
	}
	r.settle()
	read, refused := 0, 0
	for _, call := range small.Summaries() {
		if call.Overflow {
			refused++
		} else {
			read++
		}
	}
	real := 0
	list, _ := r.app.Store.List(t.Context(), "", 0)
	for i := range list {
		if !list[i].Provisional {
			real++
		}
	}
	if real != 1 || read < 6 || refused > 8 {
		t.Errorf("%d summaries of %d calls, %d more refused; want one of many\n%s", real, read, refused, r.log.String())
	}
}

// A17: where the fixed part alone is over the level, or a summary is as long as what it replaces, calls are bounded.
func TestA17NothingGained(t *testing.T) {
	f := func(name, system string, size, calls int, o fakellm.Options) {
		t.Helper()
		o.Lenient = true
		r := newRig(t, 8192, o, nil)
		for n := 4; n < 14; n++ {
			if a := r.chat("openai", plain(system, n, size, lastUser)); a.code != 200 {
				t.Fatalf("%s: %d", name, a.code)
			}
			r.settle()
		}
		if n := len(r.up.Summaries()); n > calls {
			t.Errorf("%s: %d summary calls in 10 turns, want at most %d", name, n, calls)
		}
	}
	f("a system prompt of three windows", `{"role":"system","content":"`+strings.Repeat("rule of the house ", 4000)+`"}`, 60, 3, fakellm.Options{})
	f("an echo for a summariser", `{"role":"system","content":"S"}`, 5000, 3, fakellm.Options{Summary: func(prompt string) fakellm.Reply { return fakellm.Reply{Text: prompt} }})
}

// A18: a summariser that fails leaves the good summary of before in place and in use.
func TestA18GoodSummaryStays(t *testing.T) {
	bad := false
	r := newRig(t, 4096, fakellm.Options{Summary: func(string) fakellm.Reply {
		if bad {
			return fakellm.Reply{Text: " \n"}
		}
		return fakellm.Reply{Text: "GOODSUMMARY of the chat."}
	}}, func(c *config.Config) { c.Summarization.Overflow = "pass" })
	r.chat("openai", plain("", 20, 500, lastUser))
	r.settle()
	bad = true
	for n := 20; n < 40; n += 4 {
		a := r.chat("openai", plain("", n, 500, lastUser))
		r.settle()
		if a.code != 200 || !strings.Contains(string(r.sent()), "GOODSUMMARY") {
			t.Errorf("%d turns: %d, status %q, the summary is gone", n, a.code, a.status())
		}
	}
	list, _ := r.app.Store.List(t.Context(), "", 0)
	if len(list) != 1 || list[0].Text != "GOODSUMMARY of the chat." || len(r.up.Summaries()) < 2 {
		t.Errorf("%d checkpoints, %d calls; want the one, and a call that failed", len(list), len(r.up.Summaries()))
	}
}

// A20: nothing of the client's request but its words reaches the summary call.
func TestA20NothingOfTheClients(t *testing.T) {
	r := newRig(t, 4096, fakellm.Options{Summary: func(string) fakellm.Reply { return fakellm.Reply{Text: "<think>x</think>SUM"} }}, nil)
	call := `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	body := string(plain(`{"role":"system","content":"AGENTPROMPT"}`, 24, 500, lastUser, call, `{"role":"tool","tool_call_id":"c","content":"r"}`))
	body = strings.TrimSuffix(body, "}") + `,"tools":[{"type":"function","function":{"name":"f","parameters":{}}}],"tool_choice":"required",` +
		`"response_format":{"type":"json_schema","json_schema":{"name":"s","schema":{}}},"stream":true,"n":2,"stop":["."],"seed":1,"user":"u","x":1}`
	for range 2 {
		if a := r.chat("openai", []byte(body)); a.code != 200 {
			t.Fatalf("%d %s", a.code, a.body)
		}
		r.settle()
	}
	calls := r.up.Summaries()
	if len(calls) == 0 {
		t.Fatal("no summary call")
	}
	var asked map[string]any
	if err := json.Unmarshal(calls[0].Body, &asked); err != nil {
		t.Fatal(err)
	}
	for name := range asked {
		if !strings.Contains(" model messages max_tokens max_completion_tokens temperature stream ", " "+name+" ") {
			t.Errorf("the call has %s", name)
		}
	}
	if len(calls[0].Roles()) != 1 || asked["stream"] == true || strings.Contains(string(calls[0].Body), "AGENTPROMPT") {
		t.Errorf("roles %v, stream %v", calls[0].Roles(), asked["stream"])
	}
	if sent := string(r.sent()); strings.Contains(sent, "think>") || !strings.Contains(sent, "SUM") {
		t.Error("the summary in use is not SUM")
	}
}

// A21: over many compactions there is one block in a body, the prompt holds the summary before once, and no stored one
// is over its limit.
func TestA21ManyCompactions(t *testing.T) {
	count := 0
	r := newRig(t, 4096, fakellm.Options{Summary: func(prompt string) fakellm.Reply {
		if count > 0 && strings.Count(prompt, fmt.Sprintf("PASS%dX", count)) != 1 {
			t.Errorf("call %d: the summary before is there %d times", count, strings.Count(prompt, fmt.Sprintf("PASS%dX", count)))
		}
		count++
		return fakellm.Reply{Text: fmt.Sprintf("PASS%dX all is well.", count)}
	}}, nil)
	for n := 6; n < 90; n += 2 {
		r.chat("openai", plain("", n, 400, lastUser))
		if blocks := strings.Count(string(r.sent()), "<earlier-conversation>"); blocks > 1 {
			t.Errorf("%d turns: %d blocks", n, blocks)
		}
		r.settle()
	}
	list, _ := r.app.Store.List(t.Context(), "", 0)
	if count < 5 || len(list) < 4 {
		t.Fatalf("%d calls, %d checkpoints: too few to say anything", count, len(list))
	}
	for i := range list {
		if len(list[i].Text) > 30 || list[i].LedgerTokens > 410 {
			t.Errorf("checkpoint to %d: %d bytes, ledger of %d tokens", list[i].To, len(list[i].Text), list[i].LedgerTokens)
		}
	}
}
