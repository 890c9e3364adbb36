package summarizer_test

import (
	"strings"
	"testing"

	"recap/summarizer"
)

// N11, A20: what models and templates leave around a summary is taken off.
func TestN11Clean(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		if got := summarizer.Clean(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	f("SUM", "SUM")
	f("  SUM\n", "SUM")
	f("<think>x</think>SUM", "SUM")
	f("<THINK>a</THINK>\n\nSUM<think>b</think> more", "SUM more")
	f("<think>never closed", "")
	f("thoughts</think>SUM", "SUM")
	f("SUM <think>afterthought", "SUM")
	f("<thinking>x\ny</thinking>SUM", "SUM")
	f("SUM<|im_end|>", "SUM")
	f("SUM<|im_end|>\n<|im_start|>user\nwhat?", "SUM")
	f("<|im_start|>assistant\nSUM", "SUM")
	f("<|start_header_id|>assistant<|end_header_id|>\n\nSUM<|eot_id|>", "SUM")
	f("<start_of_turn>model\nSUM<end_of_turn>", "SUM")
	f("<s>[INST]SUM[/INST]</s>", "SUM")
	f("<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>SUM<|return|>", "SUM")
	f("<|im_end|>", "")
	f("```\nSUM\n```", "SUM")
	f("```markdown\n## Goal\nx\n```", "## Goal\nx")
	f("```go\na\n```\ntext\n```go\nb\n```", "```go\na\n```\ntext\n```go\nb\n```")
	f("a <| b |> c", "a <| b |> c")
	f("bad \xff byte", "bad \uFFFD byte")
	f("x < y and a << b", "x < y and a << b")
}

// Control characters are no part of a summary: only line ends and tabs stay, and none hides a tag.
func TestCleanStripsControlCharacters(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		if got := summarizer.Clean(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	f("a\x00b\x1b[31mred\x1b[0m\a\b\v\f\x7fc", "ab[31mred[0mc")
	f("one\r\n\ttwo\u009b2J\u0085", "one\n\ttwo2J")
	f("\x00<th\x01ink>x</think>SUM\x00", "SUM")
	f("\x00\x1b\x07", "")
	f("zażółć 🙂 e\u0301\u200d", "zażółć 🙂 e\u0301\u200d")
}

func FuzzClean(f *testing.F) {
	f.Add("<think>x</think>SUM<|im_end|>```")
	f.Add("<think><think></think>")
	f.Add("a\x00\x1b[0m\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		got := summarizer.Clean(text)
		if strings.TrimSpace(got) != got || len(got) > 3*len(text) || strings.ContainsAny(got, "\x00\x1b\r\x7f") {
			t.Fatalf("%q: got %q", text, got)
		}
		for _, token := range []string{"<think>", "</think>", "<|im_end|>", "<|im_start|>", "</s>"} {
			if strings.Contains(got, token) && strings.Count(text, "<") < 3 {
				t.Fatalf("%q: %s is left in %q", text, token, got)
			}
		}
	})
}

func TestGates(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if got := summarizer.Judge(text, 100, 90, 20); got != want {
			t.Errorf("%.60q: got %q, want %q", text, got, want)
		}
	}
	f("They fixed the error: port 8080 was taken.", "")
	f("Error handling was discussed at length.", "")
	f("", summarizer.ReasonEmpty)
	f("...", summarizer.ReasonEmpty)
	f("Error: model is overloaded", summarizer.ReasonErrorText)
	f("I'm sorry, but I can't help with that.", summarizer.ReasonErrorText)
	f("<html><body>502</body></html>", summarizer.ReasonErrorText)
	f("<tool_call>{}</tool_call>", summarizer.ReasonToolCall)
	f("Sure. "+summarizer.DataNotice, summarizer.ReasonEcho)
	f(strings.Repeat("many words here ", 60), summarizer.ReasonOversized)
	f(strings.Repeat("many words here ", 25), summarizer.ReasonNoGain)
}
