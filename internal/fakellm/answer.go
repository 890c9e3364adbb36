package fakellm

import (
	"encoding/json"
	"net/http"
	"time"
)

// answer is what goes back: events are sent and flushed one by one.
type answer struct {
	status int
	header http.Header
	events [][]byte
	stream bool // chunked, no Content-Length
	delay  time.Duration
	gap    time.Duration
}

// object is a JSON object under construction; its members come out sorted by name.
type object = map[string]any

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		return []byte("{}") // a script's arguments that are not JSON: nothing else here can fail
	}
	return text
}

func jsonAnswer(status int, text []byte) answer {
	header := http.Header{"Content-Type": {"application/json"}}
	return answer{status: status, header: header, events: [][]byte{text}}
}

func textAnswer(text string) answer {
	a := jsonAnswer(200, []byte(text))
	a.header.Set("Content-Type", "text/plain; charset=utf-8")
	return a
}

const (
	typeSSE    = "text/event-stream"
	typeNDJSON = "application/x-ndjson"
)

func streamAnswer(contentType string) answer {
	header := http.Header{"Content-Type": {contentType}, "Cache-Control": {"no-cache"}}
	return answer{status: 200, header: header, stream: true}
}

// add appends one event in the framing of the answer's type.
func (a *answer) add(v any) { a.events = append(a.events, frameEvent(*a, encode(v))) }

func frameEvent(a answer, text []byte) []byte {
	switch a.header.Get("Content-Type") {
	case typeSSE:
		return append(append([]byte("data: "), text...), "\n\n"...)
	case typeNDJSON:
		return append(text[:len(text):len(text)], '\n')
	}
	return text
}

// problem is an error as backends report it; more holds members that one of them adds.
type problem struct {
	status  int
	message string
	kind    string // type
	code    any
	param   any
	more    object
}

// errorBody is a problem in the dialect's own shape.
func errorBody(dialect string, p problem) []byte {
	if dialect == Ollama {
		return encode(object{"error": p.message})
	}
	fields := object{"message": p.message, "type": p.kind, "code": p.code, "param": p.param}
	for key, value := range p.more {
		fields[key] = value
	}
	return encode(object{"error": fields})
}

func errorAnswer(dialect string, p problem) answer {
	return jsonAnswer(p.status, errorBody(dialect, p))
}

// chunks cuts text into pieces of size characters.
func chunks(text string, size int) (out []string) {
	if size <= 0 {
		size = 16
	}
	runes := []rune(text)
	for len(runes) > 0 {
		n := min(size, len(runes))
		out = append(out, string(runes[:n]))
		runes = runes[n:]
	}
	return out
}
