// Package chattest writes chats for tests in the notation of the fault reports: "S,U,A(c1,c2),T(c1),T(c2:4000),A,U".
// S, U, A and T are system, user, assistant and tool messages; in brackets stand the ids of calls and results; a
// number behind a colon is the length of the text in characters.
package chattest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Message is one message in OpenAI's format, as encoding/json writes it.
type Message map[string]any

// OpenAI returns the messages that notation names. Each text says which message it stands in, so that none is like
// another.
func OpenAI(notation string) []Message {
	var messages []Message
	for i, word := range words(notation) {
		messages = append(messages, openAI(i, word))
	}
	return messages
}

// OpenAIBody returns a whole request body.
func OpenAIBody(notation string) string { return Body(OpenAI(notation)) }

// Body puts messages into a request body.
func Body(messages []Message) string {
	body, err := json.Marshal(map[string]any{"model": "m", "messages": messages})
	if err != nil {
		panic("BUG: chattest: " + err.Error())
	}
	return string(body)
}

// OllamaBody returns the same chat in Ollama's format.
func OllamaBody(notation string) string {
	messages := OpenAI(notation)
	for _, m := range messages {
		calls, _ := m["tool_calls"].([]any)
		for _, c := range calls {
			call := c.(map[string]any)
			delete(call, "type")
			f := call["function"].(map[string]any)
			f["arguments"] = json.RawMessage(f["arguments"].(string))
		}
		if m["content"] == nil {
			m["content"] = ""
		}
	}
	return Body(messages)
}

// words splits at the commas that stand outside brackets.
func words(notation string) []string {
	var list []string
	depth, start := 0, 0
	for i, r := range notation {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				list = append(list, strings.TrimSpace(notation[start:i]))
				start = i + 1
			}
		}
	}
	return append(list, strings.TrimSpace(notation[start:]))
}

func openAI(i int, word string) Message {
	kind, size := word[:1], 0
	inside := ""
	if open := strings.IndexByte(word, '('); open >= 0 {
		inside = strings.TrimSuffix(word[open+1:], ")")
	} else if _, n, ok := strings.Cut(word, ":"); ok {
		size, _ = strconv.Atoi(n)
	}
	switch kind {
	case "S":
		return Message{"role": "system", "content": text(i, word, size)}
	case "U":
		return Message{"role": "user", "content": text(i, word, size)}
	case "T":
		id, n, _ := strings.Cut(inside, ":")
		size, _ = strconv.Atoi(n)
		return Message{"role": "tool", "tool_call_id": id, "content": text(i, word, size)}
	}
	if inside == "" {
		return Message{"role": "assistant", "content": text(i, word, size)}
	}
	return Message{"role": "assistant", "content": nil, "tool_calls": calls(i, inside)}
}

func calls(i int, inside string) []any {
	var list []any
	for id := range strings.SplitSeq(inside, ",") {
		list = append(list, map[string]any{"id": strings.TrimSpace(id), "type": "function", "function": map[string]any{
			"name": "read_file", "arguments": fmt.Sprintf(`{"path":"src/file_%d.go"}`, i),
		}})
	}
	return list
}

// text is at least its own label, and size characters long where that is more.
func text(i int, word string, size int) string {
	s := fmt.Sprintf("message %d (%s)", i, word[:1])
	if len(s) >= size {
		return s
	}
	var b strings.Builder
	b.WriteString(s)
	for n := 0; b.Len() < size; n++ {
		fmt.Fprintf(&b, " word%d of message %d,", n, i)
	}
	return b.String()[:size]
}
