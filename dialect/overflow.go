package dialect

// Overflow reports whether an upstream's answer says that the chat is too long for the model. limit is the window
// it names and used the size of the prompt by its count (a lower bound with vLLM), both in tokens, 0 = not said.
// body is an error body in any format, or, with a 2xx status, a plain or streamed answer that holds an error object.
func Overflow(status int, body []byte) (limit, used int, ok bool) { return 0, 0, false }
