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
	Reply   int    // the most that the model answers, in tokens; 0 = not known
	Cut     bool   // learned from a prompt that the upstream cut without a word
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
	// Wait is how long a Lookup may wait for the first probe of a model that nothing is known of; 0 = not at all.
	Wait time.Duration
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

	answers answers
}

// knowledge is what is known of one model at one upstream.
type knowledge struct {
	finding
	limit
	at       time.Time // of the last probe that ended
	fails    int       // probes without an answer in a row
	asking   bool
	done     chan struct{} // closed when the probe that is under way has ended
	answered string        // the model that the last answer named
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

// Lookup answers from what is known and starts a probe in the background when that is stale. It waits for nothing but, up
// to Ask.Wait, the first probe of a model whose window is unknown or guessed.
func (w *Windows) Lookup(a Ask) Window {
	if win, ok := w.answers.again(&a); ok {
		return win
	}
	changes := w.answers.changes.Load()
	k, kind := w.snapshot(a)
	if k.stale(kind) {
		w.probe(a)
	}
	win := w.capped(a, &k, w.resolve(a, &k, kind))
	if a.Wait > 0 && k.at.IsZero() && (win.Size == 0 || win.Guessed) && w.await(a) {
		k, kind = w.snapshot(a)
		win = w.capped(a, &k, w.resolve(a, &k, kind))
	}
	win.Reply = w.reply(a.Model, &k)
	w.answers.keep(&a, &k, kind, win, changes)
	return win
}

// snapshot returns what is known of a's model and upstream.
func (w *Windows) snapshot(a Ask) (k knowledge, kind string) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if known := w.known[target{a.Upstream, a.Model}]; known != nil {
		k = *known
	}
	return k, w.kinds[a.Upstream]
}

// await waits for the probe of a's model that is under way and reports whether it ended in time.
func (w *Windows) await(a Ask) bool {
	k, _ := w.snapshot(a)
	if k.done == nil {
		return !k.at.IsZero()
	}
	timer := time.NewTimer(a.Wait)
	defer timer.Stop()
	select {
	case <-k.done:
		return true
	case <-timer.C:
	case <-w.ctx.Done():
	}
	return false
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
	if f, ok := familyOf(a.Model); ok && f.window > 0 {
		return Window{Size: f.window, Source: "table", Guessed: true}
	}
	return Window{Source: "unknown"}
}

// reply returns the most that a model answers: what the file says, what the upstream told, what the table has.
func (w *Windows) reply(model string, k *knowledge) int {
	for _, m := range w.models {
		if m.ReplyTokens > 0 && Glob(m.Match, model) {
			return m.ReplyTokens
		}
	}
	if k.reply > 0 {
		return k.reply
	}
	f, _ := familyOf(model)
	return f.reply
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

// Warm starts probes before the first request. A model may be left empty: then only the kind is asked for.
func (w *Windows) Warm(asks ...Ask) {
	for _, a := range asks {
		w.probe(a)
	}
}

// Refresh asks again after an answer where the number may have changed with it: Ollama and LM Studio tell the window
// that is really loaded only once the model is loaded, a model that was loaded for this answer may have got another
// window, and so may one that now goes by another name (answered; "" = not said). After a failed probe it keeps the pauses.
func (w *Windows) Refresh(a Ask, answered string, loaded bool) {
	w.mu.Lock()
	k, kind := w.known[target{a.Upstream, a.Model}], w.kinds[a.Upstream]
	due := k == nil || k.window == 0 && (kind == kindOllama || kind == kindLMStudio) || loaded ||
		kind == kindOllama && time.Since(k.at) > recheckAfter
	if k != nil {
		due = due || answered != "" && k.answered != "" && answered != k.answered
		due = due && (k.fails == 0 || k.stale(kind))
		if answered != "" && len(answered) <= maxModelName {
			k.answered = answered
		}
	}
	w.mu.Unlock()
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
				w.answers.changes.Add(1)
				break
			}
		}
	}
	k := &knowledge{}
	w.known[t] = k
	return k
}
