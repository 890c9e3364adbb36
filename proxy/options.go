package proxy

import (
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Upstream is one inference service. Models and Hosts are for whoever picks the upstream, WindowWait and NoTruncate for
// whoever knows chats; this package reads none of them.
type Upstream struct {
	// Name is what Call.Upstream and error messages say.
	Name string `yaml:"name"`
	// URL is the base: http or https, a host, and a path or none. See Join.
	URL string `yaml:"url"`
	// APIKey, when set, takes the place of the client's credentials.
	APIKey string `yaml:"apiKey"`
	// CAFile names a PEM file whose certificates are trusted beside the system's.
	CAFile   string   `yaml:"caFile"`
	Models   []string `yaml:"models"`
	Hosts    []string `yaml:"hosts"`
	Timeouts Timeouts `yaml:"timeouts"`
	// WindowWait is how long a request may wait for the first probe of its model's window.
	WindowWait time.Duration `yaml:"windowWait"`
	// NoTruncate has Ollama refuse a prompt that is too long instead of cutting it.
	NoTruncate bool `yaml:"noTruncate"`
}

// Timeouts bound the three phases of an exchange; zero means the default. There is no limit on the whole: an answer may
// stream for hours as long as something moves. A client may read as slowly as it likes: while it is behind, the
// upstream's silence does not count, and only one that takes nothing at all for 30 minutes is given up (TCP notices
// earlier that a client's machine has gone).
type Timeouts struct {
	Connect   time.Duration // name lookup, TCP and TLS; 5 s
	FirstByte time.Duration // from the request to the answer's headers; 15 min, since a cold model takes minutes to load
	Idle      time.Duration // without a byte of an upload, or from an upstream that has begun its answer; 5 min
}

// Limits bound what clients may send and how much runs at once.
type Limits struct {
	Body       int64 // bytes of a request body that is read into memory; 64 MiB
	Header     int   // bytes of a header block, from a client or from an upstream; 64 KiB
	Concurrent int   // exchanges at once, the rest wait (Options.Wait); 0 = no limit
}

// Options are the settings of a Client that are not one upstream's.
type Options struct {
	Limits Limits
	// Wait bounds the time in the queue of Limits.Concurrent before the answer is 503; 10 s.
	Wait time.Duration
	// IdleConn bounds how long an unused upstream connection is kept. Zero keeps plain ones for 4 s, because uvicorn
	// and Node close theirs after 5, and TLS ones for 60 s, because they are dear to open.
	IdleConn time.Duration
}

const (
	defaultConnect   = 5 * time.Second
	defaultFirstByte = 15 * time.Minute
	defaultIdle      = 5 * time.Minute
	clientStall      = 30 * time.Minute // see Timeouts
	defaultWait      = 10 * time.Second
	defaultBody      = 64 << 20
	defaultHeader    = 64 << 10
	plainIdleConn    = 4 * time.Second
	tlsIdleConn      = time.Minute
)

func (t Timeouts) withDefaults() Timeouts {
	return Timeouts{
		Connect:   orElse(t.Connect, defaultConnect),
		FirstByte: orElse(t.FirstByte, defaultFirstByte),
		Idle:      orElse(t.Idle, defaultIdle),
	}
}

// orElse returns v, or fallback where v is not positive.
func orElse[T int | int64 | time.Duration](v, fallback T) T {
	if v <= 0 {
		return fallback
	}
	return v
}

// endpoints are path ends that only a full address has; as a base they would give /chat/completions/chat/completions.
var endpoints = []string{"/chat/completions", "/completions", "/responses", "/embeddings", "/messages", "/api/chat", "/api/generate"}

// parseBase checks an upstream's URL. Its errors name the key of the file and never the URL's own credentials.
func parseBase(up Upstream) (*url.URL, error) {
	u, err := url.Parse(up.URL)
	if err != nil {
		return nil, fmt.Errorf("upstream %q: url cannot be read as a URL", up.Name)
	}
	problem := ""
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		problem = "must begin with http:// or https://"
	case u.Hostname() == "":
		problem = "has no host"
	case u.User != nil:
		problem = "must not hold a user or password: use apiKey"
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		problem = "must not hold a query or a fragment"
	}
	for _, e := range endpoints {
		if problem == "" && strings.HasSuffix(strings.TrimRight(u.Path, "/"), e) {
			problem = "is the address of one endpoint: give the base in front of " + e
		}
	}
	if problem != "" {
		return nil, fmt.Errorf("upstream %q: url %s", up.Name, problem)
	}
	return u, nil
}
