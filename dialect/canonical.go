package dialect

import (
	"strings"

	"recap/chat"
)

// canonicalArgs returns the form of a call's arguments that keys count: JSON without spacing, whether it came as
// an object or inside a string, so that the same call has the same key in every format.
func canonicalArgs(value string) string {
	if strings.HasPrefix(value, `"`) {
		value = chat.Unquote(value)
		if !valid(value) {
			return value
		}
	}
	return string(compact(make([]byte, 0, len(value)), value))
}

// canonicalPart returns the form of a part that is not text which keys count. An inline image is its data alone.
func canonicalPart(p chat.Part, raw string) string {
	value := p.Span.Of(raw)
	if p.Kind == chat.Image {
		if data, ok := imageData(value); ok {
			return data
		}
	}
	if value[0] != '{' {
		return string(compact(make([]byte, 0, len(value)), value))
	}
	return string(unmarked(value))
}

// unmarked compacts an object and leaves out its cache marks: clients move them from request to request.
func unmarked(object string) []byte {
	out := append(make([]byte, 0, len(object)), '{')
	c := cursor{s: object}
	for c.open('{'); c.more('}'); {
		c.space()
		start := c.i
		key := c.key()
		c.value()
		if key == "cache_control" || key == "prompt_cache_breakpoint" || c.odd != "" {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = compact(out, object[start:c.i])
	}
	return append(out, '}')
}

// imageData returns the base64 data of an image: Ollama's bare string, or OpenAI's part with a data: URL and
// nothing else that could make it another image to a model.
func imageData(value string) (string, bool) {
	if value[0] == '"' {
		return chat.Unquote(value), true
	}
	url := ""
	c := cursor{s: value}
	for c.open('{'); c.more('}'); {
		key, at := c.key(), c.value()
		switch {
		case key == "image_url" && c.odd == "" && is(value, at, '{') && url == "":
			url = plainURL(value, at)
		case key == "type" || key == "cache_control" || key == "prompt_cache_breakpoint":
		default:
			return "", false
		}
	}
	head, data, ok := strings.Cut(url, ",")
	return data, ok && strings.HasPrefix(head, "data:") && strings.HasSuffix(head, ";base64")
}

// plainURL returns the URL of an image that asks for no special detail, else "".
func plainURL(text string, at chat.Span) string {
	url := ""
	c := cursor{s: text, i: at.Start}
	for c.open('{'); c.more('}'); {
		switch key, value := c.key(), c.value(); {
		case key == "url":
			url = label(text, value)
		case key != "detail" || label(text, value) != "auto":
			return ""
		}
	}
	return url
}

// compact appends JSON text without the space between its tokens.
func compact(dst []byte, text string) []byte {
	from := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			end := stringEnd(text, i)
			if end < 0 {
				return append(dst, text[from:]...)
			}
			i = end - 1
		case ' ', '\n', '\r', '\t':
			dst = append(dst, text[from:i]...)
			from = i + 1
		}
	}
	return append(dst, text[from:]...)
}
