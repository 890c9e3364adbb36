package dialect

import (
	"strings"

	"recap/chat"
)

// ollama is POST …/api/chat.
type ollama struct{}

func (ollama) Name() string { return "ollama" }

func (ollama) Match(method, path string) bool {
	return method == "POST" && strings.HasSuffix(path, "/api/chat")
}
func (ollama) Decode(body string, facts *Facts) (*chat.Chat, error) { return nil, &Odd{"wrong-type"} }
func (ollama) Apply(dst []byte, c *chat.Chat, p *chat.Plan) ([]byte, error) {
	return append(dst, c.Body...), nil
}
func (ollama) Error(status int, code, message string) []byte { return nil }
func (ollama) Tap(contentType string) Tap                    { return nil }
func (ollama) Ask(q Question) (Request, error)               { return Request{}, nil }
func (ollama) Answer(status int, body []byte) (Reply, error) { return Reply{}, nil }
