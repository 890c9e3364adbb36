package cli

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

const healthTime = 5 * time.Second

// healthcheckCmd is for containers without curl: `HEALTHCHECK CMD ["recap", "healthcheck"]`.
type healthcheckCmd struct {
	URL string `help:"What to ask; else /healthz at admin.listen." placeholder:"URL"`
}

// Run succeeds where the answer is 200.
func (c *healthcheckCmd) Run(s *shell) error {
	url, client := c.URL, &http.Client{Timeout: healthTime}
	if url == "" {
		cfg, err := s.loadConfig("")
		if err != nil {
			return err
		}
		if cfg.Admin.Listen == "" {
			return fmt.Errorf("check health: admin.listen is empty, so there is nothing to ask")
		}
		url, client.Transport = adminURL(cfg.Admin.Listen)
	}
	answer, err := client.Get(url)
	if err != nil {
		return fmt.Errorf("check health: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("check health: %s answers %d", url, answer.StatusCode)
	}
	fmt.Fprintln(s.out, "ok")
	return nil
}

// adminURL says how to reach a listener from this machine: one on all interfaces is asked on loopback.
func adminURL(listen string) (string, http.RoundTripper) {
	if path, ok := strings.CutPrefix(listen, "unix:"); ok {
		dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		}
		return "http://recap/healthz", &http.Transport{DialContext: dial}
	}
	host, port, _ := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = map[bool]string{true: "::1", false: "127.0.0.1"}[ip != nil && ip.To4() == nil]
	}
	// No proxy of the environment: this question is for this machine.
	return "http://" + net.JoinHostPort(host, port) + "/healthz", &http.Transport{}
}
