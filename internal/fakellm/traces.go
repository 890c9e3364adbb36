package fakellm

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Trace is one recorded agent run in OpenAI's format.
type Trace struct {
	Name     string
	Messages []json.RawMessage // as they stand in the file

	ollama [][]byte // the same, translated
}

// Traces loads all *.json.gz files of a folder, in the order of their names. A folder that is not there gives an
// error for which errors.Is(err, fs.ErrNotExist) holds.
func Traces(dir string) ([]Trace, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("load traces: %w", err)
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.json.gz"))
	if err != nil {
		return nil, fmt.Errorf("load traces: %w", err)
	}
	traces := make([]Trace, len(paths))
	for i, path := range paths {
		if traces[i], err = loadTrace(path); err != nil {
			return nil, fmt.Errorf("load trace %s: %w", filepath.Base(path), err)
		}
	}
	return traces, nil
}

func loadTrace(path string) (Trace, error) {
	t := Trace{Name: strings.TrimSuffix(filepath.Base(path), ".json.gz")}
	file, err := os.Open(path)
	if err != nil {
		return t, err
	}
	defer file.Close()
	zip, err := gzip.NewReader(file)
	if err != nil {
		return t, err
	}
	var content struct{ Messages []json.RawMessage }
	err = json.NewDecoder(zip).Decode(&content)
	t.Messages = content.Messages
	for _, raw := range t.Messages {
		t.ollama = append(t.ollama, toOllama(raw))
	}
	return t, err
}

// Points returns the numbers of messages that a client would have sent in one request each: all before an
// assistant message, and the whole where it ends otherwise.
func (t *Trace) Points() []int {
	var points []int
	for i, raw := range t.Messages {
		var m message
		if m.read(raw) == nil && m.role == "assistant" {
			points = append(points, i)
		}
	}
	if n := len(t.Messages); n > 0 {
		var last message
		if last.read(t.Messages[n-1]) == nil && last.role != "assistant" {
			points = append(points, n)
		}
	}
	return points
}

// Body renders the first upTo messages as a request. A system prompt and tools, which the recorded runs lack, are put
// in as two fixed ones. For Ollama the messages are translated: arguments become objects, ids and null contents go.
func (t *Trace) Body(dialect string, upTo int) []byte {
	items := make([][]byte, 0, upTo+1)
	items = append(items, []byte(`{"role":"system","content":"`+traceSystem+`"}`))
	for i := range upTo {
		if dialect == Ollama {
			items = append(items, t.ollama[i])
		} else {
			items = append(items, t.Messages[i])
		}
	}
	return joinBody(dialect, "fake-model", items, traceTools)
}

const (
	traceSystem = "You are a careful software engineer. Use the tools to read, edit and test the code."
	traceTools  = `,"tools":[{"type":"function","function":{"name":"Bash","description":"Run a command",` +
		`"parameters":{"type":"object","properties":{"command":{"type":"string"}}}}}]`
)

// joinBody puts a request together: model, messages, further members.
func joinBody(dialect, model string, items [][]byte, further string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `{"model":%s,"messages":[`, encode(model))
	for i, item := range items {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(item)
	}
	b.WriteByte(']')
	b.WriteString(further)
	if dialect == Ollama && !strings.Contains(further, `"stream":`) {
		b.WriteString(`,"stream":false`)
	}
	b.WriteByte('}')
	return []byte(b.String())
}

// toOllama translates a message of OpenAI's format that holds text only.
func toOllama(raw []byte) []byte {
	var m message
	if m.read(raw) != nil {
		return raw
	}
	out := object{"role": m.role, "content": m.text()}
	if m.role == "function" {
		out["role"] = "tool"
	}
	var calls []object
	for _, c := range m.calls {
		args := json.RawMessage(unquote(c.args))
		if !json.Valid(args) || !isObject(args) {
			args = encode(object{"input": unquote(c.args)})
		}
		calls = append(calls, object{"function": object{"name": c.name, "arguments": args}})
	}
	if calls != nil {
		out["tool_calls"] = calls
	}
	return encode(out)
}
