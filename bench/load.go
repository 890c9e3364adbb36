package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// request is a step of a conversation and how it is put.
type request struct {
	talk   *talk
	step   int
	path   string
	wish   string // which answer the upstream gives
	header [2]string
	status string // X-Recap-Status that it must have from Recap; "" = do not look
}

// sender puts requests through a subject, some at a time.
type sender struct {
	*subject
	took []time.Duration // of each request, until its answer was read
}

// send sends the requests and checks each answer.
func (s *sender) send(requests []request, workers int) error {
	took := make([]time.Duration, len(requests))
	errs := make([]error, workers)
	var next atomic.Int64
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			var body []byte
			for i := next.Add(1) - 1; i < int64(len(requests)) && errs[worker] == nil; i = next.Add(1) - 1 {
				r := &requests[i]
				body = r.render(body[:0])
				began := time.Now()
				if err := s.one(r, body); err != nil && s.peer {
					s.failed.Add(1)
				} else {
					errs[worker] = err
				}
				took[i] = time.Since(began)
			}
		})
	}
	wg.Wait()
	s.took = append(s.took, took...)
	return errors.Join(errs...)
}

// groups sends each group when the one before it is answered.
func (s *sender) groups(groups [][]request, workers int) error {
	for _, group := range groups {
		if err := s.send(group, workers); err != nil {
			return err
		}
	}
	return nil
}

func (r *request) render(dst []byte) []byte {
	if r.wish == plain {
		return r.talk.body(dst, r.step, tail)
	}
	return r.talk.body(dst, r.step, streamTail)
}

// one sends a request and reads its answer to the end.
func (s *subject) one(r *request, body []byte) error {
	return s.exchange(r, body, func(resp *fasthttp.Response) error {
		text, err := io.ReadAll(resp.BodyStream())
		switch {
		case err != nil:
			return fmt.Errorf("%s: read answer: %w", s.name, err)
		case r.wish == plain && !bytes.HasSuffix(text, []byte(answerEnd)):
			return fmt.Errorf("%s: answer %.200s", s.name, text)
		case r.wish == burst && bytes.Count(text, []byte("\n\n")) != burstEvents+2,
			r.wish == paced && bytes.Count(text, []byte("\n\n")) != pacedEvents+2,
			(r.wish == held || r.wish == brief) && bytes.Count(text, []byte("\n\n")) != 4:
			return fmt.Errorf("%s: %d events in the answer", s.name, bytes.Count(text, []byte("\n\n")))
		}
		return nil
	})
}

// exchange sends a request and hands its answer on once its headers are there.
func (s *subject) exchange(r *request, body []byte, read func(*fasthttp.Response) error) error {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.Header.SetMethod(fasthttp.MethodPost)
	req.SetRequestURI("http://" + s.addr + r.path)
	req.Header.SetContentType("application/json")
	req.Header.Set("Authorization", "Bearer sk-bench")
	req.Header.Set(wishHeader, r.wish)
	if r.header[0] != "" {
		req.Header.Set(r.header[0], r.header[1])
	}
	req.SetBodyRaw(body)
	if err := s.client.Do(req, resp); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	if resp.StatusCode() != fasthttp.StatusOK {
		return fmt.Errorf("%s: status %d", s.name, resp.StatusCode())
	}
	// A chat that Recap did not look at would make for fine figures.
	status, _, _ := bytes.Cut(resp.Header.Peek("X-Recap-Status"), []byte(";"))
	if s.recap && r.status != "" && string(status) != r.status {
		return fmt.Errorf("X-Recap-Status is %q, want %q (%d bytes, %s)", resp.Header.Peek("X-Recap-Status"), r.status, len(body),
			resp.Header.Peek("X-Recap-Tokens"))
	}
	if err := read(resp); err != nil {
		return err
	}
	return resp.CloseBodyStream()
}
