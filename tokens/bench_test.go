package tokens_test

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"recap/chat"
	"recap/dialect"
	"recap/tokens"
)

func script(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/scripts/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func BenchmarkEstimate(b *testing.B) {
	for _, name := range []string{"english", "code", "json", "log", "base64", "polish", "russian", "chinese", "emoji"} {
		text := script(b, name)
		text = strings.Repeat(text, 100_000/len(text)+1)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				tokens.Estimate(text)
			}
		})
	}
}

// chat256k is a chat of 170 messages and 256 KB: turns with rounds of tool calls in English, code, logs and others.
func chat256k(tb testing.TB, facts *dialect.Facts) *chat.Chat {
	tb.Helper()
	names := []string{"code", "log", "json", "english", "polish", "chinese", "markdown", "russian"}
	var messages []map[string]any
	for i := 0; len(messages) < 170; i++ {
		text := strings.Repeat(script(tb, names[i%len(names)]), 12)[:4300]
		id := "call_" + strconv.Itoa(i)
		messages = append(messages, say("user", strconv.Itoa(i)+" what now?"),
			map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{
				"id": id, "type": "function", "function": map[string]any{"name": "read_file", "arguments": `{"path":"src/app/main.go"}`},
			}}},
			map[string]any{"role": "tool", "tool_call_id": id, "content": strings.ToValidUTF8(text, "")})
	}
	body, err := json.Marshal(map[string]any{"model": "gpt-4o", "messages": messages[:170]})
	if err != nil {
		tb.Fatal(err)
	}
	return decode(tb, "openai", string(body), facts)
}

func BenchmarkSizes(b *testing.B) {
	facts := chat.NewMemo[dialect.Print, *chat.Facts](1000)
	c := chat256k(b, facts)
	b.Run("known", func(b *testing.B) {
		k := newCounter(b)
		learned(b, k, c)
		b.ReportAllocs()
		for b.Loop() {
			k.Sizes(c, "local")
		}
	})
	b.Run("cold", func(b *testing.B) {
		b.SetBytes(int64(len(c.Body)))
		for b.Loop() {
			k := tokens.NewCounter(nil)
			k.Sizes(c, "local")
		}
	})
}

// BenchmarkAfter weighs what is sent of that chat once all its results are cleared. What left is not read for that.
func BenchmarkAfter(b *testing.B) {
	c := chat256k(b, nil)
	s := newCounter(b).Sizes(c, "local")
	var p chat.Plan
	for i := range c.Messages {
		if c.Messages[i].Role == chat.Tool {
			p.Trims = append(p.Trims, chat.Trim{Message: i, Text: "[cleared: 4300 characters of read_file]"})
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		s.After(c, &p)
	}
}

// BenchmarkLearn counts 256 KB of one sort of text, ordinary ones and all of hostileTexts: cpu-ms is what it takes of the
// process, which must stay under 500.
func BenchmarkLearn(b *testing.B) {
	const size = 256 << 10
	learn := func(name, text string) {
		b.Run(name, func(b *testing.B) {
			c := openAI(b, "gpt-4o", say("user", text))
			b.SetBytes(int64(len(text)))
			start := cpu()
			for b.Loop() {
				learned(b, newCounter(b), c)
			}
			b.ReportMetric(float64((cpu()-start).Milliseconds())/float64(b.N), "cpu-ms/op")
		})
	}
	learned(b, newCounter(b), openAI(b, "gpt-4o", say("user", "u"))) // the vocabulary is built
	for _, name := range []string{"english", "code"} {
		learn(name, strings.ToValidUTF8(strings.Repeat(script(b, name), size/250)[:size], ""))
	}
	for _, name := range hostileNames() {
		learn(name, hostile(name, size))
	}
}

// Issue 4: a request whose messages are known costs the sizes themselves, whatever its texts weigh: two slices and nothing
// that grows with them.
func TestKnownMessagesCostALookup(t *testing.T) {
	f := func(texts int) float64 {
		k := newCounter(t)
		c := openAI(t, "gpt-4o", say("user", strings.Repeat("some words ", texts)), say("assistant", "ok"))
		k.Sizes(c, "u")
		if s := k.Sizes(c, "u"); s.Fresh != 0 {
			t.Fatalf("%d messages were weighed twice", s.Fresh)
		}
		return testing.AllocsPerRun(100, func() { k.Sizes(c, "u") })
	}
	if few, many := f(10), f(100_000); few > 3 || many != few {
		t.Errorf("%v allocations for a short text, %v for a long one; want 3 at most, and the same", few, many)
	}
}
