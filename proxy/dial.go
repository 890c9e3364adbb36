package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/url"
	"os"
	"time"
)

// dialer opens connections to one upstream. Go's dialer tries IPv6 and IPv4 side by side, 300 ms apart, so that a name
// with both works where only one of them listens.
type dialer struct {
	addr    string
	connect time.Duration
	tls     *tls.Config // nil for http
}

func newDialer(up Upstream, u *url.URL, connect time.Duration) (*dialer, error) {
	d := &dialer{addr: u.Host, connect: connect}
	if u.Port() == "" {
		port := map[string]string{"http": "80", "https": "443"}[u.Scheme]
		d.addr = net.JoinHostPort(u.Hostname(), port)
	}
	roots, err := trusted(up.CAFile) // with http too: a file that is not there is a mistake in any case
	if err != nil {
		return nil, fmt.Errorf("upstream %q: read upstreams[].caFile: %w", up.Name, err)
	}
	if u.Scheme != "https" {
		return d, nil
	}
	d.tls = &tls.Config{
		ServerName: u.Hostname(), RootCAs: roots,
		NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12,
		ClientSessionCache: tls.NewLRUClientSessionCache(8),
	}
	return d, nil
}

// trusted returns the system's authorities and those of a file; nil (the system's alone) without a file.
func trusted(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no PEM certificate", file)
	}
	return pool, nil
}

// dial opens a connection within the connect timeout, TLS handshake included.
func (d *dialer) dial(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.connect)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", d.addr)
	if err != nil {
		return nil, dialError{err}
	}
	if d.tls == nil {
		return conn, nil
	}
	secure := tls.Client(conn, d.tls)
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, dialError{err}
	}
	return secure, nil
}
