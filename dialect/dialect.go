// Package dialect knows the wire formats of chat APIs: how a request body is read as views, how a plan is
// spliced into it, how answers report usage, how errors look, and how a summary is asked for. It never
// translates: a format is edited in place and everything not understood stays as it came.
//
// One file per format; All is the visible table. To add one: write the file, add it to All, and the conformance
// suite in dialect_test.go runs over it.
package dialect

import (
	"fmt"
	"io"

	"recap/chat"
)

// Dialect is one wire format.
type Dialect interface {
	// Name is the word used in configuration, metrics and logs: "openai", "ollama".
	Name() string
	// Match reports whether method and path (without query) ask for a chat in this format. Any prefix may stand
	// in front of the path, and Azure's deployment paths match too.
	Match(method, path string) bool
	// Decode reads body as views. A body that is not understood gives an *Odd; nothing panics.
	Decode(body string, facts *Facts) (*chat.Chat, error)
	// Apply writes c.Body to dst with p's edits spliced in; every byte outside the named spans is the same.
	// An empty plan appends c.Body unchanged.
	Apply(dst []byte, c *chat.Chat, p *chat.Plan) ([]byte, error)
	// Error returns an error body in the format's own shape, a JSON object. code is the format's machine word
	// where it has one ("context_length_exceeded"), else "".
	Error(status int, code, message string) []byte
	// Tap returns an observer of one answer: fed with the bytes as they pass, in any chunks, it never fails.
	Tap(contentType string) Tap
	// Ask builds the request for one summary.
	Ask(q Question) (Request, error)
	// Answer reads the answer to Ask. Anything but a complete text is an error that says what it was.
	Answer(status int, body []byte) (Reply, error)
}

// Glancer is a Dialect that remembers how bodies began, and can look at one without reading its messages: enough for a
// chat that is too small for anything to be done about it. Bodies are remembered for each tenant by itself; tenant is a
// number that stands for it, of no meaning outside this process.
type Glancer interface {
	// Glance returns a chat without messages, or an *Odd where Decode would mostly give one. plain tells that no message
	// holds parts or media. A body of more than unread bytes that begins like none before is given up: nil, false, nil.
	// Without a tenant, 0, a body shorter than KeptFrom is not looked for among those before.
	Glance(body string, tenant uint64, unread int) (c *chat.Chat, plain bool, err error)
	// Lend looks for a known conversation that a body of size bytes may go on with, by its beginning, and lends its memory.
	// Whoever finds that the body goes on otherwise returns the loan at once, else when nothing reads the body any more.
	Lend(tenant uint64, begin string, size int) Loan
	// Offer gives the memory of a body that goes on with no known conversation: what it becomes the first body of may keep it.
	Offer(body []byte) Loan
	// DecodeFor is Decode for one tenant.
	DecodeFor(tenant uint64, body string, facts *Facts) (*chat.Chat, error)
	// Opening returns the bytes of the first message of c, which was glanced at, that is no system one. "" where all are.
	Opening(c *chat.Chat) string
	// ReadOpening reads what Opening returned, as a chat of its own.
	ReadOpening(message string) (*chat.Chat, error)
}

// Guard is a Dialect whose servers cut a prompt that is too long without saying so, unless a request forbids it.
type Guard interface {
	// NoTruncate returns body, which was understood, with the member that forbids it in front of all others; every other
	// byte is the same. ok is false where body has that member already, in whatever case: the client's word stands.
	NoTruncate(body []byte) (next []byte, ok bool)
}

// Facts remembers what decoding a message's bytes told; see chat.Facts. Nil is allowed: nothing is remembered.
type Facts = chat.Memo[Print, *chat.Facts]

// Print is a keyed 128-bit fingerprint of a message's bytes, its keys random for each process.
type Print [2]uint64

// Odd says why a body was not understood; such a body is relayed untouched. Reason is a short fixed word for the
// status header and the metrics: "invalid-json", "duplicate-key", "odd-key", "wrong-type", "no-messages",
// "server-history", "unknown-role", "too-deep" (1,000 levels), "too-many" (131,072 messages).
type Odd struct{ Reason string }

// Error implements error.
func (o *Odd) Error() string { return fmt.Sprintf("decode chat: %s", o.Reason) }

// Tap observes the bytes of one answer. It must be cheap, keep a bounded buffer and not depend on chunk borders.
type Tap interface {
	io.Writer
	// Report tells what was seen so far.
	Report() Report
	// Free lets the memory of a tap be used for another answer: whoever calls it has no tap any more.
	Free()
}

// Report is what a Tap saw.
type Report struct {
	Usage  chat.Usage
	Finish string // finish_reason or done_reason; "" = none seen
	Done   bool   // the answer came to its end (finish seen, [DONE], done:true, or a whole JSON body), even a failed one
	Failed bool   // an error object was in the answer
	Model  string // that answered
	Loaded bool   // the model was loaded for this answer, as far as the server tells

	TooLong  TooLong // what an error in the answer said of the chat's size, where
	Overflow bool    // it said that the chat is too long
}

// fail notes an error object. The first one is read for what it says of the chat's size: it is the one that ended the answer.
func (r *Report) fail(failed bool, object string) {
	if !failed || r.Failed {
		return
	}
	r.Failed = true
	r.TooLong, r.Overflow = Overflow(200, []byte(object))
}

// Question is one summary call: a single user message, or one behind the messages of the chat's own request.
type Question struct {
	Model     string
	Prompt    string
	Live      *Live // what stands in front of the prompt; nil = nothing. NumCtx, KeepAlive, NoThink are the live request's then
	MaxTokens int
	// TokensField is the member that limits the answer where the format has two: "max_tokens" (default) or
	// "max_completion_tokens".
	TokensField string
	Parameters  map[string]any // number, string, bool or nil, sent as they are (temperature …); they win
	NumCtx      int            // the chat's own window option, so that no model is reloaded; 0 = leave out
	KeepAlive   string         // raw JSON value; "" = leave out
	NoThink     bool           // ask for no reasoning where the format has a switch
}

// Request is what Ask built.
type Request struct {
	Path string // with no base: "/v1/chat/completions", "/api/chat", "/utility/complete"
	Body []byte
}

// Reply is what Answer read.
type Reply struct {
	Text  string
	Model string
	Usage chat.Usage
}
