package fakellm_test

import (
	"errors"
	"strings"
	"testing"

	"recap/internal/fakellm"
)

// Short forms of messages, in OpenAI's format.
const (
	sys   = `{"role":"system","content":"s"}`
	usr   = `{"role":"user","content":"u"}`
	asst  = `{"role":"assistant","content":"a"}`
	callA = `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	callB = `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]}`
	resA  = `{"role":"tool","tool_call_id":"a","content":"r"}`
	resB  = `{"role":"tool","tool_call_id":"b","content":"r"}`
	oldC  = `{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}`
	oldR  = `{"role":"function","name":"f","content":"r"}`
	ocall = `{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{}}}]}`
	ocal2 = `{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{}}},{"function":{"name":"g","arguments":{}}}]}`
	ores  = `{"role":"tool","content":"r"}`
)

func chatBody(messages ...string) []byte {
	return []byte(`{"model":"m","messages":[` + strings.Join(messages, ",") + `]}`)
}

// checkRule looks that a body breaks a rule first, and that this rule can be switched off; 0 = it breaks none.
func checkRule(t *testing.T, dialect string, want fakellm.Rule, messages []string) {
	t.Helper()
	body := chatBody(messages...)
	var refusal *fakellm.Refusal
	var got fakellm.Rule
	err := fakellm.Check(dialect, body)
	if errors.As(err, &refusal) {
		got = refusal.Rule
	}
	if got != want {
		t.Errorf("%s %v: got rule %q (%v), want %q", dialect, messages, got, err, want)
	}
	err = fakellm.CheckRules(dialect, body, fakellm.AllRules&^want)
	if want != 0 && errors.As(err, &refusal) && refusal.Rule == want {
		t.Errorf("%s %v: rule %q cannot be switched off", dialect, messages, want)
	}
	if err := fakellm.CheckRules(dialect, body, want); want != 0 && err == nil {
		t.Errorf("%s %v: rule %q does not find it alone", dialect, messages, want)
	}
}

// Each rule has cases that trip it, that one first, and a case beside them that passes.
func TestCheckRules(t *testing.T) {
	f := func(dialect string, want fakellm.Rule, messages ...string) {
		t.Helper()
		checkRule(t, dialect, want, messages)
	}
	const o = fakellm.OpenAI

	f(o, 0, usr)
	f(o, 0, sys, usr, asst, usr)
	f(o, 0, usr, callA, resA)
	f(o, 0, usr, callB, resB, resA, asst, usr)
	f(o, 0, usr, callA, resA, callA, resA) // ids may come again in another round
	f(o, 0, usr, oldC, oldR, asst, usr)    // A14: function_call and role function are a pair
	f(o, 0, `{"role":"developer","content":"d"}`, `{"role":"user","content":[{"type":"text","text":"u"}]}`)

	f(o, fakellm.RuleShape, `{"role":"user","content":7}`)
	f(o, fakellm.RuleShape, `{"role":"robot","content":"x"}`)
	f(o, fakellm.RuleShape, usr, strings.Replace(callA, `"{}"`, `{}`, 1), resA) // B4
	f(o, fakellm.RuleShape)
	f(o, fakellm.RuleOrphan, usr, resA)
	f(o, fakellm.RuleOrphan, resA, usr) // A1
	f(o, fakellm.RuleOrphan, usr, callA, resA, resB)
	f(o, fakellm.RuleOrphan, usr, callA, resA, asst, usr, resA)
	f(o, fakellm.RuleOrphan, usr, callB, resA, usr, resB) // A2: the round was closed before
	f(o, fakellm.RuleOrphan, usr, oldC, strings.Replace(oldR, `"f"`, `"g"`, 1))
	f(o, fakellm.RuleDoubled, usr, callA, resA, resA)
	f(o, fakellm.RuleUnanswered, usr, callB, resA, asst, usr)
	f(o, fakellm.RuleUnanswered, usr, callA, usr)
	f(o, fakellm.RuleUnanswered, usr, oldC, usr)
	f(o, fakellm.RuleAlternate, usr, callA, resA, usr) // A5: the template does not see tool messages
	f(o, fakellm.RuleAlternate, usr, asst, asst, usr)
	f(o, fakellm.RuleAlternate, asst, usr)
	f(o, fakellm.RuleOneSystem, sys, sys, usr) // A8
	f(o, fakellm.RuleOneSystem, sys, usr, asst, sys, usr)
	f(o, fakellm.RuleHasUser, sys)
	f(o, fakellm.RuleCallFollows, usr, asst, callA, resA) // A7
	f(o, fakellm.RuleLast, usr, asst)                     // A4
}

func TestCheckRulesOllama(t *testing.T) {
	f := func(dialect string, want fakellm.Rule, messages ...string) {
		t.Helper()
		checkRule(t, dialect, want, messages)
	}
	const l = fakellm.Ollama
	f(l, 0, usr)
	f(l, 0) // no messages: the model is loaded
	f(l, 0, sys, usr, ocall, ores)
	f(l, 0, usr, ocal2, ores, ores, asst, usr)
	f(l, 0, usr, ocal2, `{"role":"tool","tool_name":"g","content":"r"}`, `{"role":"tool","tool_name":"f","content":"r"}`)
	f(l, fakellm.RuleShape, `{"role":"user","content":[{"type":"text","text":"u"}]}`)
	f(l, fakellm.RuleShape, usr, callA, ores)
	f(l, fakellm.RuleShape, `{"role":"developer","content":"d"}`, usr)
	f(l, fakellm.RuleOrphan, usr, ores)
	f(l, fakellm.RuleOrphan, usr, ocall, `{"role":"tool","tool_name":"g","content":"r"}`)
	f(l, fakellm.RuleDoubled, usr, ocall, ores, ores)
	f(l, fakellm.RuleUnanswered, usr, ocal2, ores, asst, usr)
}

// RuleUserFirst alone: where the first message is a call, RuleCallFollows speaks first, so it is switched off.
func TestCheckUserFirst(t *testing.T) {
	f := func(want bool, messages ...string) {
		t.Helper()
		err := fakellm.CheckRules(fakellm.OpenAI, chatBody(messages...), fakellm.RuleUserFirst)
		if (err != nil) != want {
			t.Errorf("%v: got %v, want an error: %v", messages, err, want)
		}
	}
	f(true, sys, callA, resA, usr)
	f(true, asst, usr)
	f(false, sys, usr, callA, resA)
}

func TestCheckStatus(t *testing.T) {
	f := func(want int, messages ...string) {
		t.Helper()
		var refusal *fakellm.Refusal
		if !errors.As(fakellm.Check(fakellm.OpenAI, chatBody(messages...)), &refusal) || refusal.Status != want {
			t.Errorf("%v: got %+v, want status %d", messages, refusal, want)
		}
	}
	f(500, usr, usr)
	f(400, usr, resA)
}

func TestCheckBrokenBodies(t *testing.T) {
	for _, body := range []string{``, `{`, `[]`, `"x"`, `{"messages":7}`, `{"messages":[7]}`, `{"messages":{}}`, `{}`} {
		if err := fakellm.Check(fakellm.OpenAI, []byte(body)); err == nil {
			t.Errorf("%s: got no error", body)
		}
	}
}

// No error of a check repeats what a message says.
func TestP10CheckErrorsHoldNoText(t *testing.T) {
	secret := `{"role":"user","content":"SECRET"}`
	for _, messages := range [][]string{{secret, secret}, {secret, resA}, {sys, secret, sys}} {
		err := fakellm.Check(fakellm.OpenAI, chatBody(messages...))
		if err == nil || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("got error %v", err)
		}
	}
}
