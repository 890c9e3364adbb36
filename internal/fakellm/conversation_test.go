package fakellm_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"recap/internal/fakellm"
)

var shapes = []fakellm.ConversationOptions{
	{Seed: 1},
	{Seed: 2, Turns: 12, Rounds: 4, Parallel: 3, Facts: 24, Parts: 0.5, Spaced: 0.3, Media: true},
	{Seed: 3, Turns: 4, Rounds: 3, Legacy: true, NoSystem: true},
	{Seed: 4, Turns: 1, Rounds: 40, Parallel: 4, NoIDs: true, Stream: true},
}

// Every point of every shape is a body that the strictest backends take, and it grows at its end only.
func TestConversationIsStrict(t *testing.T) {
	for _, o := range shapes {
		c := fakellm.NewConversation(o)
		for _, dialect := range []string{fakellm.OpenAI, fakellm.Ollama} {
			var before []byte
			for _, at := range c.Points() {
				body := c.Body(dialect, at)
				if err := fakellm.Check(dialect, body); err != nil {
					t.Fatalf("seed %d %s at %d: %v", o.Seed, dialect, at, err)
				}
				end := bytes.LastIndex(before, []byte(`]`+tail(before)))
				if before != nil && !bytes.HasPrefix(body, before[:end]) {
					t.Fatalf("seed %d %s at %d: does not begin with the body before", o.Seed, dialect, at)
				}
				before = body
			}
		}
	}
}

// tail is what stands behind the messages.
func tail(body []byte) string {
	for _, start := range []string{`],"tools"`, `],"stream"`} {
		if at := bytes.LastIndex(body, []byte(start)); at >= 0 {
			return string(body[at+1:])
		}
	}
	return "}"
}

func TestConversationIsSeeded(t *testing.T) {
	o := shapes[1]
	one, two := fakellm.NewConversation(o), fakellm.NewConversation(o)
	n := len(one.Messages)
	if !bytes.Equal(one.Body(fakellm.OpenAI, n), two.Body(fakellm.OpenAI, n)) {
		t.Error("the same seed gave two conversations")
	}
	o.Seed++
	if bytes.Equal(one.Body(fakellm.OpenAI, 1), fakellm.NewConversation(o).Body(fakellm.OpenAI, 1)) {
		t.Error("another seed gave the same conversation")
	}
}

// The kinds of trouble that tests rely on are really there.
func TestConversationHasTheHardCases(t *testing.T) {
	c := fakellm.NewConversation(shapes[1])
	body := string(c.Body(fakellm.OpenAI, len(c.Messages)))
	for _, want := range []string{
		`"content":null`, `"content":"","tool_calls"`, `{"role":"assistant","tool_calls"`, `"image_url"`, "ż", "漢", "👩‍💻",
		"{\n \"role\"", `\\ and`, "<b>&amp;",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in the conversation", want)
		}
	}
	if len(c.Facts) != 24 {
		t.Fatalf("got %d facts, want 24", len(c.Facts))
	}
	stale := 0
	for _, f := range c.Facts {
		if !strings.Contains(c.Messages[f.Message].Text, f.Text) {
			t.Errorf("fact %s is not in message %d", f.Kind, f.Message)
		}
		if f.Stale {
			stale++
		}
	}
	if stale != 1 {
		t.Errorf("got %d stale facts, want 1", stale)
	}
}

func TestConversationFork(t *testing.T) {
	c := fakellm.NewConversation(shapes[1])
	at := c.TurnStarts()[6]
	fork := c.Fork(at, 99)
	a, b := c.Body(fakellm.OpenAI, at), fork.Body(fakellm.OpenAI, at)
	if !bytes.Equal(a, b) {
		t.Error("a fork does not share what is before it")
	}
	if bytes.Equal(c.Body(fakellm.OpenAI, at+1), fork.Body(fakellm.OpenAI, at+1)) {
		t.Error("a fork does not differ behind it")
	}
	if got := len(fork.TurnStarts()); got != 12 || len(fork.Facts) != 24 {
		t.Errorf("got %d turns and %d facts, want 12 and 24", got, len(fork.Facts))
	}
	if err := fakellm.Check(fakellm.OpenAI, fork.Body(fakellm.OpenAI, len(fork.Messages)-1)); err != nil {
		t.Error(err)
	}
}

// A14, B4: the two formats write the same calls in their own ways.
func TestConversationCalls(t *testing.T) {
	c := fakellm.NewConversation(fakellm.ConversationOptions{Seed: 5, Rounds: 3})
	var openai struct {
		Messages []struct {
			ToolCalls []struct{ Function struct{ Arguments string } } `json:"tool_calls"`
		}
	}
	var ollama struct {
		Messages []struct {
			ToolCalls []struct {
				Function struct{ Arguments map[string]any }
			} `json:"tool_calls"`
		}
	}
	if err := json.Unmarshal(c.Body(fakellm.OpenAI, len(c.Messages)), &openai); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(c.Body(fakellm.Ollama, len(c.Messages)), &ollama); err != nil {
		t.Fatal(err)
	}
}

// W10: each point of each recorded run passes in both formats.
func TestTraces(t *testing.T) {
	traces, err := fakellm.Traces("../../../shared/traces")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("no recorded runs here")
	}
	if err != nil || len(traces) != 8 {
		t.Fatalf("got %d traces, %v", len(traces), err)
	}
	for _, trace := range traces {
		points := trace.Points()
		for i, at := range points {
			if i%40 != 0 && i != len(points)-1 {
				continue // judging each of them takes seconds
			}
			for _, dialect := range []string{fakellm.OpenAI, fakellm.Ollama} {
				if err := fakellm.Check(dialect, trace.Body(dialect, at)); err != nil {
					t.Errorf("%s at %d: %v", trace.Name, at, err)
				}
			}
		}
	}
}

func TestTracesMissing(t *testing.T) {
	if _, err := fakellm.Traces("no-such-folder"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want ErrNotExist", err)
	}
}
