package middleware_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"recap/config"
)

// readerTurns renders a conversation of an agent that reads files: call and result, turn by turn, until it is about size
// bytes large, and then some turns more. Each has texts of its own.
func readerTurns(id, size, result, turns int) [][]byte {
	texts := []string{
		`func (s *store) load%d(key string) (*entry, error) {\n\tif e, ok := s.memory[key]; ok {\n\t\treturn e, nil\n\t}\n}\n`,
		`The test of module %d fails on the second run, but only when the cache is warm. `,
		`Proszę, note %d: the café closes before the naïve reader would expect it, so the meeting should be moved to the morning. `,
	}
	var b strings.Builder
	b.WriteString(`{"model":"bench","temperature":0.2,"messages":[{"role":"system","content":"You are careful."},{"role":"user","content":"go"}`)
	n := 0
	grow := func() {
		if n%5 == 4 {
			fmt.Fprintf(&b, `,{"role":"assistant","content":"done %d"},{"role":"user","content":"and now %d"}`, n, n)
		}
		fmt.Fprintf(&b, `,{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function","function":{"name":"read","arguments":"{\"path\":\"a/%d.go\"}"}}]}`+
			`,{"role":"tool","tool_call_id":"c%d","content":"`, n, n, n)
		for end := b.Len() + result; b.Len() < end; n++ {
			fmt.Fprintf(&b, texts[n%len(texts)], id*1_000_000+n)
		}
		b.WriteString(`"}`)
		n++
	}
	for b.Len() < size {
		grow()
	}
	var bodies [][]byte
	for range turns {
		grow()
		bodies = append(bodies, []byte(b.String()+`],"max_tokens":512,"tools":[{"type":"function","function":{"name":"read","parameters":{"type":"object"}}}]}`))
	}
	return bodies
}

// BenchmarkNear measures the next turn of a known conversation that is about half as large as the prepare level, and of one
// between the prepare and the swap level, which is read in full and decided on; no summary ever becomes due.
func BenchmarkNear(b *testing.B) {
	sizes := []struct{ size, result int }{{2 << 10, 260}, {32 << 10, 1150}, {256 << 10, 3000}, {1 << 20, 4800}}
	for _, level := range []struct {
		name  string
		share float64 // of the budget
	}{{"half", 0.33}, {"over", 0.79}} {
		for _, s := range sizes {
			b.Run(fmt.Sprintf("%s/%dk", level.name, s.size>>10), func(b *testing.B) {
				window := int((float64(s.size+2*s.result)/4/level.share + 512) / 0.95)
				if level.share > 0.5 && s.size < 4<<10 {
					window += 400 // a step is a third of it
				}
				c := newBenchWith(b, func(c *config.Config) { c.Models[0].ContextWindow, c.Summarization.MinMessages = window, 100_000 })
				b.ReportAllocs()
				turns := min(8, 1+s.size/(4<<10))
				for n, id := 0, 0; n < b.N; id++ {
					b.StopTimer()
					bodies := readerTurns(id, s.size, s.result, turns+1)
					c.Handle(benchRequest(bodies[0]))
					c.Close()
					var list []*fasthttp.RequestCtx
					for _, body := range bodies[1:] {
						list = append(list, benchRequest(body))
					}
					b.StartTimer()
					for _, ctx := range list {
						c.Handle(ctx)
						n++
					}
					c.Close()
					b.StopTimer()
					if s := string(list[0].Response.Header.Peek("X-Recap-Status")); s != "clear" {
						b.Fatal(s, string(list[0].Response.Header.Peek("X-Recap-Tokens")), window)
					}
					b.StartTimer()
				}
			})
		}
	}
}
