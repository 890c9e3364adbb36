package tokens

import "net/http"

// Window is a context window and where its number comes from.
type Window struct {
	Size    int    // tokens; 0 = unknown
	Source  string // header, request, config, upstream, default, table, learned, unknown
	Guessed bool   // from a default or a table: nobody measured it
}

// Ask is the question for one request's window.
type Ask struct {
	Upstream string      // its name
	URL      string      // its base URL, with or without a path
	Header   http.Header // credentials to ask with; kept only while a probe runs
	Model    string
	Native   bool // the request came on Ollama's own path
	NumCtx   int  // the request's options.num_ctx; 0 = none
	Override int  // X-Recap-Context-Window; 0 = none
}

// Windows knows the windows of upstreams' models. Safe for concurrent use.
type Windows struct{}

// NewWindows returns Windows that probe through client, nil for one of their own.
func NewWindows(models []Model, client *http.Client) *Windows { return &Windows{} }

// Lookup answers at once from what is known and starts a probe in the background when that is stale.
func (w *Windows) Lookup(a Ask) Window { return Window{Source: "unknown"} }

// Kind says what the upstream is as far as a probe has shown: ollama, llamacpp, vllm, lmstudio, openrouter,
// litellm, anthropic, or "" while nothing is known.
func (w *Windows) Kind(upstream string) string { return "" }

// Learn caps the window of a model at limit tokens, as an overflow error told it.
func (w *Windows) Learn(upstream, model string, limit int) {}

// Warm starts probes before the first request.
func (w *Windows) Warm(asks ...Ask) {}

// Refresh asks again after an answer where the number may have changed with it: Ollama tells the window that is
// really loaded only once the model is loaded.
func (w *Windows) Refresh(a Ask) {}

// Close ends all probes and waits for them.
func (w *Windows) Close() {}
