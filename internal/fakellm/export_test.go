package fakellm

// Members, Elements and Unquote show the scanner to its fuzz tests.
func Members(text []byte) (map[string][]byte, bool) {
	ms, err := members(text)
	out := map[string][]byte{}
	for _, m := range ms {
		out[m.key] = m.value
	}
	return out, err == nil
}

// Elements is elements.
func Elements(text []byte) ([][]byte, bool) { return elements(text) }

// Unquote is unquote.
func Unquote(token []byte) string { return unquote(token) }
