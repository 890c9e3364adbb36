package tokens

import (
	"context"
	"net/http"
	"slices"
	"time"
)

const (
	probeTimeout = 3 * time.Second // of one call
	localTTL     = time.Minute     // models are loaded and unloaded
	hostedTTL    = time.Hour
	recheckAfter = 15 * time.Second
	firstRetry   = 30 * time.Second // doubled with each failure
	lastRetry    = 10 * time.Minute
)

// The kinds of upstreams that tell their windows.
const (
	kindOllama     = "ollama"
	kindLlamaCpp   = "llamacpp"
	kindVLLM       = "vllm"
	kindLMStudio   = "lmstudio"
	kindOpenRouter = "openrouter"
	kindLiteLLM    = "litellm"
	kindAnthropic  = "anthropic"
)

// finding is what a probe brought.
type finding struct {
	kind    string
	window  int // tokens, effective; 0 = not told
	trained int // the most the model was trained for; 0 = not told
	reply   int // the most the model answers; 0 = not told
}

// probes is the visible table of how upstreams are asked, in that order. Each reports whether the upstream
// is of its kind.
var probes = []struct {
	kinds []string
	ask   func(*inquiry) (finding, bool)
}{
	{[]string{kindOllama}, askOllama},
	{[]string{kindLlamaCpp}, askLlamaCpp},
	{[]string{kindVLLM, kindOpenRouter, kindAnthropic}, askModelList},
	{[]string{kindLMStudio}, askLMStudio},
	{[]string{kindLiteLLM}, askLiteLLM},
}

// newClient returns a client that follows no redirects: credentials go to the upstream alone.
func newClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 1
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// stale reports whether it is time to ask again.
func (k *knowledge) stale(kind string) bool {
	return !k.asking && time.Now().After(k.due(kind))
}

// due is when it is time to ask again.
func (k *knowledge) due(kind string) time.Time {
	switch {
	case k.at.IsZero():
		return k.at
	case k.fails > 0:
		return k.at.Add(min(firstRetry<<min(k.fails-1, 10), lastRetry))
	case kind == kindOpenRouter || kind == kindLiteLLM || kind == kindAnthropic:
		return k.at.Add(hostedTTL)
	}
	return k.at.Add(localTTL)
}

// probe asks in the background unless that is already under way.
func (w *Windows) probe(a Ask) {
	w.mu.Lock()
	defer w.mu.Unlock()
	k := w.entry(target{a.Upstream, a.Model})
	if k == nil || k.asking || w.closed || w.asking >= maxAsking || a.URL == "" {
		return
	}
	k.asking, k.done = true, make(chan struct{})
	w.asking++
	kind := w.kinds[a.Upstream]
	w.probes.Add(1)
	// Who asks may change or be gone while the probe runs: what it needs is taken now.
	var header http.Header
	if a.Header != nil {
		header = a.Header()
	}
	a.Header = func() http.Header { return header }
	go func() {
		defer w.probes.Done()
		w.ask(a, kind)
	}()
}

// ask runs one probe and keeps what it found.
func (w *Windows) ask(a Ask, kind string) {
	var found finding
	ok := false
	select {
	case w.slots <- struct{}{}:
		found, ok = w.inquire(a, kind)
		<-w.slots
	case <-w.ctx.Done():
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asking--
	w.answers.changes.Add(1)
	k := w.known[target{a.Upstream, a.Model}]
	close(k.done)
	k.asking, k.done, k.at = false, nil, time.Now()
	if !ok {
		k.fails++
		return
	}
	k.fails, k.finding = 0, found
	w.kinds[a.Upstream] = found.kind
}

// inquire asks as the upstream's kind wants it, or in every way when that is not known or no longer right.
func (w *Windows) inquire(a Ask, kind string) (finding, bool) {
	ctx, cancel := context.WithTimeout(w.ctx, time.Duration(len(probes)+1)*probeTimeout)
	defer cancel()
	q := newInquiry(ctx, w.client, a)
	if q == nil {
		return finding{}, false
	}
	for _, p := range probes {
		if kind != "" && slices.Contains(p.kinds, kind) {
			if found, ok := p.ask(q); ok {
				return found, true
			}
		}
	}
	for _, p := range probes {
		if found, ok := p.ask(q); ok {
			return found, true
		}
	}
	return finding{}, false
}
