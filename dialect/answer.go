package dialect

import (
	"fmt"
	"strings"
)

// AnswerError says why an answer to Ask is not a summary. It never holds text of the answer.
type AnswerError struct {
	// Kind is "status" (not 2xx), "shape" (not what the format promises, HTML for instance), "length" (cut by
	// its limit), "unfinished" (ended by anything else than the model: a filter, an abort), "tool-call",
	// "error-in-200" or "empty".
	Kind   string
	Status int
	// Class is the answer's own machine word where it has one, such as "context_length_exceeded"; "" = none.
	Class string
	// TokensField tells that the server refused the member that limits the answer and wants the other one, see
	// Question.TokensField.
	TokensField bool
}

// Error implements error.
func (e *AnswerError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "read summary answer: %s, status %d", e.Kind, e.Status)
	if e.Class != "" {
		fmt.Fprintf(&b, " (%s)", e.Class)
	}
	if e.TokensField {
		b.WriteString(": the server wants the other tokens member")
	}
	return b.String()
}
