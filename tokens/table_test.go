package tokens_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"recap/tokens"
)

func TestGlob(t *testing.T) {
	f := func(pattern, name string, want bool) {
		t.Helper()
		if got := tokens.Glob(pattern, name); got != want {
			t.Errorf("Glob(%q, %q) = %v, want %v", pattern, name, got, want)
		}
	}
	f("*", "", true)
	f("*", "a/b:c", true)
	f("", "", true)
	f("", "a", false)
	f("llama3*", "llama3.1:8b", true)
	f("LLAMA3*", "llama3", true)
	f("llama3*", "meta/llama3", false)
	f("*llama3*", "meta/llama3", true)
	f("a*b*c", "aXXbYYc", true)
	f("a*b*c", "aXXbYY", false)
	f("a?c", "abc", true)
	f("a?c", "ażc", true)
	f("a?c", "ac", false)
	f("*a", "aaab", false)
	f("*ab", "aaab", true)
}

func TestTableOfModels(t *testing.T) {
	data, err := os.ReadFile("models.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")[1:]
	var patterns []string
	for _, line := range lines {
		fields := strings.Split(line, ",")
		if len(fields) != 6 {
			t.Fatalf("%s: want six fields", line)
		}
		window, err := strconv.Atoi(fields[1])
		reply, errReply := strconv.Atoi(fields[2])
		image, errImage := strconv.Atoi(fields[4])
		if err != nil || errReply != nil || errImage != nil || window < 1024 || reply > window || image > 20_000 ||
			!slices.Contains(tokens.Encodings(), fields[3]) || fields[5] == "" {
			t.Errorf("%s: bad number, encoding or origin", line)
		}
		// The first row that matches wins: a wider pattern must not stand above a narrower one.
		bare := strings.ReplaceAll(fields[0], "*", "x")
		for _, wider := range patterns {
			if tokens.Glob(wider, bare) && tokens.Glob(wider, strings.ReplaceAll(fields[0], "*", "")) {
				t.Errorf("%s: never reached, %s stands above it", fields[0], wider)
			}
		}
		patterns = append(patterns, fields[0])
	}
	if len(lines) < 80 {
		t.Errorf("got %d rows, want at least 80", len(lines))
	}
}

func TestTableAnswers(t *testing.T) {
	w := newWindows(t)
	f := func(model string, want int) {
		t.Helper()
		if got := w.Lookup(tokens.Ask{Upstream: "u", Model: model}).Size; got != want {
			t.Errorf("%s: got %d, want %d", model, got, want)
		}
	}
	f("gpt-4", 8192)
	f("gpt-4o-mini", 128000)
	f("gpt-4.1-nano", 1047576)
	f("gpt-5", 400000)
	f("openai/gpt-5.4-mini", 1050000)
	f("claude-opus-4-6", 1000000)
	f("claude-opus-4-1-20250805", 200000)
	f("Codestral-22B-v0.1", 32768)
	f("o3", 200000)
	f("claude-sonnet-4-5", 200000)
	f("anthropic.claude-3-5-sonnet-20240620-v1:0", 200000)
	f("meta-llama/Llama-3.1-8B-Instruct", 131072)
	f("llama2:13b", 4096)
	f("llama3:8b", 8192)
	f("Qwen/Qwen3-Coder-30B-A3B-Instruct", 262144)
	f("qwen3:14b", 40960)
	f("gemma3:270m", 32768)
	f("gemma3:4b", 131072)
	f("gemma2:27b", 8192)
	f("mistral-nemo", 131072)
	f("ghost", 0)
}

// D8: an image costs what the table says of the model's family, unless the file says otherwise; 1,000 where nobody does.
func TestD8ImagesByTheTable(t *testing.T) {
	f := func(model string, want int, models ...tokens.Model) {
		t.Helper()
		weight := func(content any) int {
			k := newCounter(t, models...)
			s := k.Sizes(openAI(t, model, map[string]any{"role": "user", "content": content}), "u")
			return s.Messages[0]
		}
		text := map[string]any{"type": "text", "text": "what is this?"}
		image := map[string]any{"type": "image_url", "image_url": map[string]any{"url": "data:image/png;base64,AAAA"}}
		if got := weight([]any{text, image}) - weight([]any{text}); got != want {
			t.Errorf("%s: an image is %d tokens, want %d", model, got, want)
		}
	}
	f("gpt-4o-mini", 765)
	f("openai/gpt-5.5", 1229)
	f("gemma3:27b", 256)
	f("ghost", 1000)
	f("gpt-4o", 85, tokens.Model{Match: "gpt-*", ImageTokens: 85})
	f("gpt-4o", 765, tokens.Model{Match: "gpt-*", ContextWindow: 9000})
}
