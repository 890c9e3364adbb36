package main

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/valyala/fasthttp"
)

// request is one body and where it goes.
type request struct {
	path string
	body []byte
}

// send puts the requests through the child, some at a time, and checks each answer.
func (c *child) send(requests []request, workers int) error {
	client := &fasthttp.HostClient{Addr: c.addr, MaxConns: workers, MaxResponseBodySize: maxBody}
	defer client.CloseIdleConnections()
	var next atomic.Int64
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(requests)) && errs[worker] == nil; i = next.Add(1) - 1 {
				errs[worker] = c.sendOne(client, &requests[i])
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (c *child) sendOne(client *fasthttp.HostClient, r *request) error {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.Header.SetMethod(fasthttp.MethodPost)
	req.SetRequestURI("http://" + c.addr + r.path)
	req.Header.SetContentType("application/json")
	req.Header.Set("Authorization", "Bearer sk-bench")
	req.SetBodyRaw(r.body)
	if err := client.Do(req, resp); err != nil {
		return err
	}
	if resp.StatusCode() != fasthttp.StatusOK || string(resp.Body()) != answer {
		return fmt.Errorf("answer %d %.200s", resp.StatusCode(), resp.Body())
	}
	// A chat that Recap did not look at would make for fine figures.
	if got := string(resp.Header.Peek("X-Recap-Status")); c.status != "" && r.path == chatPath && got != c.status {
		return fmt.Errorf("X-Recap-Status is %q, want %q", got, c.status)
	}
	return nil
}
