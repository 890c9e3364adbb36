package summarizer

import (
	"strings"

	"recap/tokens"
)

// The reasons for which a job fails or an answer is refused, as they stand in notices and metrics. An answer that is
// not one has its dialect's word too, and a status that is not 2xx "http-500" and the like.
const (
	ReasonEmpty     = "empty"
	ReasonOversized = "oversized"
	ReasonNoGain    = "no-gain"    // not smaller than what it stands for
	ReasonEcho      = "echo"       // our own prompt came back
	ReasonErrorText = "error-text" // an error or a refusal in place of a summary
	ReasonToolCall  = "tool-call"
	ReasonTruncated = "truncated" // cut by its limit
	ReasonShape     = "shape"     // not what the format promises
	ReasonTimeout   = "timeout"
	ReasonNetwork   = "network"
	ReasonCancelled = "cancelled"
	ReasonProvider  = "provider" // no such provider or format
	ReasonInput     = "input"    // too much to read, or no room to read it in
	ReasonOverflow  = "overflow" // the summariser's window is smaller than all we tried
	ReasonStore     = "store"
	ReasonPanic     = "panic"
	ReasonReplaced  = "replaced"   // a deeper job of the same line took its place
	ReasonNotNeeded = "not-needed" // what it wanted was there when its turn came
)

// draft is an answer to be judged.
type draft struct {
	text     string // cleaned
	limit    int    // tokens
	replaces int    // tokens of what it stands for; 0 = not known, or not to be asked yet
	beside   int    // tokens of the ledger that comes with it
}

// gate is one rule of acceptance. It returns "" or the reason to refuse.
type gate func(d *draft) string

// gates are asked in order; the first that refuses decides. To add a rule of quality, add it here.
var gates = []gate{emptyGate, toolCallGate, errorGate, echoGate, sizeGate, gainGate}

// judge returns why a draft is refused, "" when it is accepted.
func judge(d *draft) string {
	for _, g := range gates {
		if reason := g(d); reason != "" {
			return reason
		}
	}
	return ""
}

func emptyGate(d *draft) string {
	if strings.Trim(d.text, " \t\r\n.…-*#_`\"'") == "" {
		return ReasonEmpty
	}
	return ""
}

// toolCallGate knows calls that a model wrote as text.
func toolCallGate(d *draft) string {
	for _, start := range []string{"<tool_call>", "<function_call>", "<function=", "[TOOL_CALLS]"} {
		if strings.HasPrefix(d.text, start) {
			return ReasonToolCall
		}
	}
	if strings.HasPrefix(d.text, "{") && strings.Contains(d.text, `"name"`) &&
		(strings.Contains(d.text, `"arguments"`) || strings.Contains(d.text, `"parameters"`)) {
		return ReasonToolCall
	}
	return ""
}

// errorStarts are how errors and refusals begin that came as text, in small letters (A18). Only short texts are
// looked at: a summary may well tell of an error.
var errorStarts = []string{
	`{"error`, `{"detail`, "<!doctype", "<html", "error:", "error code:", "internal server error", "bad gateway",
	"500 internal", "502 bad", "503 service", "429 too many", "service unavailable", "gateway timeout", "rate limit", "too many requests",
	"context size has been exceeded", "context length exceeded", "this model's maximum context length",
	"an error occurred", "upstream error", "model not found", "summary unavailable", "no summary available",
	"failed to generate", "failed to summarize", "unable to summarize", "unable to generate", "request timed out",
	"i'm sorry, but i can", "i’m sorry, but i can", "i'm sorry, i can", "i am sorry, but i can", "i cannot assist",
	"i can't assist", "i can’t assist", "i cannot help with", "i can't help with", "as an ai language model, i can",
}

const maxErrorText = 400 // bytes

func errorGate(d *draft) string {
	if len(d.text) > maxErrorText {
		return ""
	}
	small := strings.ToLower(strings.TrimLeft(d.text, " *_#[(\"'"))
	for _, start := range errorStarts {
		if strings.HasPrefix(small, start) {
			return ReasonErrorText
		}
	}
	return ""
}

// echoGate knows our own prompt.
func echoGate(d *draft) string {
	for _, notice := range []string{dataNotice, closingNotice, "<" + recordTag + ">", "</" + recordTag + ">"} {
		if strings.Contains(d.text, notice) {
			return ReasonEcho
		}
	}
	return ""
}

func sizeGate(d *draft) string {
	if tokens.Estimate(d.text) > d.limit {
		return ReasonOversized
	}
	return ""
}

func gainGate(d *draft) string {
	if d.replaces > 0 && tokens.Estimate(d.text)+d.beside >= d.replaces {
		return ReasonNoGain
	}
	return ""
}
