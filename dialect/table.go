package dialect

import "slices"

// all is the table of formats, in the order in which they are asked whether a path is theirs.
var all = []Dialect{openAI{}, ollama{}}

// All returns every dialect.
func All() []Dialect { return slices.Clone(all) }

// For returns the dialect that method and path (without query) belong to; nil means that they ask for no chat.
func For(method, path string) Dialect {
	for _, d := range all {
		if d.Match(method, path) {
			return d
		}
	}
	return nil
}

// ByName returns the dialect of that name, nil for an unknown one.
func ByName(name string) Dialect {
	for _, d := range all {
		if d.Name() == name {
			return d
		}
	}
	return nil
}

// Asker is the part of a dialect that writes summaries need. Utility is one that knows nothing else.
type Asker interface {
	// Name is the word used in configuration.
	Name() string
	// Ask builds the request for one summary; see Dialect.
	Ask(q Question) (Request, error)
	// Answer reads the answer to Ask; see Dialect.
	Answer(status int, body []byte) (Reply, error)
}

// AskerByName returns what asks for summaries in the format of that name: every dialect, and "utility". Nil for an
// unknown name.
func AskerByName(name string) Asker {
	if name == (Utility{}).Name() {
		return Utility{}
	}
	if d := ByName(name); d != nil {
		return d
	}
	return nil
}
