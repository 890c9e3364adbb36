package main

import (
	"encoding/json"
	"strconv"
	"strings"
)

// samples are the kinds of text that conversations are made of; % stands for a word that makes each piece its own.
var samples = []string{
	"The test of % fails on the second run, but only when the cache is warm. Could it be that the entry is written before the lock is taken? ",
	"func (s *store) %(ctx context.Context, key string) (*entry, error) {\n\tif e, ok := s.memory[key]; ok {\n\t\treturn e, nil\n\t}\n\treturn s.load(ctx, key)\n}\n",
	"2026-11-07T10:15:32.481Z INFO request method=POST path=/v1/% status=200 bytes=4181 took=38ms id=7f3a9c\n",
	"{\"name\":\"%\",\"versions\":[1,2,3],\"enabled\":true,\"limits\":{\"cpu\":\"500m\",\"memory\":\"256Mi\"},\"note\":null}\n",
	"Zażółć gęślą jaźń: moduł % zgłasza błąd, gdy ścieżka zawiera spację. Proszę sprawdzić, czy wcześniejsza wersja też tak robiła. ",
	"请检查模块 % 的配置文件,第三行的端口与文档不一致。修改后重新启动服务并查看日志。",
	"Done ✅ % is deployed 🚀, two checks are still red 😕 and one is skipped. ",
}

// text returns a JSON string of about n bytes, unlike any other.
func (t *talk) text(n int) string {
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(strings.ReplaceAll(samples[t.rng.IntN(len(samples))], "%", t.word()))
	}
	quoted, err := json.Marshal(cutText(b.String(), n))
	if err != nil {
		panic("BUG: a string does not marshal: " + err.Error())
	}
	return string(quoted)
}

// cutText shortens to at most n bytes, at a whole character.
func cutText(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "")
}

func (t *talk) word() string { return strconv.FormatUint(t.rng.Uint64()>>20, 36) }
