package dialect

import (
	"strings"

	"recap/chat"
)

// openAI is POST …/chat/completions, as OpenAI, Azure, llama.cpp, vLLM, LM Studio, OpenRouter and Ollama's /v1 speak it.
type openAI struct{}

func (openAI) Name() string { return "openai" }

func (openAI) Match(method, path string) bool {
	return method == "POST" && strings.HasSuffix(path, "/chat/completions")
}
func (openAI) Decode(body string, facts *Facts) (*chat.Chat, error) { return nil, &Odd{"wrong-type"} }
func (openAI) Apply(dst []byte, c *chat.Chat, p *chat.Plan) ([]byte, error) {
	return append(dst, c.Body...), nil
}
func (openAI) Error(status int, code, message string) []byte { return nil }
func (openAI) Tap(contentType string) Tap                    { return nil }
func (openAI) Ask(q Question) (Request, error)               { return Request{}, nil }
func (openAI) Answer(status int, body []byte) (Reply, error) { return Reply{}, nil }
