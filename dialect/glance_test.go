package dialect_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"recap/chat"
	"recap/dialect"
)

// A glance finds odd what decoding finds odd by names, roles and shape, and sees whether all content is plain text.
func TestGlance(t *testing.T) {
	f := func(name, body, reason string, plain bool) {
		t.Helper()
		c, p, err := dialect.ByName(name).(dialect.Glancer).Glance(body, 0, 1<<20)
		got := ""
		var odd *dialect.Odd
		if errors.As(err, &odd) {
			got = odd.Reason
		}
		if got != reason || reason == "" && (c == nil || p != plain) {
			t.Errorf("%s %s: reason %q, plain %v; want %q, %v", name, body, got, p, reason, plain)
		}
		if _, err := dialect.ByName(name).Decode(body, nil); (err == nil) != (reason == "") {
			t.Errorf("%s %s: decode says %v", name, body, err)
		}
	}
	const user = `{"role":"user","content":"a"}`
	for _, name := range []string{"openai", "ollama"} {
		f(name, `{"model":"m","messages":[`+user+`]}`, "", true)
		f(name, ` { "messages" : [ `+user+` , `+user+` ] , "x":1 } `, "", true)
		f(name, `{"messages":[`+user+`,]}`, "invalid-json", false)
		f(name, `{"messages":[`+user+`]`, "invalid-json", false)
		f(name, `{"messages":[{"role":"user","content":"a}]}`, "invalid-json", false)
		f(name, `{"messages":[{"role":"user","content":"\x"}]}`, "invalid-json", false)
		f(name, `{"messages":[]}`, "no-messages", false)
		f(name, `{}`, "no-messages", false)
		f(name, `[]`, "wrong-type", false)
		f(name, `{"messages":"a"}`, "wrong-type", false)
		f(name, `{"messages":["{"]}`, "wrong-type", false)
		f(name, `{"messages":[`+user+`],"messages":[`+user+`]}`, "duplicate-key", false)
		f(name, `{"Messages":[`+user+`],"messages":[`+user+`]}`, "odd-key", false)
		f(name, `{"messages":[{"role":"user","ROLE":"user","content":"a"}]}`, "odd-key", false)
		f(name, `{"messages":[{"role":"user","content":"a","content":"b"}]}`, "duplicate-key", false)
		f(name, `{"messages":[{"role":"narrator","content":"a"}]}`, "unknown-role", false)
		f(name, `{"messages":[{"content":"a"}]}`, "wrong-type", false)
		f(name, `{"messages":[{"role":1,"content":"a"}]}`, "wrong-type", false)
	}
	f("openai", `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}}]}]}`, "", false)
	f("openai", `{"messages":[`+user+`,{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}]}`, "", true)
	f("ollama", `{"messages":[{"role":"user","content":"a","images":["aGk="]}]}`, "", false)
	f("openai", `{"previous_response_id":"r","messages":[`+user+`]}`, "server-history", false)
}

// FuzzUsual: a message in one of the shapes that are read in one go is taken as the same message in any other.
func FuzzUsual(f *testing.F) {
	for _, message := range []string{
		`{"role":"user","content":"a\n"}`, `{"role":"system","content":"a"}`, `{"role":"assistant","content":"a"}`, `{"role":"user","content":[]}`,
		`{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}`, `{"role":"user","content":"a\x"}`,
		`{"role":"assistant","content":"a","tool_calls":[[1,2]]}`, `{"role":"tool","tool_call_id":"c","content":"a"}`, `{"role":"tool","tool_call_id":"c","content":"a"`,
		`{"role":"assistant","content":"a","tool_calls":[],"content":"b"}`, `{"role":"assistant","content":null,"tool_calls":[}`, `{"role":"user","content":"a",}`,
		`{"role":"tool","tool_call_id":"c\"","content":"a"}`, `{"role":"assistant","content":null,"tool_calls":[1]}]`, `{"role":"user","content":"a"}{`,
	} {
		f.Add(message)
	}
	f.Fuzz(func(t *testing.T, message string) {
		rest, ok := strings.CutPrefix(message, "{")
		if !ok {
			return
		}
		for _, d := range dialect.All() {
			g := d.(dialect.Glancer)
			a, plainA, errA := g.Glance(`{"messages":[{`+rest+`]}`, 0, 1<<20)
			b, plainB, errB := g.Glance(`{"messages":[{ `+rest+`]}`, 0, 1<<20)
			sameOdd(t, errA, errB, message)
			if errA == nil && (plainA != plainB || a.Count != b.Count) {
				t.Fatalf("%s: plain %v of %d, with a blank %v of %d", message, plainA, a.Count, plainB, b.Count)
			}
		}
	})
}

// A glance that goes on from a known body tells what one of its own tells, and that is what decoding tells.
func FuzzGlanceResumed(f *testing.F) {
	f.Add("openai", uint64(1), `],"tools":[{"a":1}],"stream":true}`, `{"model":"m","messages":[`)
	f.Add("openai", uint64(2), `],"model":"x","metadata":{"chat_id":"c"},"max_tokens":7}`, `{ "session_id":"s", "messages" : [ `)
	f.Add("ollama", uint64(3), `],"options":{"num_ctx":512,"num_predict":3},"keep_alive":"5m"}`, `{"messages":[`)
	f.Add("openai", uint64(4), `],"messages":[]}`, `{"messages":[`)
	f.Fuzz(func(t *testing.T, name string, seed uint64, rest, head string) {
		d := dialect.ByName(name)
		if d == nil {
			return
		}
		rng := rand.New(rand.NewPCG(seed, 1))
		facts := chat.NewMemo[dialect.Print, *chat.Facts](1000)
		tenant := rng.Uint64()
		list := []string{`{"role":"system","content":"` + strings.Repeat("be careful ", 400) + `"}`, `{"role":"user","content":"hello"}`}
		for step := range 12 {
			if list = change(rng, list, step); len(rest) > 0 && rng.IntN(6) == 0 {
				list = append(list, rest[:rng.IntN(len(rest))]) // mostly no message
			}
			body := head + strings.Join(list, ",") + rest
			warm, plain, errWarm := d.(dialect.Glancer).Glance(body, tenant, 1<<20)
			cold, plainCold, errCold := d.(dialect.Glancer).Glance(body, rng.Uint64(), 1<<20)
			sameOdd(t, errWarm, errCold, body)
			read, errRead := d.(dialect.Glancer).DecodeFor(tenant, body, facts)
			unread, errAlone := d.Decode(body, nil)
			sameOdd(t, errRead, errAlone, body)
			if errRead == nil && errCold != nil {
				t.Fatalf("%s: a glance finds %v, decoding nothing", body, errCold)
			}
			if errCold == nil {
				sameTop(t, warm, cold)
				if plain != plainCold || warm.Count != cold.Count {
					t.Fatalf("%s: plain %v of %d, alone %v of %d", body, plain, warm.Count, plainCold, cold.Count)
				}
			}
			if errRead == nil {
				sameTop(t, read, cold)
				sameTop(t, unread, cold)
				sameChat(t, read, unread)
			}
		}
	})
}

func sameOdd(t *testing.T, got, want error, body string) {
	t.Helper()
	if (got == nil) != (want == nil) || got != nil && got.Error() != want.Error() {
		t.Fatalf("%s: %v, alone %v", body, got, want)
	}
}

func sameTop(t *testing.T, got, want *chat.Chat) {
	t.Helper()
	if got.Model != want.Model || got.Stream != want.Stream || got.List != want.List || got.NumCtx != want.NumCtx ||
		got.MaxReply != want.MaxReply || !slices.Equal(got.Extras, want.Extras) || got.KeepAlive != want.KeepAlive ||
		got.Labels != want.Labels || got.Count != want.Count {
		t.Fatalf("got %+v\nwant %+v", got, want)
	}
}
