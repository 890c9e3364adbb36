package e2e

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
)

// turnHeader numbers the chat's own requests; a summary call of Recap's does not have it.
const turnHeader = "X-E2e-Turn"

// record is one request as the engine got it, and its answer.
type record struct {
	method, path string
	header       http.Header
	body         []byte
	status       int
	answer       bytes.Buffer
}

// relay stands between Recap and the engine and keeps everything that passes.
type relay struct {
	url string

	mu      sync.Mutex
	records []*record
}

func startRelay(t *testing.T, engine string) *relay {
	t.Helper()
	target, err := url.Parse(engine)
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{}
	// llama-server closes a connection after a few requests, and net/http does not send a POST twice: a connection for
	// each request keeps the relay's own failures out of the test.
	fresh := &http.Transport{DisableKeepAlives: true, DisableCompression: true}
	proxy := &httputil.ReverseProxy{
		Transport:      fresh,
		Rewrite:        func(p *httputil.ProxyRequest) { p.SetURL(target) },
		FlushInterval:  -1,
		ModifyResponse: r.observe,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		rec := &record{method: req.Method, path: req.URL.Path, header: req.Header.Clone(), body: body}
		r.mu.Lock()
		r.records = append(r.records, rec)
		r.mu.Unlock()
		req.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, req.WithContext(withRecord(req.Context(), rec)))
	}))
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

// observe copies the answer while it streams through.
func (r *relay) observe(resp *http.Response) error {
	rec := recordOf(resp.Request.Context())
	r.mu.Lock()
	rec.status = resp.StatusCode
	r.mu.Unlock()
	resp.Body = &tap{ReadCloser: resp.Body, relay: r, rec: rec}
	return nil
}

type tap struct {
	io.ReadCloser
	relay *relay
	rec   *record
}

func (t *tap) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.relay.mu.Lock()
	t.rec.answer.Write(p[:n])
	t.relay.mu.Unlock()
	return n, err
}

// last returns the newest record that fits, nil for none.
func (r *relay) last(fits func(*record) bool) *record {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(r.records) - 1; i >= 0; i-- {
		if fits(r.records[i]) {
			return r.records[i]
		}
	}
	return nil
}

// summaries returns the summary calls: chats that carry no turn of ours.
func (r *relay) summaries() []*record {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []*record
	for _, rec := range r.records {
		if rec.method == http.MethodPost && rec.header.Get(turnHeader) == "" {
			found = append(found, rec)
		}
	}
	return found
}

// count returns how many records fit.
func (r *relay) count(fits func(*record) bool) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, rec := range r.records {
		if fits(rec) {
			n++
		}
	}
	return n
}
