package dialect_test

import (
	"fmt"
	"strings"
)

// samples of what stands in the messages of an agent's chat, as JSON writes it: % stands for a word of its own.
var texts = []string{
	`The test of % fails on the second run, but only when the cache is warm. Could it be that the entry is written before the lock is taken? `,
	`func (s *store) %(ctx context.Context, key string) (*entry, error) {\n\tif e, ok := s.memory[key]; ok {\n\t\treturn e, nil\n\t}\n\treturn s.load(ctx, key)\n}\n`,
	`2026-11-07T10:15:32.481Z INFO request method=POST path=/v1/% status=200 bytes=4181 took=38ms id=7f3a9c\n`,
	`{\"name\":\"%\",\"versions\":[1,2,3],\"enabled\":true,\"limits\":{\"cpu\":\"500m\",\"memory\":\"256Mi\"},\"note\":null}\n`,
	`Zażółć gęślą jaźń: moduł % zgłasza błąd, gdy ścieżka zawiera spację. Proszę sprawdzić, czy wcześniejsza wersja też tak robiła. `,
	`请检查模块 % 的配置文件,第三行的端口与文档不一致。修改后重新启动服务并查看日志。`,
	`Done ✅ % is deployed 🚀, two checks are still red 😕 and one is skipped. `,
}

// talkBody returns chat number n of about that many bytes: questions, answers, calls and results of result bytes each.
func talkBody(n uint64, bytes, result int) string {
	var b strings.Builder
	n = n*0x9e3779b97f4a7c15 + 1
	quote := func(size int) {
		for end := b.Len() + size - 60; ; {
			n = n*6364136223846793005 + 1442695040888963407
			b.WriteString(strings.Replace(texts[n>>33%uint64(len(texts))], "%", fmt.Sprintf("%x", n>>24), 1))
			if b.Len() >= end {
				return
			}
		}
	}
	b.WriteString(`{"model":"far-away","temperature":0.2,"messages":[{"role":"system","content":"You are a careful engineer. Answer briefly."},{"role":"user","content":"`)
	quote(100)
	b.WriteString(`"}`)
	for round := 0; b.Len() < bytes-300; round++ {
		if round%3 == 2 {
			b.WriteString(`,{"role":"assistant","content":"`)
			quote(result / 2)
			b.WriteString(`"},{"role":"user","content":"`)
			quote(result / 4)
			b.WriteString(`"}`)
			continue
		}
		fmt.Fprintf(&b, `,{"role":"assistant","content":null,"tool_calls":[{"id":"call_%x","type":"function","function":{"name":"read_file",`+
			`"arguments":"{\"path\":\"internal/%x.go\",\"from\":1}"}}]},{"role":"tool","tool_call_id":"call_%x","content":"`, n, n, n)
		quote(result)
		b.WriteString(`"}`)
	}
	b.WriteString(`],"max_tokens":512,"tools":[{"type":"function","function":{"name":"read_file","parameters":{"type":"object","properties":` +
		`{"path":{"type":"string"},"from":{"type":"integer"}},"required":["path"]}}}]}`)
	return b.String()
}
