package fakellm

import "strconv"

// findShape looks at the types that the format's own decoder wants.
func findShape(b *body) (int, string) {
	if len(b.messages) == 0 {
		return 0, "messages must not be empty"
	}
	for i := range b.messages {
		m := &b.messages[i]
		problem := m.roleProblem(b.dialect)
		if problem == "" && b.dialect == Ollama {
			problem = m.ollamaProblem()
		} else if problem == "" {
			problem = m.openaiProblem()
		}
		if problem != "" {
			return i, problem
		}
	}
	return 0, ""
}

func (m *message) roleProblem(dialect string) string {
	switch m.role {
	case "system", "user", "assistant", "tool":
		return ""
	case "developer", "function":
		if dialect == OpenAI {
			return ""
		}
	}
	return "unknown role " + strconv.Quote(m.role)
}

func (m *message) openaiProblem() string {
	if v := m.content.value; !isNull(v) && !isString(v) && !isArray(v) {
		return "content must be a string or a list of parts"
	}
	for _, c := range m.calls {
		if !isString(c.args) {
			return "arguments of a call must be a string"
		}
	}
	return ""
}

// ollamaProblem is what Go's decoder says on Ollama's side: null is as good as absent.
func (m *message) ollamaProblem() string {
	if v := m.content.value; !isNull(v) && !isString(v) {
		return "content must be a string"
	}
	for _, c := range m.calls {
		if !isNull(c.args) && !isObject(c.args) {
			return "arguments of a call must be an object"
		}
	}
	return ""
}
