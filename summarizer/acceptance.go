package summarizer

import (
	"strings"

	"recap/tokens"
)

// The reasons for which a job fails or an answer is refused, as they stand in notices and metrics. An answer that is
// not one has its dialect's word too, and a status that is not 2xx "http-500" and the like.
const (
	ReasonEmpty       = "empty"
	ReasonOversized   = "oversized"
	ReasonNoGain      = "no-gain"    // not smaller than what it stands for
	ReasonEcho        = "echo"       // our own prompt came back
	ReasonErrorText   = "error-text" // an error or a refusal in place of a summary
	ReasonToolCall    = "tool-call"
	ReasonInjected    = "injected"    // nothing but instructions that somebody planted
	ReasonUnsupported = "unsupported" // mostly identifiers and numbers that nobody said
	ReasonTruncated   = "truncated"   // cut by its limit
	ReasonShape       = "shape"       // not what the format promises
	ReasonTimeout     = "timeout"
	ReasonNetwork     = "network"
	ReasonCancelled   = "cancelled"
	ReasonProvider    = "provider" // no such provider or format
	ReasonInput       = "input"    // too much to read, or no room to read it in
	ReasonOverflow    = "overflow" // the summariser's window is smaller than all we tried
	ReasonStore       = "store"
	ReasonPanic       = "panic"
	ReasonReplaced    = "replaced"   // a deeper job of the same line took its place
	ReasonNotNeeded   = "not-needed" // what it wanted was there when its turn came
)

// The gates that find something in answers that are taken all the same.
const (
	ReasonSections = "sections" // headings of the checkpoint style are missing
	ReasonLanguage = "language" // not the conversation's
	ReasonLost     = "lost"     // identifiers and numbers of the summary before
	Struck         = "struck"   // something was struck from the text
	FellBack       = "suffix"   // suffix mode was refused or not followed: written from a transcript
)

// draft is an answer to be judged, and what it is judged by.
type draft struct {
	text     string // cleaned; gates may strike from it
	limit    int    // tokens
	replaces int    // tokens of what it stands for; 0 = not known, or not to be asked yet
	beside   int    // tokens of the ledger that comes with it

	headed   bool     // the built-in headings were asked for
	source   *support // what the summary may speak of; nil = not looked at
	spoken   spoken   // languages of the conversation
	previous string   // the summary that this one replaces
	fresh    string   // what has been said since

	again string // what a gate wants to be asked for in another call
}

// remedy is what is done where a gate finds something.
type remedy uint8

const (
	refuse remedy = iota // the answer changes nothing
	retry                // one more call says what was wrong; then the answer is taken as it is
	insist               // one more call says what was wrong; then it is refused
)

// gate is one rule of acceptance. look returns whether there is something to find; it may strike it from the draft
// instead, see strike.
type gate struct {
	reason string
	remedy remedy
	look   func(d *draft) bool
}

// gates are asked in order. To add a rule of quality, add its row.
var gates = []gate{
	{ReasonEmpty, refuse, emptyGate},
	{ReasonToolCall, refuse, toolCallGate},
	{ReasonErrorText, refuse, errorGate},
	{ReasonEcho, refuse, echoGate},
	{ReasonInjected, refuse, injectedGate},
	{ReasonUnsupported, insist, supportGate},
	{ReasonOversized, insist, sizeGate},
	{ReasonSections, retry, sectionsGate},
	{ReasonLanguage, retry, languageGate},
	{ReasonLost, retry, lostGate},
	{ReasonNoGain, refuse, gainGate},
}

// verdict is what the gates found.
type verdict struct {
	refused string // reason of the first gate that does not let the draft pass; "" = accepted
	insists bool   // another call may mend what it was refused for
	faults  uint16 // gates by their position that found something and let it pass
	again   string // what to ask for in another call
}

// judge asks all gates, until one refuses.
func judge(d *draft) (v verdict) {
	for i := range gates {
		g := &gates[i]
		d.again = ""
		if !g.look(d) {
			continue
		}
		v.again = strings.TrimSpace(v.again + " " + d.again)
		if g.remedy != retry {
			v.refused, v.insists = g.reason, g.remedy == insist
			return v
		}
		v.faults |= 1 << i
	}
	return v
}

// reasons names the gates in a set.
func reasons(faults uint16) (list []string) {
	for i := range gates {
		if faults&(1<<i) != 0 {
			list = append(list, gates[i].reason)
		}
	}
	return list
}

func emptyGate(d *draft) bool { return blank(d.text) }

func blank(text string) bool { return strings.Trim(text, " \t\r\n.…-*#_`\"'[]") == "" }

// toolCallGate knows calls that a model wrote as text.
func toolCallGate(d *draft) bool {
	for _, start := range []string{"<tool_call>", "<function_call>", "<function=", "[TOOL_CALLS]"} {
		if strings.HasPrefix(d.text, start) {
			return true
		}
	}
	return strings.HasPrefix(d.text, "{") && strings.Contains(d.text, `"name"`) &&
		(strings.Contains(d.text, `"arguments"`) || strings.Contains(d.text, `"parameters"`))
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

func errorGate(d *draft) bool {
	if len(d.text) > maxErrorText {
		return false
	}
	small := strings.ToLower(strings.TrimLeft(d.text, " *_#[(\"'"))
	for _, start := range errorStarts {
		if strings.HasPrefix(small, start) {
			return true
		}
	}
	return false
}

// echoGate knows our own prompt.
func echoGate(d *draft) bool {
	for _, notice := range []string{dataNotice, closingNotice, suffixNotice, "<" + recordTag + ">", "</" + recordTag + ">"} {
		if strings.Contains(d.text, notice) {
			return true
		}
	}
	return false
}

func sizeGate(d *draft) bool { return tokens.Estimate(d.text) > d.limit }

func gainGate(d *draft) bool {
	return d.replaces > 0 && tokens.Estimate(d.text)+d.beside >= d.replaces
}
