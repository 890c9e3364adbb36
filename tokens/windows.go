package tokens

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// ollamaDefault is the window that Ollama gives a model where nothing else is known, in tokens.
const ollamaDefault = 4096

const (
	// learnedFor is how long a limit from an overflow error holds: servers are restarted with other settings.
	learnedFor = 6 * time.Hour
	// minLearned is the smallest limit that is believed, in tokens.
	minLearned = 256
	// maxKnown bounds the pairs of upstream and model that are remembered.
	maxKnown = 2000
	// maxAsking bounds the probes that run or wait.
	maxAsking = 64
)

// Window is a context window and where its number comes from.
type Window struct {
	Size    int    // tokens; 0 = unknown
	Source  string // header, request, config, upstream, default, table, learned, unknown
	Guessed bool   // from a default or a table: nobody measured it
}

// Ask is the question for one request's window.
type Ask struct {
	Upstream string             // its name
	URL      string             // its base URL, with or without a path
	Header   func() http.Header // credentials, asked for when a probe starts; nil = none
	Model    string
	Native   bool // the request came on Ollama's own path
	NumCtx   int  // the request's options.num_ctx; 0 = none
	Override int  // X-Recap-Context-Window; 0 = none
}

// Windows knows the windows of upstreams' models. Safe for concurrent use.
type Windows struct {
	models []Model
	client *http.Client
	own    bool // client is ours to close
	slots  chan struct{}
	ctx    context.Context
	cancel context.CancelFunc
	probes sync.WaitGroup

	mu     sync.RWMutex
	known  map[target]*knowledge
	kinds  map[string]string // upstream → what it is
	asking int
	closed bool
}

// knowledge is what is known of one model at one upstream.
type knowledge struct {
	finding
	at      time.Time // of the last probe that ended
	fails   int       // probes without an answer in a row
	asking  bool
	learned int // from an overflow error
	taught  time.Time
}

// NewWindows returns Windows that probe through client, nil for one of their own. models come from the file: they
// are believed before any probe.
func NewWindows(models []Model, client *http.Client) *Windows {
	w := &Windows{
		models: models,
		client: client,
		slots:  make(chan struct{}, 4),
		known:  map[target]*knowledge{},
		kinds:  map[string]string{},
	}
	if client == nil {
		w.client, w.own = newClient(), true
	}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	return w
}

// Lookup answers at once from what is known and starts a probe in the background when that is stale.
func (w *Windows) Lookup(a Ask) Window {
	w.mu.RLock()
	k, kind := knowledge{}, w.kinds[a.Upstream]
	if known := w.known[target{a.Upstream, a.Model}]; known != nil {
		k = *known
	}
	w.mu.RUnlock()
	if k.stale(kind) {
		w.probe(a)
	}
	return w.capped(&k, w.resolve(a, &k, kind))
}

// resolve takes the first number that is known, in the documented order.
func (w *Windows) resolve(a Ask, k *knowledge, kind string) Window {
	if a.Override > 0 {
		return Window{Size: a.Override, Source: "header"}
	}
	if a.Native && a.NumCtx > 0 {
		return Window{Size: atMost(a.NumCtx, k.trained), Source: "request"}
	}
	for _, m := range w.models {
		if m.ContextWindow > 0 && Glob(m.Match, a.Model) {
			return Window{Size: m.ContextWindow, Source: "config"}
		}
	}
	if k.window > 0 {
		return Window{Size: k.window, Source: "upstream"}
	}
	if kind == kindOllama || a.Native || kind == "" && looksLikeOllama(a.URL) {
		return Window{Size: atMost(ollamaDefault, k.trained), Source: "default", Guessed: true}
	}
	if f, ok := familyOf(a.Model); ok {
		return Window{Size: f.window, Source: "table", Guessed: true}
	}
	return Window{Source: "unknown"}
}

// capped applies the limit that an overflow error told.
func (w *Windows) capped(k *knowledge, win Window) Window {
	if k.learned == 0 || time.Since(k.taught) > learnedFor || win.Size > 0 && win.Size <= k.learned {
		return win
	}
	return Window{Size: k.learned, Source: "learned"}
}

// atMost returns n, or limit where that is known and smaller.
func atMost(n, limit int) int {
	if limit > 0 {
		return min(n, limit)
	}
	return n
}

// looksLikeOllama reports whether base has Ollama's port: what stands until a probe has shown what it is.
func looksLikeOllama(base string) bool {
	u, err := url.Parse(base)
	return err == nil && u.Port() == "11434"
}

// Kind says what the upstream is as far as a probe has shown: ollama, llamacpp, vllm, lmstudio, openrouter,
// litellm, anthropic, or "" while nothing is known.
func (w *Windows) Kind(upstream string) string {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.kinds[upstream]
}

// Learn caps the window of a model at limit tokens, as an overflow error told it. The newest word holds.
func (w *Windows) Learn(upstream, model string, limit int) {
	if limit < minLearned {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if k := w.entry(target{upstream, model}); k != nil {
		k.learned, k.taught = limit, time.Now()
	}
}

// Warm starts probes before the first request. A model may be left empty: then only the kind is asked for.
func (w *Windows) Warm(asks ...Ask) {
	for _, a := range asks {
		w.probe(a)
	}
}

// Refresh asks again after an answer where the number may have changed with it: Ollama and LM Studio tell the window
// that is really loaded only once the model is loaded.
func (w *Windows) Refresh(a Ask) {
	w.mu.RLock()
	k, kind := w.known[target{a.Upstream, a.Model}], w.kinds[a.Upstream]
	due := k == nil || k.window == 0 && (kind == kindOllama || kind == kindLMStudio) ||
		kind == kindOllama && time.Since(k.at) > recheckAfter
	w.mu.RUnlock()
	if due {
		w.probe(a)
	}
}

// Close ends all probes and waits for them.
func (w *Windows) Close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.cancel()
	w.probes.Wait()
	if w.own {
		w.client.CloseIdleConnections()
	}
}

// entry returns what is known for t, making room for it where need be. The lock is held.
func (w *Windows) entry(t target) *knowledge {
	if k := w.known[t]; k != nil {
		return k
	}
	if len(t.model) > maxModelName {
		return nil
	}
	if len(w.known) >= maxKnown {
		for old, k := range w.known {
			if !k.asking {
				delete(w.known, old)
				break
			}
		}
	}
	k := &knowledge{}
	w.known[t] = k
	return k
}
