package dialect_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"recap/chat"
	"recap/dialect"
)

// report feeds an answer to a tap in pieces of that many bytes, 0 = random ones.
func report(name, contentType, answer string, piece int) dialect.Report {
	tap := dialect.ByName(name).Tap(contentType)
	for rest := answer; len(rest) > 0; {
		n := piece
		if piece == 0 {
			n = 1 + rand.IntN(len(rest))
		}
		n = min(n, len(rest))
		// The tap must keep nothing of what it is given.
		buf := []byte(rest[:n])
		tap.Write(buf)
		clear(buf)
		rest = rest[n:]
	}
	return tap.Report()
}

func usage(prompt, cached, completion int) chat.Usage {
	return chat.Usage{Prompt: prompt, Cached: cached, Completion: completion}
}

func TestTapOnWholeAnswers(t *testing.T) {
	onAll(t, func(t *testing.T, d dialect.Dialect, s sample) {
		want := dialect.Report{Usage: usage(7, 0, 5), Finish: "stop", Done: true, Model: "m"}
		if got := report(d.Name(), s.mediaTyp+"; charset=utf-8", s.stream, 1<<20); got != want {
			t.Errorf("stream: got %+v", got)
		}
		if got := report(d.Name(), "application/json", s.answer, 1<<20); got != want {
			t.Errorf("plain: got %+v", got)
		}
	})
}

const sse, lines, plain = "text/event-stream", "application/x-ndjson", "application/json"

type r = dialect.Report

// wantReport feeds an answer in pieces of many sizes.
func wantReport(t *testing.T, name, contentType, answer string, want r) {
	t.Helper()
	for _, piece := range []int{1 << 20, 1, 2, 3, 7, 0} {
		if len(answer) > 1<<16 && piece > 0 && piece < 7 {
			continue
		}
		if got := report(name, contentType, answer, piece); got != want {
			t.Errorf("%s %.300q in pieces of %d:\n got %+v\nwant %+v", name, answer, piece, got, want)
		}
	}
}

func TestTapEvents(t *testing.T) {
	f := func(answer string, want r) { t.Helper(); wantReport(t, "openai", sse, answer, want) }
	chunk := `{"model":"m","choices":[{"index":0,"delta":{"content":"x"},"finish_reason":null}],"usage":null}`
	finish := `{"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"length"}]}`
	final := `{"model":"m","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":3}}}`
	f("", r{})
	f("data: "+chunk+"\n\n", r{Model: "m"})
	f("data: "+chunk+"\n\ndata: "+finish+"\n\ndata: "+final+"\n\ndata: [DONE]\n\n", r{Usage: usage(7, 3, 5), Finish: "length", Done: true, Failed: false, Model: "m"})
	// B8, C2: CRLF, no space, comments, other fields, several data lines, no last line feed.
	f(": ping\r\n\r\nevent: x\r\nid: 1\r\ndata:"+chunk+"\r\n\r\ndata:"+finish+"\r\n\r\n: OPENROUTER PROCESSING\r\n\r\ndata:"+final, r{Usage: usage(7, 3, 5), Finish: "length", Done: true, Failed: false, Model: "m"})
	f("data: "+strings.Replace(final, `"usage"`, "\ndata: \"usage\"\ndata:", 1)+"\n", r{Usage: usage(7, 3, 5), Finish: "", Done: false, Failed: false, Model: "m"})
	f("data: [DONE]", r{Done: true})
	f("data: "+final[:len(final)-1], r{})
	// vLLM counts in every chunk: the last one is right.
	f(`data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":1}}`+"\n\n"+`data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}`+"\n\n", r{Usage: usage(7, 0, 2)})
	f(`data: {"choices":[{"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":2},"timings":{"cache_n":6}}`+"\n\n", r{Usage: usage(7, 6, 2), Finish: "stop", Done: true, Failed: false, Model: ""})
	f(`data: {"error":{"message":"x"}}`+"\n\n", r{Failed: true})
	f(`data: {"error":"x"}`+"\n\n", r{Failed: true})
	f(`data: {"error":null,"choices":[]}`+"\n\n", r{})
	// Words of the model are not the server's.
	f(`data: {"model":"m","choices":[{"delta":{"content":"\"usage\":{\"prompt_tokens\":9},\"error\":1"},"finish_reason":null}]}`+"\n\n", r{Model: "m"})
	f(`data: {"choices":[{"delta":{},"finish_reason":null},{"finish_reason":"stop"}],"usage":{"prompt_tokens":"9","completion_tokens":-1}}`+"\n\n", r{Finish: "stop", Done: true})
	f("data: nonsense \"usage\"\n\ndata: \xff\n\nfoo\n\n", r{})
	f(`data: {"choices":[{"finish_reason":"tool_calls"},{"finish_reason":"stop"}]}`+"\n\n", r{Finish: "tool_calls", Done: true})
}

func TestTapBounds(t *testing.T) {
	f := func(name, contentType, answer string, want r) {
		t.Helper()
		wantReport(t, name, contentType, answer, want)
	}
	finish := `{"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"length"}]}`
	// Too long a line or event is skipped, what follows is seen.
	long := strings.Repeat("x", 70_000)
	joined := "data: {\"usage\":{\"prompt_tokens\":1}\n" + strings.Repeat("data: ,\"x\":\""+long[:30_000]+"\"\n", 3) + "data: }\n\n"
	f("openai", sse, "data: {\"usage\":{\"prompt_tokens\":1},\"x\":\""+long+"\"}\n\ndata: "+finish+"\n\n", r{Finish: "length", Done: true, Model: "m"})
	f("openai", sse, "data: {\"usage\":{\"prompt_tokens\":1}}\ndata: \""+long+"\n\ndata: [DONE]\n\n", r{Done: true})
	f("openai", sse, strings.Repeat("data: "+long[:30_000]+"\n", 4)+"data: [DONE]\n\ndata: [DONE]\n", r{Done: true})
	f("openai", sse, joined, r{})
	f("openai", sse, "data: [DONE]\n"+"data: "+long+"\n\n", r{})

	big := strings.Repeat(`\"}{[ `, 60_000)
	f("openai", plain, `{"x":"`+big+`"}`, r{Done: true})
	f("openai", plain, `{"x":["`+big+`"]`, r{})
	f("openai", plain, `{"x":"`+big, r{})
	f("ollama", lines, `{"x":"`+long+"\"}\n"+`{"done":true}`, r{Done: true})
}

func TestTapPlainAndLines(t *testing.T) {
	f := func(name, contentType, answer string, want r) {
		t.Helper()
		wantReport(t, name, contentType, answer, want)
	}
	finish := `{"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"length"}]}`
	f("openai", plain, `{"error":{"message":"x"}}`, r{Done: true, Failed: true})
	f("openai", plain, ` {"model":"m","choices":[{"message":{"content":"x"},"finish_reason":"stop"}]} `, r{Finish: "stop", Done: true, Model: "m"})
	f("openai", plain, `{"model":"m","choices":[{"message"`, r{})
	// Types that say nothing.
	f("openai", "", "\r\n: ping\n\ndata: "+finish+"\n\n", r{Finish: "length", Done: true, Model: "m"})
	f("openai", "text/plain", `{"choices":[{"finish_reason":"stop"}]}`, r{Finish: "stop", Done: true})
	f("openai", "text/html", `<html>`, r{})

	line := `{"model":"m","message":{"role":"assistant","content":"x"},"done":false}` + "\n"
	last := `{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":7,"eval_count":5}`
	f("ollama", lines, line+line, r{Model: "m"})
	f("ollama", lines, line+line+last+"\n", r{Usage: usage(7, 0, 5), Finish: "stop", Done: true, Failed: false, Model: "m"})
	f("ollama", lines, line+"\n\n"+line+last, r{Usage: usage(7, 0, 5), Finish: "stop", Done: true, Failed: false, Model: "m"})
	f("ollama", lines, line+last[:len(last)-1], r{Model: "m"})
	f("ollama", lines, line+`{"error":"x"}`+"\n", r{Model: "m", Failed: true})
	f("ollama", lines, `{"model":"m","done":true,"done_reason":"load"}`, r{Finish: "load", Done: true, Model: "m"})
	f("ollama", "", line+last, r{Usage: usage(7, 0, 5), Finish: "stop", Done: true, Failed: false, Model: "m"})
	f("ollama", plain, last+"\n", r{Usage: usage(7, 0, 5), Finish: "stop", Done: true, Failed: false, Model: "m"})
	f("ollama", plain, `{"error":"x"}`, r{Done: true, Failed: true})
}

func TestTapReportsAtAnyTime(t *testing.T) {
	onAll(t, func(t *testing.T, d dialect.Dialect, s sample) {
		tap, twin := d.Tap(s.mediaTyp), d.Tap(s.mediaTyp)
		for i := range len(s.stream) {
			tap.Write([]byte{s.stream[i]})
			twin.Write([]byte{s.stream[i]})
			tap.Report() // must change nothing
		}
		if tap.Report() != twin.Report() || !tap.Report().Done {
			t.Errorf("got %+v, want %+v", tap.Report(), twin.Report())
		}
	})
}
