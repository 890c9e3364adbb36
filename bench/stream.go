package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// firstEvents is how many answers are timed for the time to the first event.
const firstEvents = 250

// firstEvent compares the time that Recap adds until a client has the first event with what the bare relay adds.
func (b *bench) firstEvent() ([]figure, error) {
	direct := newSubject("no proxy", b.upstream.addr, nil)
	defer direct.client.CloseIdleConnections()
	subjects := []*subject{direct, b.bare, b.recap}
	times := make([][]float64, len(subjects))
	for i := range firstEvents {
		t := newTalk(rand.New(rand.NewPCG(uint64(i), 77)), farModel, 2*kilobyte, 2*kilobyte, 1)
		for at := range subjects {
			at = (at + i) % len(subjects)
			if err := subjects[at].one(&request{talk: t, path: chatPath, wish: plain}, t.body(nil, 0, tail)); err != nil {
				return nil, err
			}
			took, err := subjects[at].first(&request{talk: t, step: 1, path: chatPath, wish: brief, status: "clear"})
			if err != nil {
				return nil, err
			}
			times[at] = append(times[at], micros(took))
		}
	}
	none, bare, recap := quantile(times[0], .5), quantile(times[1], .5), quantile(times[2], .5)
	return []figure{{
		name: "added time to first event", value: (recap - none) / max(bare-none, 1), unit: "×", budget: 1.2,
		note: fmt.Sprintf("medians: no proxy %.0f µs, bare relay %.0f µs, Recap %.0f µs; one request at a time, 2 KB", none, bare, recap),
	}}, nil
}

// first sends a request and returns the time until the first byte of its answer's body; the rest is read, too.
func (s *subject) first(r *request) (took time.Duration, err error) {
	body := r.render(nil)
	began := time.Now()
	err = s.exchange(r, body, func(resp *fasthttp.Response) error {
		if _, err := io.ReadFull(resp.BodyStream(), make([]byte, 1)); err != nil {
			return err
		}
		took = time.Since(began)
		_, err := io.Copy(io.Discard, resp.BodyStream())
		return err
	})
	return took, err
}

// opening is how many requests are on their way to the upstream at once, while more and more are held there.
const opening = 50

// openStreams is how many answers are open at once when their memory is read.
const openStreams = 1000

// streamMemory is what one open stream holds, and how many of them failed.
func (b *bench) streamMemory() ([]figure, error) {
	bare, err := startSelf(bareRelay, b.upstream.addr)
	if err != nil {
		return nil, err
	}
	defer bare.stop()
	recap, err := b.startRecap("recap-streams", false)
	if err != nil {
		return nil, err
	}
	defer recap.stop()
	theirs, _, err := b.hold(bare, openStreams, 2*kilobyte)
	if err != nil {
		return nil, err
	}
	ours, failed, err := b.hold(recap, openStreams, 2*kilobyte)
	note := fmt.Sprintf("%d streams of 2 KB chats; bare relay %.1f KB", openStreams, theirs/openStreams/kilobyte)
	return []figure{
		{name: "memory per open stream", value: ours / openStreams / kilobyte, unit: " KB", budget: 45, note: note},
		{name: "errors in 1,000 open streams", value: float64(failed), budget: 0},
	}, err
}

// hold opens so many requests at once that the upstream does not finish, and returns by how much the subject's
// memory grew from rest, in bytes, and how many requests failed in the end.
func (b *bench) hold(s *subject, n, size int) (grown float64, failed int, err error) {
	warm := newTalk(rand.New(rand.NewPCG(0, 99)), farModel, 2*kilobyte, 2*kilobyte, 0)
	if err := s.one(&request{talk: warm, path: chatPath, wish: plain}, warm.body(nil, 0, tail)); err != nil {
		return 0, 0, err
	}
	if _, err := s.rest(); err != nil {
		return 0, 0, err
	}
	before, err := s.memory()
	if err != nil {
		return 0, 0, err
	}
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			t := newTalk(rand.New(rand.NewPCG(uint64(i), 98)), farModel, size, size, 0)
			r := &request{talk: t, path: chatPath, wish: held, status: "clear"}
			errs[i] = s.one(r, r.render(nil))
		})
		if i%opening == opening-1 { // a client that opens all at once measures the kernel's patience
			b.upstream.awaitHeld(int64(i + 1))
		}
	}
	waited := b.upstream.awaitHeld(int64(n))
	_, _ = s.rest()
	during, err := s.memory()
	b.upstream.release()
	wg.Wait()
	var some error
	for _, e := range errs {
		if e != nil {
			failed, some = failed+1, e
		}
	}
	if err == nil && !waited {
		err = fmt.Errorf("%s: fewer than %d requests reached the upstream, %d failed: %w", s.name, n, failed, some)
	}
	return float64(during - before), failed, err
}

// awaitHeld waits until so many answers wait for the gate. False after half a minute.
func (u *upstream) awaitHeld(n int64) bool {
	for range 3000 {
		if u.wait.Load() >= n {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}
