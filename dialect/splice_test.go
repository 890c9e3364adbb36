package dialect_test

import (
	"encoding/json"
	"strings"
	"testing"

	"recap/chat"
	"recap/dialect"
)

func apply(t testing.TB, name, body string, p chat.Plan) string {
	t.Helper()
	d := dialect.ByName(name)
	out, err := d.Apply([]byte("<"), decode(t, d, body), &p)
	if err != nil {
		t.Fatalf("apply %+v: %v", p, err)
	}
	if out[0] != '<' || !json.Valid(out[1:]) {
		t.Fatalf("apply %+v gives bad JSON: %s", p, out)
	}
	return string(out[1:])
}

const (
	s0 = `{"role":"system","content":"S"}`
	u1 = `{"role":"user","content":"U"}`
	a2 = `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	t3 = `{"tool_call_id":"c","content":"R","role":"tool"}`
	u4 = `{"role":"user","content":[{"type":"text","text":"V"}]}`
	u5 = `{"role":"user","content":[ ]}`
)

// spaced is a chat with space of every kind, of which every byte outside the edits must stay (E7).
const spaced = "{ \"big\":12345678901234567890, \"messages\" :[\n" + s0 + " ,\t" + u1 + "," + a2 + " , " + t3 + ",\r\n" + u4 + "," + u5 + " ] ,\"x\":1.10,\"y\":\"<&\\u00e9\" }"

func TestApply(t *testing.T) {
	f := func(p chat.Plan, want string) {
		t.Helper()
		if got := apply(t, "openai", spaced, p); got != "{ \"big\":12345678901234567890, \"messages\" :["+want+"] ,\"x\":1.10,\"y\":\"<&\\u00e9\" }" {
			t.Errorf("%+v: got %s", p, got)
		}
	}
	const all = "\n" + s0 + " ,\t" + u1 + "," + a2 + " , " + t3 + ",\r\n" + u4 + "," + u5 + " "
	f(chat.Plan{}, all)
	f(chat.Plan{Drop: []int{0}}, "\n"+u1+","+a2+" , "+t3+",\r\n"+u4+","+u5+" ")
	f(chat.Plan{Drop: []int{0, 1}}, "\n"+a2+" , "+t3+",\r\n"+u4+","+u5+" ")
	f(chat.Plan{Drop: []int{5}}, "\n"+s0+" ,\t"+u1+","+a2+" , "+t3+",\r\n"+u4+" ")
	f(chat.Plan{Drop: []int{1, 2, 3}}, "\n"+s0+",\r\n"+u4+","+u5+" ")
	f(chat.Plan{Drop: []int{0, 2, 5}}, "\n"+u1+" , "+t3+",\r\n"+u4+" ")
	f(chat.Plan{Drop: []int{0, 1, 2, 3, 4}}, "\n"+u5+" ")
	f(chat.Plan{Drop: []int{1, 2, 3, 4, 5}}, "\n"+s0+" ")
	f(chat.Plan{Trims: []chat.Trim{{Message: 3, Text: "a\"b"}}}, strings.Replace(all, `"R"`, `"a\"b"`, 1))
	f(chat.Plan{Note: &chat.Note{Message: 1, Text: "N"}}, strings.Replace(all, `"U"`, `"N\n\nU"`, 1))
	f(chat.Plan{Note: &chat.Note{Message: 0, Behind: true, Text: "N"}}, strings.Replace(all, `"S"`, `"S\n\nN"`, 1))
	f(chat.Plan{Note: &chat.Note{Message: 4, Text: "N"}}, strings.Replace(all, `[{"type":"text","text":"V"`, `[{"type":"text","text":"N"},{"type":"text","text":"V"`, 1))
	f(chat.Plan{Note: &chat.Note{Message: 4, Behind: true, Text: "N"}}, strings.Replace(all, `"V"}`, `"V"},{"type":"text","text":"N"}`, 1))
	f(chat.Plan{Note: &chat.Note{Message: 5, Text: "N"}}, strings.Replace(all, `[ ]`, `[{"type":"text","text":"N"} ]`, 1))
	f(chat.Plan{Note: &chat.Note{Message: 5, Behind: true, Text: "N"}}, strings.Replace(all, `[ ]`, `[ {"type":"text","text":"N"}]`, 1))
	f(chat.Plan{Drop: []int{0, 2}, Trims: []chat.Trim{{Message: 3, Text: "r"}}, Note: &chat.Note{Message: 4, Text: "N"}},
		"\n"+u1+" , "+strings.Replace(t3, "R", "r", 1)+",\r\n"+strings.Replace(u4, `[`, `[{"type":"text","text":"N"},`, 1)+","+u5+" ")
}

// B4: Ollama's content stays a string, on both sides of the text.
func TestB4ApplyOllama(t *testing.T) {
	body := samples["ollama"].body
	got := apply(t, "ollama", body, chat.Plan{Drop: []int{2}, Trims: []chat.Trim{{Message: 3, Text: "r"}}, Note: &chat.Note{Message: 5, Text: "N"}})
	want := strings.NewReplacer(`,{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]}`, "",
		`"R1"`, `"r"`, `"U2"`, `"N\n\nU2"`).Replace(body)
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A11, A14: kept messages keep their form, whatever leaves around them.
func TestA11A14KeptMessagesStay(t *testing.T) {
	kept := []string{
		`{"content":null,"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{ }"}}]}`,
		`{"role":"tool","tool_call_id":"c","content":null}`,
		`{"tool_calls":[{"id":"d","type":"function","function":{"name":"f","arguments":""}}],"role":"assistant"}`,
		`{"role":"tool","tool_call_id":"d","content":"\u00e9\/<>"}`,
		`{"role":"assistant","refusal":"no","content":null,"annotations":[],"x_foo":1.10}`,
		`{"role":"user","name":"bob","content":"x"}`,
		`{"role":"assistant","function_call":{"name":"f","arguments":"{}"}}`,
		`{"role":"function","name":"f","content":"x"}`,
		`{"role":"assistant","audio":{"id":"a"}}`,
	}
	body := `{"messages":[` + u1 + `,` + strings.Join(kept, ",") + `,` + u1 + `]}`
	got := apply(t, "openai", body, chat.Plan{Drop: []int{0}, Note: &chat.Note{Message: 10, Text: "N"}})
	if want := `{"messages":[` + strings.Join(kept, ",") + `,{"role":"user","content":"N\n\nU"}]}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestApplyEscapes(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		got := apply(t, "ollama", `{"messages":[{"role":"user","content":""}]}`, chat.Plan{Note: &chat.Note{Text: text}})
		if got != `{"messages":[{"role":"user","content":"`+want+`"}]}` {
			t.Errorf("%q: got %s", text, got)
		}
	}
	f("", ``)
	for _, behind := range []bool{false, true} {
		got := apply(t, "openai", `{"messages":[{"role":"user","content":""}]}`, chat.Plan{Note: &chat.Note{Behind: behind, Text: "N"}})
		if got != `{"messages":[{"role":"user","content":"N"}]}` {
			t.Errorf("beside an empty text: got %s", got)
		}
	}
	f("plain <b>&amp;</b> é 漢字 😀 \u2028 \u007f", "plain <b>&amp;</b> é 漢字 😀 \u2028 \u007f")
	f("\"\\/\n\r\t\b\f\x00\x1f", `\"\\/\n\r\t\b\f\u0000\u001f`)
	f("a\xffb\xc3", "a\uFFFDb\uFFFD")
	f("\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD") // a lone surrogate is not UTF-8
	f("\uFFFD", "\uFFFD")
}

func TestApplyRefusesPlansThatDoNotFit(t *testing.T) {
	d := dialect.ByName("openai")
	c := decode(t, d, spaced)
	f := func(p chat.Plan) {
		t.Helper()
		if out, err := d.Apply([]byte("<"), c, &p); err == nil || string(out) != "<" {
			t.Errorf("%+v: took it: %s", p, out)
		}
	}
	f(chat.Plan{Drop: []int{6}})
	f(chat.Plan{Drop: []int{-1}})
	f(chat.Plan{Drop: []int{2, 1}})
	f(chat.Plan{Drop: []int{1, 1}})
	f(chat.Plan{Drop: []int{0, 1, 2, 3, 4, 5}})
	f(chat.Plan{Trims: []chat.Trim{{Message: 6}}})
	f(chat.Plan{Trims: []chat.Trim{{Message: -1}}})
	f(chat.Plan{Trims: []chat.Trim{{Message: 3, Result: 1}}})
	f(chat.Plan{Trims: []chat.Trim{{Message: 3, Result: -1}}})
	f(chat.Plan{Trims: []chat.Trim{{Message: 1}}})
	f(chat.Plan{Trims: []chat.Trim{{Message: 3}, {Message: 3}}})
	f(chat.Plan{Drop: []int{1, 3}, Trims: []chat.Trim{{Message: 3}}})
	f(chat.Plan{Note: &chat.Note{Message: 6}})
	f(chat.Plan{Note: &chat.Note{Message: -1}})
	f(chat.Plan{Note: &chat.Note{Message: 2}})
	f(chat.Plan{Note: &chat.Note{Message: 3}})
	f(chat.Plan{Drop: []int{1}, Note: &chat.Note{Message: 1}})
	c = decode(t, d, `{"messages":[`+u1+`,{"role":"tool","tool_call_id":"c"}]}`)
	f(chat.Plan{Trims: []chat.Trim{{Message: 1}}})
}

func TestApplyAllocatesNothing(t *testing.T) {
	onAll(t, func(t *testing.T, d dialect.Dialect, s sample) {
		c := decode(t, d, s.body)
		plans := []chat.Plan{{}, {Drop: []int{1, 2}, Trims: []chat.Trim{{Message: 3, Text: "x\n"}}, Note: &chat.Note{Message: 5, Text: "note"}}}
		dst := make([]byte, 0, 2*len(s.body))
		for i := range plans {
			if n := testing.AllocsPerRun(100, func() {
				if _, err := d.Apply(dst, c, &plans[i]); err != nil {
					t.Fatal(err)
				}
			}); n != 0 {
				t.Errorf("plan %d: %v allocations", i, n)
			}
		}
	})
}
