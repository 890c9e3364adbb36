package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"recap/chat"
	"recap/dialect"
)

// sizes are those of the measurements in perf.md §2.
var sizes = []struct {
	name  string
	bytes int
}{{"2k", 2 << 10}, {"32k", 32 << 10}, {"256k", 256 << 10}, {"1m", 1 << 20}}

// agentBody returns a chat of an agent in OpenAI's format of about that many bytes: nine tenths tool results.
func agentBody(bytes int) string {
	var b strings.Builder
	b.WriteString(`{"model":"m","stream":true,"messages":[{"role":"system","content":"You are an agent."}`)
	b.WriteString(`,{"role":"user","content":"Fix the test in \"main.go\"."}`)
	result := strings.Repeat(`func main() {\n\tfmt.Println(\"hello, world\") // `+"złoty 漢字"+`\n}\n`, 50)
	for i := 0; ; i++ {
		round := fmt.Sprintf(`,{"role":"assistant","content":null,"tool_calls":[{"id":"call_%d","type":"function","function":`+
			`{"name":"read_file","arguments":"{\"path\": \"main.go\", \"from\": %d}"}}]},{"role":"tool","tool_call_id":"call_%d",`+
			`"content":"%d\n%s"}`, i, i, i, i, result[:min(len(result)/68*68, 68*(1+i%40))])
		if b.Len()+len(round) > bytes && i > 0 {
			break
		}
		b.WriteString(round)
	}
	b.WriteString(`],"tools":[{"type":"function","function":{"name":"read_file","parameters":{"type":"object"}}}]}`)
	return b.String()
}

func decodeOpenAI(tb testing.TB, body string, facts *dialect.Facts) *chat.Chat {
	tb.Helper()
	c, err := dialect.ByName("openai").Decode(body, facts)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func BenchmarkDecodeCold(b *testing.B) {
	for _, size := range sizes {
		body := agentBody(size.bytes)
		b.Run(size.name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				decodeOpenAI(b, body, nil)
			}
		})
	}
}

func BenchmarkDecodeKnown(b *testing.B) {
	for _, size := range sizes {
		body := agentBody(size.bytes)
		b.Run(size.name, func(b *testing.B) {
			facts := chat.NewMemo[dialect.Print, *chat.Facts](1 << 16)
			decodeOpenAI(b, body, facts)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				decodeOpenAI(b, body, facts)
			}
		})
	}
}

func BenchmarkApply(b *testing.B) {
	for _, size := range sizes {
		c := decodeOpenAI(b, agentBody(size.bytes), nil)
		p := &chat.Plan{Note: &chat.Note{Message: 1, Text: strings.Repeat("summary ", 100)}}
		for i := 2; i < len(c.Messages)/2; i++ {
			p.Drop = append(p.Drop, i)
		}
		for i := len(c.Messages) / 2; i < len(c.Messages); i++ {
			if len(c.Messages[i].Results) > 0 {
				p.Trims = append(p.Trims, chat.Trim{Message: i, Text: "[cleared]"})
			}
		}
		b.Run(size.name, func(b *testing.B) {
			dst := make([]byte, 0, 2*len(c.Body))
			b.SetBytes(int64(len(c.Body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := dialect.ByName("openai").Apply(dst, c, p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkTap(b *testing.B) {
	chunk := []byte(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,` +
		`"delta":{"content":" hello"},"finish_reason":null}],"usage":null}` + "\n\n")
	tap := dialect.ByName("openai").Tap("text/event-stream")
	b.SetBytes(int64(len(chunk)))
	b.ReportAllocs()
	for b.Loop() {
		tap.Write(chunk)
	}
}

// BenchmarkGlance reads chats of short texts, as people write them, and of an agent's.
func BenchmarkGlance(b *testing.B) {
	d := dialect.ByName("openai").(dialect.Glancer)
	talk := `{"model":"m","temperature":0.2,"messages":[{"role":"system","content":"You are careful."}` +
		strings.Repeat(`,{"role":"user","content":"what of it, and why"},{"role":"assistant","content":"`+strings.Repeat(`it is so,\n`, 20)+`"}`, 6) + `]}`
	b.Run("talk", func(b *testing.B) {
		b.SetBytes(int64(len(talk)))
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := d.Glance(talk, 0, 1<<20); err != nil {
				b.Fatal(err)
			}
		}
	})
	mixed := talkBody(1, 2<<10, 260)
	b.Run("mixed", func(b *testing.B) {
		b.SetBytes(int64(len(mixed)))
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := d.Glance(mixed, 0, 1<<20); err != nil {
				b.Fatal(err)
			}
		}
	})
	agent := agentBody(3 << 10)
	b.Run("agent", func(b *testing.B) {
		b.SetBytes(int64(len(agent)))
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := d.Glance(agent, 0, 1<<20); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkValid is the pass over bytes that are met for the first time.
func BenchmarkValid(b *testing.B) {
	for _, size := range sizes {
		body := talkBody(1, size.bytes, 3000)
		b.Run(size.name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				if !dialect.Valid(body) {
					b.Fatal("not valid")
				}
			}
		})
	}
}

// BenchmarkTapPlain is an answer in one piece, from its headers to the report.
func BenchmarkTapPlain(b *testing.B) {
	answer := []byte(`{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":` +
		`"assistant","content":"` + strings.Repeat("The flag was renamed; ", 10) + `"},"finish_reason":"stop"}],"usage":{"prompt_tokens":612,` +
		`"completion_tokens":47,"total_tokens":659,"prompt_tokens_details":{"cached_tokens":512}}}`)
	b.ReportAllocs()
	for b.Loop() {
		tap := dialect.ByName("openai").Tap("application/json")
		tap.Write(answer)
		if tap.Report().Usage.Prompt != 612 {
			b.Fatal("no usage")
		}
	}
}
