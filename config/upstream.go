package config

import (
	"net"
	"strings"

	"recap/proxy"
	"recap/tokens"
)

// Upstream is one entry of `upstreams`. It is proxy's; the name stands here so that packages which may not import
// proxy can say it.
type Upstream = proxy.Upstream

// Limits is the `limits` section.
type Limits = proxy.Limits

// PickUpstream returns the index in Upstreams for a request that asked for host (its Host header) and model ("" where
// there is none). Host goes first: where upstreams name it in `hosts`, only they are candidates, else all are. Among
// the candidates the first that names the model by a pattern other than "*" wins, then the first that takes any
// model, then the first of all. It returns false only where there are no upstreams.
func (c *Config) PickUpstream(host, model string) (int, bool) {
	first, byPattern, byAny := -1, -1, -1
	hosted := c.anyHost(host)
	for i := range c.Upstreams {
		u := &c.Upstreams[i]
		if hosted && !hostMatches(u.Hosts, host) {
			continue
		}
		first = orFirst(first, i, true)
		byPattern = orFirst(byPattern, i, model != "" && modelMatches(u.Models, model))
		byAny = orFirst(byAny, i, model != "" && takesAny(u.Models))
	}
	for _, i := range []int{byPattern, byAny, first} {
		if i >= 0 {
			return i, true
		}
	}
	return 0, false
}

// orFirst keeps a hit that was found, else takes i where it is one.
func orFirst(found, i int, hit bool) int {
	if found < 0 && hit {
		return i
	}
	return found
}

func (c *Config) anyHost(host string) bool {
	for i := range c.Upstreams {
		if hostMatches(c.Upstreams[i].Hosts, host) {
			return true
		}
	}
	return false
}

// hostMatches compares without case; an entry without a port matches every port.
func hostMatches(hosts []string, host string) bool {
	if len(hosts) == 0 {
		return false
	}
	bare := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		bare = h
	}
	bare = strings.Trim(bare, "[]")
	for _, entry := range hosts {
		if tokens.Glob(entry, host) || tokens.Glob(strings.Trim(entry, "[]"), bare) {
			return true
		}
	}
	return false
}

// modelMatches leaves out the catch-all, so that the order of the file does not hide a pattern behind it.
func modelMatches(patterns []string, model string) bool {
	for _, p := range patterns {
		if p != "*" && tokens.Glob(p, model) {
			return true
		}
	}
	return false
}

func takesAny(patterns []string) bool {
	for _, p := range patterns {
		if p == "*" {
			return true
		}
	}
	return false
}
