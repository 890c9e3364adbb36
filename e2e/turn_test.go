package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// maxReply is what the client lets the model answer, in tokens: the reply reserve of each request.
const maxReply = 40

// turn is what one exchange of the chat came to.
type turn struct {
	number     int
	stream     bool
	status     string // X-Recap-Status
	checkpoint string // key in X-Recap-Checkpoint, "" = none
	summary    string // X-Recap-Summary
	after      int64  // tokens that Recap says it sends, of X-Recap-Tokens
	window     int64  // and the window
	source     string // and where the window is known from
	prompt     int64  // usage.prompt_tokens as the engine counted it
	cached     int64  // timings.cache_n: tokens of the prompt that the engine still had
	answer     string
	took       time.Duration
}

// String is the turn's line in the test's log.
func (u turn) String() string {
	return fmt.Sprintf("turn %2d stream=%-5t %-12s %-8s checkpoint=%.8s announced=%4d prompt=%4d cached=%4d %5dms %.40q",
		u.number, u.stream, u.status, u.summary, u.checkpoint, u.after, u.prompt, u.cached, u.took.Milliseconds(), u.answer)
}

// chatter holds one conversation through the official client.
type chatter struct {
	client   openai.Client
	model    string
	messages []openai.ChatCompletionMessageParamUnion
	turns    int
}

func newChatter(base string) *chatter {
	return &chatter{
		model:  "gemma-3-270m",
		client: openai.NewClient(option.WithBaseURL(base+"/v1"), option.WithAPIKey("e2e"), option.WithMaxRetries(0)),
		messages: []openai.ChatCompletionMessageParamUnion{
			openai.SystemMessage("You are a brief assistant. Answer in one short sentence."),
		},
	}
}

// say sends the next user message, streaming every other turn, and keeps the answer in the history.
func (c *chatter) say(ctx context.Context, text string) (turn, error) {
	c.turns++
	c.messages = append(c.messages, openai.UserMessage(text))
	u := turn{number: c.turns, stream: c.turns%2 == 0}
	params := openai.ChatCompletionNewParams{
		Model: c.model, Messages: c.messages,
		MaxTokens: openai.Int(maxReply), Temperature: openai.Float(0),
	}
	began := time.Now()
	ask := c.plain
	if u.stream {
		ask = c.streamed
	}
	if err := ask(ctx, params, &u); err != nil {
		return u, fmt.Errorf("turn %d: %w", u.number, err)
	}
	u.took = time.Since(began)
	c.messages = append(c.messages, openai.AssistantMessage(u.answer))
	return u, nil
}

func (c *chatter) plain(ctx context.Context, params openai.ChatCompletionNewParams, u *turn) error {
	var resp *http.Response
	answer, err := c.client.Chat.Completions.New(ctx, params,
		option.WithHeader(turnHeader, strconv.Itoa(u.number)), option.WithResponseInto(&resp))
	if err != nil {
		return err
	}
	if len(answer.Choices) != 1 || answer.Choices[0].FinishReason == "" {
		return fmt.Errorf("no complete choice in %s", answer.RawJSON())
	}
	u.readHeader(resp.Header)
	u.answer, u.prompt = answer.Choices[0].Message.Content, answer.Usage.PromptTokens
	return u.readTimings(answer.JSON.ExtraFields["timings"].Raw())
}

func (c *chatter) streamed(ctx context.Context, params openai.ChatCompletionNewParams, u *turn) error {
	params.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
	var resp *http.Response
	stream := c.client.Chat.Completions.NewStreaming(ctx, params,
		option.WithHeader(turnHeader, strconv.Itoa(u.number)), option.WithResponseInto(&resp))
	defer stream.Close()
	var text strings.Builder
	finish, timings := "", ""
	for stream.Next() {
		chunk := stream.Current()
		for _, choice := range chunk.Choices {
			text.WriteString(choice.Delta.Content)
			finish += choice.FinishReason
		}
		if raw := chunk.JSON.ExtraFields["timings"].Raw(); raw != "" {
			timings = raw
		}
		u.prompt = max(u.prompt, chunk.Usage.PromptTokens)
	}
	if err := stream.Err(); err != nil {
		return err
	}
	if finish == "" {
		return fmt.Errorf("the stream ended without a finish reason after %q", text.String())
	}
	u.readHeader(resp.Header)
	u.answer = text.String()
	return u.readTimings(timings)
}

func (u *turn) readHeader(h http.Header) {
	status, _, _ := strings.Cut(h.Get("X-Recap-Status"), ";")
	key, _, _ := strings.Cut(h.Get("X-Recap-Checkpoint"), ";")
	u.status, u.checkpoint, u.summary = status, strings.Trim(key, `"`), h.Get("X-Recap-Summary")
	for part := range strings.SplitSeq(h.Get("X-Recap-Tokens"), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		number, _ := strconv.ParseInt(value, 10, 64)
		switch name {
		case "after":
			u.after = number
		case "window":
			u.window = number
		case "source":
			u.source = strings.Trim(value, `"`)
		}
	}
}

// off is how far the announced tokens are from what the engine counted, as a share of the latter.
func (u turn) off() float64 {
	return math.Abs(float64(u.after-u.prompt)) / float64(u.prompt)
}

func (u *turn) readTimings(raw string) error {
	var timings struct {
		Cached int64 `json:"cache_n"`
	}
	if err := json.Unmarshal([]byte(raw), &timings); err != nil {
		return fmt.Errorf("read timings %q: %w", raw, err)
	}
	u.cached = timings.Cached
	if u.prompt == 0 {
		return fmt.Errorf("the engine reported no usage")
	}
	return nil
}
