package e2e

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"recap/internal/fakellm"
)

// TestSixtyTurnsOllama is the same chat in Ollama's own format, through its official Go client, against the scripted
// server's Ollama side: a real Ollama cannot be installed from a package registry. That server drops the oldest messages
// over its window and says nothing, as Ollama does: it must never have to.
func TestSixtyTurnsOllama(t *testing.T) {
	if testing.Short() || direct {
		t.Skip("builds and starts Recap")
	}
	model, err := fakellm.Start(fakellm.Options{Window: window, Models: []string{"gemma3:270m"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	c := newOllamaChatter(t, startRecap(t, model.URL(), settings{}).url)
	for n := range turns {
		if err := c.say(t.Context(), question(n)); err != nil {
			t.Fatal(err)
		}
	}
	checkOllama(t, model)
}

// ollamaChatter holds one conversation through Ollama's client.
type ollamaChatter struct {
	client   *api.Client
	messages []api.Message
	turns    int
}

func newOllamaChatter(t *testing.T, base string) *ollamaChatter {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	return &ollamaChatter{
		client:   api.NewClient(u, &http.Client{Timeout: time.Minute}),
		messages: []api.Message{{Role: "system", Content: "You are a brief assistant. Answer in one short sentence."}},
	}
}

// say sends the next user message, streaming every other turn.
func (c *ollamaChatter) say(ctx context.Context, text string) error {
	c.turns++
	c.messages = append(c.messages, api.Message{Role: "user", Content: text})
	stream := c.turns%2 == 0
	answer, parts, done := "", 0, false
	err := c.client.Chat(ctx, &api.ChatRequest{
		Model: "gemma3:270m", Messages: c.messages, Stream: &stream, Options: map[string]any{"num_predict": maxReply},
	}, func(r api.ChatResponse) error {
		answer, parts, done = answer+r.Message.Content, parts+1, r.Done
		return nil
	})
	switch {
	case err != nil:
		return fmt.Errorf("turn %d: %w", c.turns, err)
	case !done || answer == "" || (parts > 1) != stream:
		return fmt.Errorf("turn %d: %d parts, done %t, answer %q, streaming %t", c.turns, parts, done, answer, stream)
	}
	c.messages = append(c.messages, api.Message{Role: "assistant", Content: answer})
	return nil
}

// checkOllama: nothing was refused, nothing was cut, summaries were written, the cache was kept between swaps.
func checkOllama(t *testing.T, model *fakellm.Server) {
	t.Helper()
	chats, kept := model.Chats(), 0
	for i, r := range chats {
		if r.Status != http.StatusOK || r.Refused != "" || r.CutMessages > 0 {
			t.Errorf("request %d: status %d, refused %q, %d messages cut", i+1, r.Status, r.Refused, r.CutMessages)
		}
		if r.PromptTokens+maxReply > window {
			t.Errorf("request %d: %d tokens and the reply exceed the window", i+1, r.PromptTokens)
		}
		if r.PromptTokens > 0 && float64(r.CachedTokens) >= math.Floor(0.8*float64(r.PromptTokens)) {
			kept++
		}
	}
	summaries := model.Summaries()
	if len(chats) != turns || len(summaries) < 2 {
		t.Errorf("%d chats and %d summaries, want %d and at least 2", len(chats), len(summaries), turns)
	}
	t.Logf("%d chats, %d summary calls; %d requests had four fifths of their prompt cached", len(chats), len(summaries), kept)
}
