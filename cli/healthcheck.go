package cli

import (
	"context"
	"errors"
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
	switch {
	case strings.HasPrefix(url, "http://"), strings.HasPrefix(url, "https://"):
	case url != "":
		return usage{errors.New("read --url: want a URL like http://127.0.0.1:8788/healthz")}
	default:
		cfg, err := s.loadConfig("")
		if err != nil {
			return err
		}
		if cfg.Admin.Listen == "" {
			return fmt.Errorf("check health: admin.listen is empty, so there is nothing to ask; set it, or give --url")
		}
		url, client.Transport = adminURL(cfg.Admin.Listen)
	}
	answer, err := client.Get(url)
	if err != nil {
		return fmt.Errorf("check health: %w; admin.listen or --url says where to ask", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("check health: %s answers %d, not 200; admin.listen or --url says where to ask", url, answer.StatusCode)
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
