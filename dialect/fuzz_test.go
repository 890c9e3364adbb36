package dialect_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"recap/chat"
	"recap/dialect"
)

func addSeeds(f *testing.F) {
	for _, s := range samples {
		f.Add(s.body, uint64(1))
		f.Add(s.empty, uint64(2))
	}
	f.Add(spaced, uint64(3))
	f.Add(`{"messages":[{"role":"user","content":[]},{"role":"tool","content":[ ]}]}`, uint64(4))
	f.Add("{\"m\\u0065ssages\":[{\"role\":\"user\",\"content\":\"\\ud83d\xff\"}],\"x\":[1e5,-0,{\"\":null}]}", uint64(5))
	f.Add(`{"messages":[{"role":"tool","content":"\ud83d\ude00\ud83d\u0041\ude00\u00e9\\\"é😀`+"\xff\xc3"+`"}]}`, uint64(7))
	f.Add(`{"messages":[{"role":"user","content":"a\\"},{"role":"assistant","content":"\\\"","tool_calls":[]}]}`, uint64(6))
}

// FuzzDecode: decoding never panics, takes nothing that is not JSON and no JSON for none, says the same with a memory as without, and
// an empty plan gives the same bytes.
func FuzzDecode(f *testing.F) {
	addSeeds(f)
	facts := chat.NewMemo[dialect.Print, *chat.Facts](1000)
	f.Fuzz(func(t *testing.T, body string, _ uint64) {
		for _, d := range dialect.All() {
			c, err := d.Decode(body, nil)
			again, errAgain := d.Decode(body, facts)
			if (err == nil) != (errAgain == nil) || err != nil && err.Error() != errAgain.Error() {
				t.Fatalf("%s: %v without a memory, %v with one", d.Name(), err, errAgain)
			}
			if !json.Valid([]byte(body)) && err == nil {
				t.Fatalf("%s took what is not JSON", d.Name())
			}
			if err != nil {
				if err.Error() == (&dialect.Odd{Reason: "invalid-json"}).Error() && json.Valid([]byte(body)) {
					t.Fatalf("%s takes JSON for none", d.Name())
				}
				continue
			}
			for i := range c.Messages {
				for j, r := range c.Messages[i].Results {
					if want := utf8.RuneCountInString(c.Messages[i].ResultText(j)); r.Chars != want {
						t.Fatalf("%s: message %d has %d characters, want %d", d.Name(), i, r.Chars, want)
					}
				}
				m, known := &c.Messages[i], &again.Messages[i]
				if m.Raw != known.Raw || m.Start != known.Start || m.Digest != known.Digest || describe(m) != describe(known) {
					t.Fatalf("%s: message %d differs when it is known", d.Name(), i)
				}
			}
			if out, err := d.Apply(nil, c, &chat.Plan{}); err != nil || string(out) != body {
				t.Fatalf("%s: an empty plan changes the body: %v", d.Name(), err)
			}
			dialect.Session(headers(), c)
			dialect.SideRequest(headers(), c)
		}
	})
}

// randomPlan returns a plan that fits c, empty when nothing can be done.
func randomPlan(c *chat.Chat, r *rand.Rand) chat.Plan {
	var p chat.Plan
	texts := []string{"", "n", "\"q\"\n\\", "é漢😀\x00", "\xff\xc3("}
	for i := range c.Messages {
		m := &c.Messages[i]
		switch {
		case r.IntN(3) == 0 && len(p.Drop) < len(c.Messages)-1:
			p.Drop = append(p.Drop, i)
		case r.IntN(2) == 0 && len(m.Results) > 0 && m.Results[0].Content != chat.Span{}:
			p.Trims = append(p.Trims, chat.Trim{Message: i, Text: texts[r.IntN(len(texts))]})
		case r.IntN(3) == 0 && p.Note == nil && m.Carries:
			p.Note = &chat.Note{Message: i, Behind: r.IntN(2) == 0, Text: texts[r.IntN(len(texts))]}
		}
	}
	return p
}

// oracle applies p the slow way.
func oracle(t *testing.T, c *chat.Chat, p *chat.Plan) string {
	body := c.Body
	set := func(path string, value any) {
		t.Helper()
		var err error
		if body, err = sjson.Set(body, path, value); err != nil {
			t.Fatal(err)
		}
	}
	for _, trim := range p.Trims {
		set("messages."+strconv.Itoa(trim.Message)+".content", valid(trim.Text))
	}
	if n := p.Note; n != nil {
		path := "messages." + strconv.Itoa(n.Message) + ".content"
		content := gjson.Get(body, path)
		if content.IsArray() {
			parts := []json.RawMessage{}
			for _, part := range content.Array() {
				parts = append(parts, json.RawMessage(part.Raw))
			}
			note, _ := json.Marshal(struct {
				Type string `json:"type"`
				Text string `json:"text"`
			}{"text", valid(n.Text)})
			if n.Behind {
				parts = append(parts, note)
			} else {
				parts = slices.Insert(parts, 0, json.RawMessage(note))
			}
			set(path, parts)
		} else if text := chat.Unquote(content.Raw); len(content.Raw) == 2 {
			set(path, valid(n.Text))
		} else if n.Behind {
			set(path, text+"\n\n"+valid(n.Text))
		} else {
			set(path, valid(n.Text)+"\n\n"+text)
		}
	}
	for _, i := range slices.Backward(p.Drop) {
		var err error
		if body, err = sjson.Delete(body, "messages."+strconv.Itoa(i)); err != nil {
			t.Fatal(err)
		}
	}
	return body
}

// valid replaces each byte that is not UTF-8, as JSON decoders do.
func valid(text string) string { return string([]rune(text)) }

// same returns body in a form that does not depend on spacing and escapes.
func same(t *testing.T, body string) string {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(body))
	decoder.UseNumber()
	var b strings.Builder
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return b.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%T %v\n", token, token)
	}
}

// onlyNamed checks that everything outside the plan's spans is the same: what is around the list, every kept message,
// and of edited ones what is around their content.
func onlyNamed(t *testing.T, c *chat.Chat, p *chat.Plan, out string) {
	t.Helper()
	rest, ok := strings.CutPrefix(out, c.Body[:c.List.Start+1])
	if !ok {
		t.Fatalf("what stands before the list changed: %s", out)
	}
	for i := range c.Messages {
		if slices.Contains(p.Drop, i) {
			continue
		}
		m := &c.Messages[i]
		pieces := []string{m.Raw}
		edited := p.Note != nil && p.Note.Message == i || slices.ContainsFunc(p.Trims, func(t chat.Trim) bool { return t.Message == i })
		if edited {
			pieces = []string{m.Raw[:m.Content.Start], m.Raw[m.Content.End:]}
		}
		for _, piece := range pieces {
			at := strings.Index(rest, piece)
			if at < 0 {
				t.Fatalf("message %d: %q is gone from %s", i, piece, out)
			}
			rest = rest[at+len(piece):]
		}
	}
	if !strings.HasSuffix(rest, c.Body[c.List.End-1:]) {
		t.Fatalf("what stands behind the list changed: %s", out)
	}
}

// FuzzApply: a random plan gives valid JSON that differs only in the named spans and says what sjson would say.
func FuzzApply(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, body string, seed uint64) {
		for _, d := range dialect.All() {
			c, err := d.Decode(body, nil)
			if err != nil {
				continue
			}
			p := randomPlan(c, rand.New(rand.NewPCG(seed, 1)))
			out, err := d.Apply(nil, c, &p)
			if err != nil {
				t.Fatalf("%+v: %v", p, err)
			}
			if !json.Valid(out) {
				t.Fatalf("%+v gives bad JSON: %s", p, out)
			}
			onlyNamed(t, c, &p, string(out))
			if got, want := same(t, string(out)), same(t, oracle(t, c, &p)); got != want {
				t.Fatalf("%+v\n got %s\nwant %s", p, got, want)
			}
		}
	})
}

// FuzzTap: what a tap reports does not depend on how the answer was cut into pieces.
func FuzzTap(f *testing.F) {
	for _, s := range samples {
		f.Add(s.stream, uint64(1))
		f.Add(s.answer, uint64(2))
	}
	f.Add("data: {\"error\":1}\r\n\r\n: c\r\n\r\ndata: [DONE]", uint64(3))
	f.Fuzz(func(t *testing.T, answer string, seed uint64) {
		for _, d := range dialect.All() {
			for _, contentType := range []string{"text/event-stream", "application/x-ndjson", "application/json", ""} {
				whole := report(d.Name(), contentType, answer, max(len(answer), 1))
				for _, piece := range []int{1, 0} {
					if got := report(d.Name(), contentType, answer, piece); got != whole {
						t.Fatalf("%s %q: %+v in pieces, %+v as a whole", d.Name(), contentType, got, whole)
					}
				}
			}
		}
	})
}

// FuzzAnswer: no answer of an upstream makes a reader panic.
func FuzzAnswer(f *testing.F) {
	for _, s := range samples {
		f.Add(200, s.answer)
	}
	f.Add(400, `{"error":{"message":"maximum context length is 5 tokens"}}`)
	f.Add(200, "data: {\"error\":1}\n\n")
	f.Fuzz(func(t *testing.T, status int, body string) {
		for _, name := range []string{"openai", "ollama", "utility"} {
			if reply, err := dialect.AskerByName(name).Answer(status, []byte(body)); err == nil && reply.Text == "" {
				t.Fatalf("%s: took an empty answer", name)
			}
		}
		dialect.Overflow(status, []byte(body))
	})
}

// FuzzGlance: whatever is glanced at without complaint is valid JSON.
func FuzzGlance(f *testing.F) {
	for _, body := range []string{
		`{"messages":[{"role":"user","content":"a"}]}`, `{"messages":[{"role":"user","content":"a\\nb \x01"}]}`,
		`{"model":"m","messages":[{"role":"assistant","tool_calls":[{"a":[1,{}]}],"x":1e3}],"tools":[]}`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, name := range []string{"openai", "ollama"} {
			if _, _, err := dialect.ByName(name).(dialect.Glancer).Glance(body, 0, 1<<20); err == nil && !json.Valid([]byte(body)) {
				t.Fatalf("%s: %q is not valid JSON", name, body)
			}
		}
	})
}
