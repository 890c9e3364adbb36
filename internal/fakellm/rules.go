package fakellm

import (
	"fmt"
	"strings"
)

// Rule is one thing that a strict backend refuses; a value may hold several.
type Rule uint16

// The rules, in the order in which they are looked at.
const (
	// RuleShape: valid JSON with a list of messages of known roles; OpenAI: arguments a string; Ollama: content a
	// string, arguments an object (400).
	RuleShape Rule = 1 << iota
	// RuleOrphan: a tool message answers a call of the calling assistant right before its run (OpenAI, 400).
	RuleOrphan
	// RuleDoubled: no call of a round is answered twice (400).
	RuleDoubled
	// RuleUnanswered: each call is answered before anything else comes (OpenAI, 400).
	RuleUnanswered
	// RuleAlternate: without tool messages and calling assistants, roles alternate from user (Mistral, 500).
	RuleAlternate
	// RuleOneSystem: at most one system or developer message, only first (Qwen, 400).
	RuleOneSystem
	// RuleHasUser: at least one user message (Qwen, 400).
	RuleHasUser
	// RuleCallFollows: a calling assistant follows a user message or a tool result (Gemini, 400).
	RuleCallFollows
	// RuleUserFirst: the first message that is not a system one is the user's (Gemini, 400).
	RuleUserFirst
	// RuleLast: the last message is the user's or a tool result (400).
	RuleLast

	// AllRules is every rule.
	AllRules = RuleLast<<1 - 1
	// NoRules refuses nothing; Options.Rules takes 0 for AllRules, so switching all off has a name of its own.
	NoRules Rule = 1 << 15
)

// ruleTable is what is looked at, in order. find returns the index of the first offending message and what is
// wrong with it; "" means nothing is.
var ruleTable = []struct {
	rule   Rule
	name   string
	status int
	find   func(b *body) (int, string)
}{
	{RuleShape, "shape", 400, findShape},
	{RuleOrphan, "orphan result", 400, pairingOf(RuleOrphan)},
	{RuleDoubled, "doubled result", 400, pairingOf(RuleDoubled)},
	{RuleUnanswered, "unanswered call", 400, pairingOf(RuleUnanswered)},
	{RuleAlternate, "alternation", 500, findAlternate},
	{RuleOneSystem, "system first", 400, findOneSystem},
	{RuleHasUser, "no user", 400, findHasUser},
	{RuleCallFollows, "call follows", 400, findCallFollows},
	{RuleUserFirst, "user first", 400, findUserFirst},
	{RuleLast, "last message", 400, findLast},
}

// String names the rules in r.
func (r Rule) String() string {
	var names []string
	for _, row := range ruleTable {
		if r&row.rule != 0 {
			names = append(names, row.name)
		}
	}
	return strings.Join(names, ", ")
}

// Refusal says which rule a body broke. It holds no text of any message.
type Refusal struct {
	Rule    Rule
	Status  int // HTTP status that the backend would answer
	Message int // index in messages
	Problem string
}

// Error implements error.
func (r *Refusal) Error() string {
	return fmt.Sprintf("check chat: %s: message %d: %s", r.Rule, r.Message, r.Problem)
}

// Check judges a chat request by all rules. The error is a *Refusal. Bodies with no messages in Ollama's format
// only load a model and pass.
func Check(dialect string, body []byte) error { return CheckRules(dialect, body, AllRules) }

// CheckRules judges a chat request by some rules.
func CheckRules(dialect string, body []byte, rules Rule) error {
	b, err := parseBody(dialect, body)
	if err != nil {
		if rules&RuleShape == 0 {
			return nil
		}
		return &Refusal{Rule: RuleShape, Status: 400, Problem: err.Error()}
	}
	if refusal := b.check(rules); refusal != nil {
		return refusal
	}
	return nil
}

func (b *body) check(rules Rule) *Refusal {
	if b.dialect == Ollama && len(b.messages) == 0 {
		return nil
	}
	for _, row := range ruleTable {
		if rules&row.rule == 0 {
			continue
		}
		if at, problem := row.find(b); problem != "" {
			return &Refusal{Rule: row.rule, Status: row.status, Message: at, Problem: problem}
		}
	}
	return nil
}

func findAlternate(b *body) (int, string) {
	want := "user"
	for i := range b.messages {
		m := &b.messages[i]
		if m.system() || m.result() || len(m.calls) > 0 {
			continue
		}
		if m.role != want {
			return i, "conversation roles must alternate user/assistant, want " + want + ", got " + m.role
		}
		if want = "assistant"; m.role == "assistant" {
			want = "user"
		}
	}
	return 0, ""
}

func findOneSystem(b *body) (int, string) {
	for i := range b.messages {
		if i > 0 && b.messages[i].system() {
			return i, "system message must be at the beginning"
		}
	}
	return 0, ""
}

func findHasUser(b *body) (int, string) {
	for i := range b.messages {
		if b.messages[i].role == "user" {
			return 0, ""
		}
	}
	return 0, "no user query found in messages"
}

func findCallFollows(b *body) (int, string) {
	previous := ""
	for i := range b.messages {
		m := &b.messages[i]
		if m.system() {
			continue
		}
		if len(m.calls) > 0 && previous != "user" && previous != "result" {
			return i, "a calling message must follow a user message or a tool result"
		}
		if previous = m.role; m.result() {
			previous = "result"
		}
	}
	return 0, ""
}

func findUserFirst(b *body) (int, string) {
	for i := range b.messages {
		if m := &b.messages[i]; !m.system() {
			if m.role != "user" {
				return i, "the first message must be the user's, got " + m.role
			}
			return 0, ""
		}
	}
	return 0, ""
}

func findLast(b *body) (int, string) {
	last := len(b.messages) - 1
	if last < 0 {
		return 0, "no messages"
	}
	if m := &b.messages[last]; m.role != "user" && !m.result() {
		return last, "the last message must be the user's or a tool result, got " + m.role
	}
	return 0, ""
}
