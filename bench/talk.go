package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
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

// pieces are the samples as they stand in a JSON string, in two halves around the word.
var pieces = func() (list [][2]string) {
	for _, sample := range samples {
		var quoted bytes.Buffer
		e := json.NewEncoder(&quoted)
		e.SetEscapeHTML(false)
		if err := e.Encode(sample); err != nil {
			panic("BUG: a string does not marshal: " + err.Error())
		}
		before, after, _ := strings.Cut(strings.Trim(quoted.String(), "\"\n"), "%")
		list = append(list, [2]string{before, after})
	}
	return list
}()

// shape is what conversations of a size look like: those of ../shared/perf.md. A step is what the client adds between two
// requests: a round of the agent's loop (call and result), and after some of them an answer and the next question.
type shape struct {
	rounds int // of a turn
	result int // bytes of a tool result
	answer int // bytes of an answer, and of a question half as much
}

func shapeOf(size int) shape {
	switch {
	case size <= 4<<10:
		return shape{rounds: 1, result: 260, answer: 120}
	case size <= 64<<10:
		return shape{rounds: 2, result: 1150, answer: 500}
	case size <= 512<<10:
		return shape{rounds: 4, result: 3000, answer: 1500}
	}
	return shape{rounds: 4, result: 4800, answer: 2500}
}

// talk is a conversation that grows as an agent's does. Each request of it is its beginning up to a step.
type talk struct {
	model string
	rng   *rand.Rand
	shape shape
	text  []byte // the messages, without the brackets
	ends  []int  // where request 0, 1, 2 … ends in text
	round int    // of the turn
}

// newTalk returns a conversation whose request 0 has about start bytes; steps more follow.
func newTalk(rng *rand.Rand, model string, size, start, steps int) *talk {
	t := &talk{model: model, rng: rng, shape: shapeOf(size), text: make([]byte, 0, size*5/4)}
	t.open()
	for t.size() < start {
		t.grow()
	}
	t.mark(steps)
	return t
}

// open adds the first two messages.
func (t *talk) open() {
	t.add(`{"role":"system","content":"You are a careful engineer. Answer briefly."},{"role":"user","content":`)
	t.quote(t.shape.answer / 2)
	t.add(`}`)
}

// mark makes what there is request 0, and adds so many steps with a request each.
func (t *talk) mark(steps int) {
	t.ends = append(t.ends, len(t.text))
	for range steps {
		t.grow()
		t.ends = append(t.ends, len(t.text))
	}
}

// grow adds a step.
func (t *talk) grow() {
	if t.round < t.shape.rounds {
		t.round++
		id := t.word()
		t.add(`,{"role":"assistant","content":null,"tool_calls":[{"id":"call_`, id, `","type":"function","function":{"name":"read_file",`+
			`"arguments":"{\"path\":\"internal/`, t.word(), `.go\",\"from\":1}"}}]},{"role":"tool","tool_call_id":"call_`, id, `","content":`)
		t.quote(t.shape.result)
		t.add(`}`)
		return
	}
	t.round = 0
	t.add(`,{"role":"assistant","content":`)
	t.quote(t.shape.answer)
	t.add(`},{"role":"user","content":`)
	t.quote(t.shape.answer / 2)
	t.add(`}`)
}

func (t *talk) add(parts ...string) {
	for _, part := range parts {
		t.text = append(t.text, part...)
	}
}

// quote adds a JSON string of about n bytes, unlike any other.
func (t *talk) quote(n int) {
	t.text = append(t.text, '"')
	for end := len(t.text) + n - 60; ; {
		piece := &pieces[t.rng.IntN(len(pieces))]
		t.add(piece[0], t.word(), piece[1])
		if len(t.text) >= end {
			break
		}
	}
	t.text = append(t.text, '"')
}

func (t *talk) word() string { return strconv.FormatUint(t.rng.Uint64()>>20, 36) }

const (
	head      = `{"model":"`
	beginning = `","temperature":0.2,"messages":[`
	tail      = `],"max_tokens":512,"tools":[{"type":"function","function":{"name":"read_file","parameters":{"type":"object","properties":` +
		`{"path":{"type":"string"},"from":{"type":"integer"}},"required":["path"]}}}]}`
	streamTail = `],"stream":true,"stream_options":{"include_usage":true},"max_tokens":512}`
)

func (t *talk) size() int { return len(head) + len(t.model) + len(beginning) + len(t.text) + len(tail) }

// body appends the request of a step to dst.
func (t *talk) body(dst []byte, step int, end string) []byte {
	dst = append(dst, head...)
	dst = append(dst, t.model...)
	dst = append(dst, beginning...)
	dst = append(dst, t.text[:t.ends[step]]...)
	return append(dst, end...)
}
