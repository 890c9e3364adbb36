package fakellm

import (
	"net/http"
	"time"
)

// Options is the script of a Server. The zero Options is a strict server with an unlimited window that answers each
// chat with one deterministic sentence.
type Options struct {
	// Window is the context window in tokens; 0 = unlimited. Over it, OpenAI's side answers an error in the manner
	// of Overflow; Ollama's side (options.num_ctx wins over Window there) drops the oldest messages and says nothing,
	// unless the request has "truncate": false: then it answers 400.
	Window int
	// Overflow is whose error is answered: "llamacpp" (default), "openai", "vllm"; "ollama" cuts silently on
	// OpenAI's side too, as Ollama's own /v1 does.
	Overflow string
	// Count measures text in tokens. Default: characters divided by 3.6, rounded up.
	Count func(text string) int
	// Reply scripts the answer to a chat. Default: a sentence that depends on the number of messages.
	Reply func(r *Recorded) Reply
	// Summary scripts the answer to a summary call. Default: a short fixed summary.
	Summary func(prompt string) Reply
	// IsSummary recognises a summary call. Default: the only message that is not a system one is the user's and
	// holds one of Markers. Calls to the utility endpoint always are.
	IsSummary func(r *Recorded) bool
	// Markers is what the default IsSummary looks for, without regard to case. Default: "conversation record".
	Markers []string
	// Fault scripts what goes wrong; asked for every request, also those that are no chats. Nil = nothing. A fault queued
	// by NextFault or NextSummaryFault comes first.
	Fault func(r *Recorded) *Fault
	// Latency is waited before each model answer.
	Latency time.Duration
	// Lenient refuses nothing.
	Lenient bool
	// Rules is what is refused; 0 = AllRules. To switch one off: AllRules &^ RuleOneSystem.
	Rules Rule
	// Models is what the lists of models name. Default: "fake-model".
	Models []string
	// TrainedWindow is what /api/show reports as the model's maximum. Default 131072.
	TrainedWindow int
	// ModelfileNumCtx, when positive, is num_ctx in the parameters that /api/show reports.
	ModelfileNumCtx int
	// Slots is the number of prompt caches, as in llama.cpp. Default 1: each prompt evicts the one before.
	Slots int
	// TokensField, when set, is the only name under which a limit of the answer is taken: "max_tokens" or
	// "max_completion_tokens"; the other one is answered by OpenAI's 400.
	TokensField string
	// NoUsage leaves token counts out of all answers.
	NoUsage bool
	// Hide answers 404 to these paths: "/props", "/api/ps" …
	Hide []string
	// Handle answers these paths instead of the server; the requests are recorded first.
	Handle map[string]http.HandlerFunc
}

// Reply is one scripted answer.
type Reply struct {
	Text      string
	Reasoning string
	Calls     []ToolCall
	Finish    string        // default "tool_calls" (OpenAI) or "stop"
	Delay     time.Duration // before the first byte
	Gap       time.Duration // between events
	Chunk     int           // characters per event; default 16
}

// ToolCall is a call that a scripted model makes.
type ToolCall struct {
	ID   string // default: call_1, call_2 …
	Name string
	Args string // a JSON object
}

func (o Options) withDefaults() Options {
	if o.Count == nil {
		o.Count = CountRunes
	}
	if o.Reply == nil {
		o.Reply = defaultReply
	}
	if o.Summary == nil {
		o.Summary = defaultSummary
	}
	if o.Rules == 0 {
		o.Rules = AllRules
	}
	if o.Lenient {
		o.Rules = NoRules
	}
	if len(o.Markers) == 0 {
		o.Markers = []string{"conversation record"}
	}
	if len(o.Models) == 0 {
		o.Models = []string{"fake-model"}
	}
	if o.TrainedWindow == 0 {
		o.TrainedWindow = 131072
	}
	o.Slots = max(o.Slots, 1)
	return o
}
