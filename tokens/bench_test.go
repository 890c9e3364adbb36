package tokens_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
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

// BenchmarkLearn counts 256 KB of one sort of text, the worst ones that are known among them.
func BenchmarkLearn(b *testing.B) {
	const size = 256 << 10
	random := make([]byte, size)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range random {
		random[i] = 'a' + byte(r.IntN(26))
	}
	texts := map[string]string{"random-letters": string(random)}
	for _, name := range []string{"english", "code", "chinese", "base64", "emoji"} {
		texts[name] = strings.ToValidUTF8(strings.Repeat(script(b, name), size/250)[:size], "")
	}
	for _, unit := range []string{"a", "A", " ", "\n", "-", "漢", "😀", "        \n", "\n \n", "é", "aB", "1", "́", " \t"} {
		texts["run of "+strconv.Quote(unit)] = strings.Repeat(unit, size/len(unit))
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		b.Run(name, func(b *testing.B) {
			c := openAI(b, "gpt-4o", say("user", texts[name]))
			b.SetBytes(size)
			for b.Loop() {
				learned(b, newCounter(b), c)
			}
		})
	}
}
