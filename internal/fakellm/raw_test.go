package fakellm_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"recap/internal/fakellm"
)

// The judge reads JSON by a scanner of its own; encoding/json is its oracle.
func FuzzReadJSON(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[]`, ` {"a" : [1,-2.5e3 , "x\"]\\" ], "b":{"c":null}} `, `[ "\\\\", "\u00e9", true]`, `{"a":"\\"}`, `{"":{}}`,
		`{"messages":[{"role":"user","content":"ż😀"}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		_ = fakellm.Check(fakellm.OpenAI, text) // must not panic, valid or not
		_ = fakellm.Check(fakellm.Ollama, text)
		if !json.Valid(text) {
			return
		}
		var object map[string]json.RawMessage
		values, ok := fakellm.Members(text)
		if wantErr := json.Unmarshal(text, &object); (wantErr == nil && object != nil) != ok {
			t.Fatalf("%q: is an object: got %v, oracle says %v", text, ok, wantErr)
		}
		if len(values) != len(object) {
			t.Fatalf("%q: got %d members, want %d", text, len(values), len(object))
		}
		for key, want := range object {
			if !bytes.Equal(values[key], want) {
				t.Errorf("%q: member %q: got %q, want %q", text, key, values[key], want)
			}
		}
		var array []json.RawMessage
		got, ok := fakellm.Elements(text)
		if err := json.Unmarshal(text, &array); (err == nil && array != nil) != ok {
			t.Fatalf("%q: is an array: got %v, oracle says %v", text, ok, err)
		}
		for i := range array {
			if !bytes.Equal(got[i], array[i]) {
				t.Errorf("%q: element %d: got %q, want %q", text, i, got[i], array[i])
			}
		}
	})
}

func FuzzUnquote(f *testing.F) {
	f.Add(`a "quoted" \ text`)
	f.Add("\xff\u2028")
	f.Fuzz(func(t *testing.T, text string) {
		token, _ := json.Marshal(text)
		var want string
		_ = json.Unmarshal(token, &want)
		if got := fakellm.Unquote(token); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
