package tokens_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"recap/chat"
	"recap/dialect"
	"recap/tokens"
)

func decode(t testing.TB, name, body string, facts *dialect.Facts) *chat.Chat {
	t.Helper()
	c, err := dialect.ByName(name).Decode(body, facts)
	if err != nil {
		t.Fatalf("decode: %v", err)
	}
	return c
}

func openAI(t testing.TB, model string, messages ...map[string]any) *chat.Chat {
	t.Helper()
	body, err := json.Marshal(map[string]any{"model": model, "messages": messages})
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, "openai", string(body), nil)
}

func say(role, text string) map[string]any { return map[string]any{"role": role, "content": text} }

func newCounter(t testing.TB, models ...tokens.Model) *tokens.Counter {
	t.Helper()
	k := tokens.NewCounter(models)
	t.Cleanup(k.Close)
	return k
}

// learned lets k count c and returns the sizes once all of it is known.
func learned(t testing.TB, k *tokens.Counter, c *chat.Chat) tokens.Sizes {
	t.Helper()
	k.Learn(c)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(2 * time.Millisecond) {
		if s := k.Sizes(c, "local"); s.Missing == 0 {
			return s
		}
		if time.Now().After(deadline) {
			t.Fatal("the counts never came")
		}
	}
}

func within(t testing.TB, what string, got, want int, share float64) {
	t.Helper()
	if math.Abs(float64(got-want)) > share*float64(want) {
		t.Errorf("%s: got %d, want %d within %.0f %%", what, got, want, 100*share)
	}
}

func TestSizesAreCountedBehindTheAnswer(t *testing.T) {
	vocabulary := oracle(t)
	k := newCounter(t)
	text := script(t, "polish")
	c := openAI(t, "gpt-4o", say("user", text), say("assistant", "ok"))
	first := k.Sizes(c, "local")
	if first.Missing != 2 || first.Messages[0] != tokens.Estimate(text)+4 || first.Fixed[0] != first.Messages[0] {
		t.Errorf("at first sight: %+v, want the fixed measure and 4", first)
	}
	s := learned(t, k, c)
	if want := len(vocabulary.EncodeOrdinary(text)) + 4; s.Messages[0] != want {
		t.Errorf("counted %d, want %d", s.Messages[0], want)
	}
	if s.Fixed[0] != first.Fixed[0] || s.FixedTotal() != first.FixedTotal() {
		t.Errorf("the fixed measure moved from %v to %v", first.Fixed, s.Fixed)
	}
	if s.Total() != s.Messages[0]+s.Messages[1]+s.Extra || s.Extra != 3 {
		t.Errorf("total %d of %v and %d", s.Total(), s.Messages, s.Extra)
	}
}

// P7: the fixed measure of a message does not depend on what was seen before: what a key ignores, a count must not.
func TestP7FixedMeasureIgnoresTheMemo(t *testing.T) {
	warm := newCounter(t)
	variants := []string{
		`{"role":"user","content":"a b c"}`,
		`{"role":"user","content":"a b c   \n\n  x y"}`,
		`{"role":"user","content":"a b c                    "}`,
		`{"role":"assistant","content":"a b c","reasoning_content":"long and winding thought"}`,
		`{"role":"assistant","content":"a b c","reasoning_content":"another winding thoughts"}`,
		`{"role":"assistant","content":"a b c"}`,
		`{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}`,
		`{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{ \"a\" : 1 }"}}]}`,
	}
	for _, v := range variants {
		c := decode(t, "openai", `{"model":"m","messages":[`+v+`]}`, nil)
		got, want := warm.Sizes(c, "u").Fixed[0], newCounter(t).Sizes(c, "u").Fixed[0]
		if got != want {
			t.Errorf("%s: %d after the others, %d alone", v, got, want)
		}
	}
}

// D1: what looks like a special token is ordinary text.
func TestD1SpecialTokensAreText(t *testing.T) {
	k := newCounter(t)
	evil := "<|endoftext|> <|im_start|>system"
	c := openAI(t, "gpt-4", say("system", evil), say("user", evil),
		map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{
			"id": "c1", "type": "function", "function": map[string]any{"name": "<|endoftext|>", "arguments": "{}"},
		}}},
		map[string]any{"role": "tool", "tool_call_id": "c1", "content": evil})
	s := learned(t, k, c)
	for i, n := range s.Messages {
		if n < 8 {
			t.Errorf("message %d weighs %d, want its marks counted as text", i, n)
		}
	}
	for _, e := range tokens.Encodings() {
		if n := tokens.CountOrdinary(e, "<|endoftext|>"); n < 6 {
			t.Errorf("%s: the mark is %d tokens, as text it is 6 or 7", e, n)
		}
	}
}

// D2: runs without a break neither delay a request nor hold a core for long, and their counts are about right.
func TestD2LongRuns(t *testing.T) {
	k := newCounter(t)
	const size = 256 << 10
	f := func(what, unit string, want float64) {
		t.Helper()
		c := openAI(t, "gpt-4o", say("user", strings.Repeat(unit, size/len(unit))))
		start := time.Now()
		s := learned(t, k, c)
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s took %v", what, took)
		}
		within(t, what, s.Messages[0], int(want*size), 0.03)
	}
	// Tokens per byte as tiktoken itself has them for shorter runs.
	f("a", "a", 1.0/8)
	f("blanks", " ", 1.0/128)
	f("dashes", "-", 1.0/64)
}

// D4: any name gets an encoding; unknown ones o200k_base, and a name in the file wins.
func TestD4UnknownModels(t *testing.T) {
	k := newCounter(t, tokens.Model{Match: "mine*", Encoding: "cl100k_base"})
	count := func(model string) int {
		t.Helper()
		return learned(t, k, openAI(t, model, say("user", script(t, "russian")))).Messages[0]
	}
	unknown := count("ghost")
	for _, model := range []string{"", "o3", "gpt-5", strings.Repeat("x", 300)} {
		if got := count(model); got != unknown {
			t.Errorf("%.20q: %d tokens, want o200k_base's %d", model, got, unknown)
		}
	}
	old := count("gpt-4")
	for _, model := range []string{"mine:8b", "llama3.1:8b", "qwen3:14b", "openai/gpt-3.5-turbo"} {
		if got := count(model); got != old || old <= unknown {
			t.Errorf("%s: %d tokens, want cl100k_base's %d", model, got, old)
		}
	}
}

// D4: a thousand requests at once; run with -race.
func TestD4Parallel(t *testing.T) {
	k := newCounter(t)
	facts := chat.NewMemo[dialect.Print, *chat.Facts](100)
	models := []string{"llama3.1:8b", "qwen3:14b", "gpt-5", "o3", "", "ghost"}
	var done sync.WaitGroup
	for n := range 1000 {
		done.Go(func() {
			body := fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":"hello number %d"}],"tools":[{"n":%d}]}`,
				models[n%len(models)], n%50, n%3)
			c, err := dialect.ByName("openai").Decode(body, facts)
			if err != nil {
				t.Error(err)
				return
			}
			s := k.Sizes(c, "local")
			k.Learn(c)
			k.Observe("local", c.Model, s.Sent(nil, &chat.Plan{}), 100+n)
			if n%100 == 0 {
				if err := k.Import(k.Export()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
}

// D5: counting works with no network at all: the vocabularies are part of the binary. TestMain set a loader that
// refuses, so a count proves that the embedded one has replaced it.
func TestD5Embedded(t *testing.T) {
	for _, e := range tokens.Encodings() {
		k := newCounter(t, tokens.Model{Match: "*", Encoding: e})
		if s := learned(t, k, openAI(t, "m", say("user", "offline"))); s.Messages[0] < 5 || s.Messages[0] > 7 {
			t.Errorf("%s: got %d tokens", e, s.Messages[0])
		}
	}
}

// D6: arguments, results, names and reasoning weigh as the same text does as content.
func TestD6EverythingIsCounted(t *testing.T) {
	k := newCounter(t)
	text := strings.Repeat(script(t, "code"), 30)
	args, _ := json.Marshal(map[string]string{"path": "a.go", "content": text})
	want := k.Sizes(openAI(t, "m", say("user", string(args))), "u").Messages[0]
	call := map[string]any{"id": "c1", "type": "function", "function": map[string]any{"name": "write_file", "arguments": string(args)}}
	c := openAI(t, "m", say("user", "u"),
		map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{call}},
		map[string]any{"role": "tool", "tool_call_id": "c1", "content": string(args)},
		map[string]any{"role": "assistant", "content": "x", "reasoning_content": string(args)})
	s := k.Sizes(c, "u")
	for i := 1; i < 4; i++ {
		within(t, fmt.Sprint("message ", i), s.Messages[i], want, 0.1)
	}
	ollama := `{"model":"m","messages":[{"role":"user","content":"u"},{"role":"assistant","content":"","tool_calls":[{"function":{"name":"write_file","arguments":` + string(args) + `}}]}]}`
	// An object counts as the JSON that it is, its text still escaped.
	if got := k.Sizes(decode(t, "ollama", ollama, nil), "u").Messages[1]; got < want || got > 2*want {
		t.Errorf("Ollama's object weighs %d, the text %d", got, want)
	}
	named := k.Sizes(openAI(t, "m", map[string]any{"role": "user", "name": "margarete", "content": "u"}), "u").Messages[0]
	if bare := k.Sizes(openAI(t, "m", say("user", "u")), "u").Messages[0]; named <= bare {
		t.Errorf("with a name %d, without %d", named, bare)
	}
}

func TestD6Extras(t *testing.T) {
	k := newCounter(t)
	tools := `[{"type":"function","function":{"name":"read","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}}]`
	c := decode(t, "openai", `{"model":"m","tools":`+tools+`,"messages":[{"role":"user","content":"u"}]}`, nil)
	s := k.Sizes(c, "u")
	if want := tokens.Estimate(tools) + 3; s.Extra != want || s.FixedExtra != want {
		t.Errorf("extra %d, fixed %d, want %d", s.Extra, s.FixedExtra, want)
	}
	learned(t, k, c)
	deadline := time.Now().Add(time.Minute)
	want := len(oracle(t).EncodeOrdinary(tools)) + 3
	for s.Extra != want && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
		s = k.Sizes(c, "u")
	}
	if s.Extra != want {
		t.Errorf("extra %d after counting, want %d", s.Extra, want)
	}
}

// D8: an image has one flat cost, in a message and in a tool result, whatever its size.
func TestD8Images(t *testing.T) {
	image := func(size int) []any {
		return []any{
			map[string]any{"type": "text", "text": "look"},
			map[string]any{"type": "image_url", "image_url": map[string]any{"url": "data:image/png;base64," + strings.Repeat("A", size)}},
		}
	}
	f := func(k *tokens.Counter, want int) {
		t.Helper()
		for _, size := range []int{100, 3 << 20} {
			c := openAI(t, "m", map[string]any{"role": "user", "content": image(size)})
			if got := k.Sizes(c, "u").Messages[0]; got != want {
				t.Errorf("an image of %d bytes: %d tokens, want %d", size, got, want)
			}
			if got := learned(t, k, c).Messages[0]; got != want {
				t.Errorf("an image of %d bytes, counted: %d tokens, want %d", size, got, want)
			}
		}
	}
	f(newCounter(t), 1005)
	f(newCounter(t, tokens.Model{Match: "*", ImageTokens: 250}), 255)

	payload := strings.Repeat("A", 3<<20)
	c := openAI(t, "m", say("user", "u"), map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{
		"id": "c1", "type": "function", "function": map[string]any{"name": "shot", "arguments": "{}"},
	}}},
		map[string]any{"role": "tool", "tool_call_id": "c1", "content": `{"url":"data:image/png;base64,` + payload + `"}`})
	k := newCounter(t)
	for _, s := range []tokens.Sizes{k.Sizes(c, "u"), learned(t, k, c)} {
		if s.Messages[2] < 1000 || s.Messages[2] > 1020 {
			t.Errorf("a data: URL in a result weighs %d, want about 1000", s.Messages[2])
		}
	}
}

// What Learn queues is bounded: too much at once is left to later requests, and Close waits for what is at work.
func TestLearnIsBounded(t *testing.T) {
	k := newCounter(t)
	big := say("user", strings.Repeat("word ", 9<<20/5))
	c := openAI(t, "m", say("user", "small"), big)
	k.Learn(c)
	deadline := time.Now().Add(time.Minute)
	for k.Sizes(c, "u").Missing != 1 && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	if got := k.Sizes(c, "u").Missing; got != 1 {
		t.Errorf("missing %d, want the one that is larger than the queue", got)
	}
	k.Close()
	k.Learn(openAI(t, "m", say("user", "after the end")))
}

func TestAfterWeighsWhatIsSent(t *testing.T) {
	k := newCounter(t)
	long := strings.Repeat("result line 42\n", 400)
	c := openAI(t, "m", say("user", "one"), map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{
		"id": "c1", "type": "function", "function": map[string]any{"name": "f", "arguments": "{}"},
	}}},
		map[string]any{"role": "tool", "tool_call_id": "c1", "content": long}, say("assistant", "done"), say("user", "two"))
	p := &chat.Plan{
		Drop:  []int{0, 1},
		Trims: []chat.Trim{{Message: 2, Text: "cleared"}},
		Note:  &chat.Note{Message: 4, Text: "a summary of it all"},
	}
	body, err := dialect.ByName("openai").Apply(nil, c, p)
	if err != nil {
		t.Fatal(err)
	}
	sent := k.Sizes(decode(t, "openai", string(body), nil), "u")
	s := k.Sizes(c, "u")
	after := s.After(c, p)
	if got, want := after.Total(), sent.Total(); got < want-2 || got > want+2 {
		t.Errorf("after the plan %d, what was sent weighs %d", got, want)
	}
	if got := s.Total(); got < 1000 {
		t.Errorf("the sizes before changed to %d", got)
	}
	if same := s.After(c, &chat.Plan{}); same.Total() != s.Total() {
		t.Errorf("an empty plan weighs %d, want %d", same.Total(), s.Total())
	}
}
