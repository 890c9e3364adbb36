package workload

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"regexp"
	"strings"
	"unicode/utf8"

	"recap/internal/fakellm"
)

// newLine renders what was said. The options say how: legacy calls, ids, white space.
func newLine(dialect string, o fakellm.ConversationOptions, said []fakellm.Said) *Line {
	o.Turns, o.NoSystem, o.Facts, o.Rounds = 1, true, 0, 0
	c := fakellm.NewConversation(o)
	c.System, c.Messages = "", said
	return lineOf(dialect, c.Body(dialect, len(said)))
}

// lineOf reads the messages of a rendered request. What comes in is ours, so a body that is none is a fault of the
// evaluation and ends it.
func lineOf(dialect string, body []byte) *Line {
	var request struct{ Messages []json.RawMessage }
	if err := json.Unmarshal(body, &request); err != nil {
		panic(fmt.Sprintf("workload: generated body cannot be read: %v", err))
	}
	l := &Line{offsets: []int{0}}
	var joined strings.Builder
	known := map[string]bool{}
	for _, raw := range request.Messages {
		m := read(raw)
		if m.Role == "system" {
			continue
		}
		text := fakellm.TextOf(dialect, []byte(`{"model":"m","messages":[`+string(raw)+`]}`))
		l.Raw = append(l.Raw, string(raw))
		l.Chars = append(l.Chars, utf8.RuneCount(raw))
		l.Text = append(l.Text, text)
		l.Roles = append(l.Roles, m.Role)
		l.IDs = append(l.IDs, identity(&m, text))
		l.Needs = append(l.Needs, needs(m.arguments(), known))
		for _, word := range Exact(unescaped(text)) {
			known[word] = true
		}
		joined.WriteString(string(raw) + ",")
		l.offsets = append(l.offsets, joined.Len())
	}
	l.joined = joined.String()
	return l
}

// message is what the evaluation reads of a message by itself.
type message struct {
	Role      string
	Content   json.RawMessage
	Images    json.RawMessage
	Name      string
	ToolCalls []struct {
		Function function
	} `json:"tool_calls"`
	FunctionCall *function `json:"function_call"`
}

type function struct {
	Name      string
	Arguments json.RawMessage
}

func read(raw []byte) message {
	var m message
	if err := json.Unmarshal(raw, &m); err != nil {
		panic(fmt.Sprintf("workload: generated message cannot be read: %v", err))
	}
	return m
}

// arguments returns those of all calls, with the line breaks of their strings as such.
func (m *message) arguments() string {
	var b strings.Builder
	for _, c := range m.ToolCalls {
		b.WriteString(plain(c.Function.Arguments) + "\n")
	}
	if m.FunctionCall != nil {
		b.WriteString(plain(m.FunctionCall.Arguments))
	}
	return unescaped(b.String())
}

// plain undoes the string around OpenAI's arguments.
func plain(arguments json.RawMessage) string {
	var text string
	if json.Unmarshal(arguments, &text) == nil {
		return text
	}
	return string(arguments)
}

func unescaped(text string) string {
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`).Replace(text)
}

// identity is over what a message says and shows: role, text, calls, media. Ids and white space are left out.
func identity(m *message, text string) uint64 {
	h := fnv.New64a()
	role := m.Role
	if role == "function" {
		role = "tool"
	}
	fmt.Fprintf(h, "%s\x00%s\x00%s", role, strings.TrimSpace(text), m.Images)
	if strings.Contains(string(m.Content), "image_url") {
		_, _ = h.Write(m.Content)
	}
	return h.Sum64()
}

// exact matches paths, identifiers and numbers.
var exact = regexp.MustCompile(`[\w.@-]*/[\w./@-]+|\w+_\w+|[a-z]+[A-Z]\w+|\w+\.\w{1,4}\b|\b\d{2,}\b`)

// Exact returns the paths, identifiers and numbers of a text, repeated where they are.
func Exact(text string) []string { return exact.FindAllString(text, -1) }

// needs are the exact strings of a call's arguments that were known before, each once.
func needs(arguments string, known map[string]bool) []string {
	var list []string
	seen := map[string]bool{}
	for _, word := range Exact(arguments) {
		if known[word] && !seen[word] {
			seen[word] = true
			list = append(list, word)
		}
	}
	return list
}
