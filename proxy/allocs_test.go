//go:build !race

package proxy_test

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"
)

// TestAllocations holds how many allocations a relayed request costs over the bare relay's, client and upstream being the same.
// The budgets are only ever lowered.
func TestAllocations(t *testing.T) {
	event := "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word \"}}]}\n\n"
	f := func(what, answer string, flushes int, read bool, budget float64) {
		t.Helper()
		url := benchUpstream(t, answer, flushes)
		bare, own := allocations(t, bareRelay(t, url)), allocations(t, ownRelay(t, url, read))
		if own-bare > budget {
			t.Errorf("%s: %.1f allocations, the bare relay has %.1f, the budget is %g more", what, own, bare, budget)
		}
	}
	f("plain, body read", strings.Repeat("a", 600), 0, true, -1)
	f("plain, body streamed", strings.Repeat("a", 600), 0, false, -2)
	f("stream of 50 events", event, 50, true, 3)
}

// allocations sends requests of 2 KB over one connection and returns how often all of this process allocates for one.
func allocations(t *testing.T, addr string) float64 {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	body := strings.Repeat("x", 2<<10)
	request := fmt.Appendf(nil, "POST /v1/chat/completions HTTP/1.1\r\nHost: p\r\nContent-Type: application/json\r\n"+
		"User-Agent: test\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	br := bufio.NewReaderSize(c, 64<<10)
	var resp fasthttp.Response
	return testing.AllocsPerRun(200, func() {
		if _, err := c.Write(request); err != nil {
			t.Fatal(err)
		}
		if err := resp.Read(br); err != nil || resp.StatusCode() != 200 {
			t.Fatalf("%v %d", err, resp.StatusCode())
		}
	})
}
