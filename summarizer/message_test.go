package summarizer_test

import (
	"encoding/json"
	"strings"

	"recap/chat"
)

// call and result are parts of the messages that tests write.
type call struct{ id, name, args string }

// builder writes messages as a dialect would read them, in OpenAI's format.
type builder struct{ list []chat.Message }

func (b *builder) user(text string) *builder { return b.add(chat.User, text, nil, "", "") }

func (b *builder) assistant(text string, calls ...call) *builder {
	return b.add(chat.Assistant, text, calls, "", "")
}

func (b *builder) tool(name, text string) *builder { return b.add(chat.Tool, text, nil, name, "") }

// image is a user message with a text and an image part.
func (b *builder) image(text, data string) *builder {
	raw := `{"role":"user","content":[{"type":"text","text":` + quote(text) + `},`
	part := `{"type":"image_url","image_url":{"url":` + quote(data) + `}}`
	f := &chat.Facts{Role: chat.User, Carries: true}
	at := strings.Index(raw, quote(text))
	f.Parts = []chat.Part{
		{Kind: chat.Text, Span: chat.Span{Start: at, End: at + len(quote(text))}},
		{Kind: chat.Image, Span: chat.Span{Start: len(raw), End: len(raw) + len(part)}},
	}
	return b.put(raw+part+"]}", f)
}

func (b *builder) add(role chat.Role, text string, calls []call, tool, id string) *builder {
	raw := `{"role":"` + role.String() + `","content":`
	f := &chat.Facts{Role: role, Carries: role == chat.User}
	token := quote(text)
	span := chat.Span{Start: len(raw), End: len(raw) + len(token)}
	raw += token
	if role == chat.Tool {
		f.Results = []chat.Result{{
			ID: id, Name: tool, Content: span, Chars: len([]rune(text)),
			Parts: []chat.Part{{Kind: chat.Text, Span: span}},
		}}
	} else if text != "" {
		f.Content = span
		f.Parts = []chat.Part{{Kind: chat.Text, Span: span}}
	}
	for _, c := range calls {
		raw += `,"` + c.name + `":`
		args := quote(c.args)
		f.Calls = append(f.Calls, chat.Call{ID: c.id, Name: c.name, Args: chat.Span{Start: len(raw), End: len(raw) + len(args)}})
		raw += args
	}
	return b.put(raw+"}", f)
}

func (b *builder) put(raw string, f *chat.Facts) *builder {
	f.Digest = chat.NewDigest(raw, f,
		func(c chat.Call) string { return c.Args.Of(raw) },
		func(p chat.Part) string { return p.Span.Of(raw) })
	start := 0
	if n := len(b.list); n > 0 {
		start = b.list[n-1].Start + len(b.list[n-1].Raw) + 1
	}
	b.list = append(b.list, chat.Message{Raw: raw, Start: start, Facts: f})
	return b
}

// keys returns the keys of all prefixes.
func (b *builder) keys() []chat.Key {
	return chat.Keys(chat.NewOutline(&chat.Chat{Messages: b.list}), chat.Seed("t", "u", "r"))
}

func quote(text string) string {
	out, err := json.Marshal(text)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return string(out)
}
