package fakellm

// pairProblem is what pairing results with calls found wrong.
type pairProblem struct {
	rule    Rule
	message int
	problem string
}

// pairingOf returns the finder of one pairing rule.
func pairingOf(rule Rule) func(b *body) (int, string) {
	return func(b *body) (int, string) {
		for _, p := range pairProblems(b) {
			if p.rule == rule {
				return p.message, p.problem
			}
		}
		return 0, ""
	}
}

// openRound is a calling assistant message whose results are being read.
type openRound struct {
	at       int
	calls    []call
	answered []bool
}

// pairProblems walks the rounds. A round is closed by the first message that is not a tool result.
func pairProblems(b *body) (problems []pairProblem) {
	var open openRound
	for i := range b.messages {
		m := &b.messages[i]
		if m.result() {
			if p := open.answer(b.dialect, m); p.rule != 0 {
				p.message = i
				problems = append(problems, p)
			}
			continue
		}
		problems = append(problems, open.close()...)
		open = openRound{at: i, calls: m.calls, answered: make([]bool, len(m.calls))}
	}
	return append(problems, open.close()...)
}

// answer marks the call that m answers: by id, else by the tool's name, else by position.
func (r *openRound) answer(dialect string, m *message) pairProblem {
	seen := false
	for i, c := range r.calls {
		if !matches(dialect, c, m) {
			continue
		}
		if seen = true; !r.answered[i] {
			r.answered[i] = true
			return pairProblem{}
		}
	}
	if seen {
		return pairProblem{rule: RuleDoubled, problem: "a call has more than one result"}
	}
	return pairProblem{rule: RuleOrphan, problem: "a tool result must follow the message that makes its call"}
}

func matches(dialect string, c call, m *message) bool {
	switch {
	case c.legacy || m.role == "function":
		return c.legacy && m.role == "function" && c.name == m.name
	case dialect == OpenAI:
		return c.id != "" && c.id == m.id
	case c.id != "" && m.id != "":
		return c.id == m.id
	}
	return m.name == "" || m.name == c.name
}

func (r *openRound) close() []pairProblem {
	for _, done := range r.answered {
		if !done {
			return []pairProblem{{rule: RuleUnanswered, message: r.at, problem: "a call has no result"}}
		}
	}
	return nil
}
