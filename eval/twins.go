package main

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"recap/cache"
	"recap/eval/measure"
	"recap/eval/workload"
)

// twins is goal G4 (workload W6): chats with the same system prompt and opener, of which some share more, and what
// tells them apart is small. One store holds the checkpoints of all.
type twins struct {
	Chats   int64
	Used    int64 // requests with a stored checkpoint
	Wrong   int64 // with somebody else's
	Foreign int64 // with another tenant's
	First   string

	mu    sync.Mutex
	store cache.Store
}

// twinSetup is a window so small that a few messages fill it.
var twinSetup = measure.Setup{Arm: measure.Untouched, Window: 1000, Checkpoints: true, MinMessages: 4}

// judgeTwins sends two requests of each of n chats, all first ones first, and the second ones as another tenant too.
func judgeTwins(n int) (*twins, error) {
	w := &twins{store: cache.NewMemory(cache.Options{CacheSize: 4 << 30})}
	defer w.store.Close()
	for _, last := range []bool{false, true} {
		if err := w.round(n, last); err != nil {
			return w, err
		}
	}
	w.Chats = int64(n)
	return w, nil
}

// round sends the n-th request of every chat.
func (w *twins) round(n int, last bool) error {
	var next atomic.Int64
	var workers sync.WaitGroup
	errs := make(chan error, runtime.GOMAXPROCS(0))
	for range cap(errs) {
		workers.Go(func() {
			ours, theirs := twinSetup, twinSetup
			ours.Tenant, theirs.Tenant = "one", "other"
			p, q := measure.NewPlanner("openai", &ours, w.store, markers{}), measure.NewPlanner("openai", &theirs, w.store, markers{})
			defer p.Close()
			defer q.Close()
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				if err := w.request(uint64(i), last, p, q); err != nil {
					errs <- fmt.Errorf("twin %d: %w", i, err)
					return
				}
			}
		})
	}
	workers.Wait()
	close(errs)
	return <-errs
}

// request sends one request of a chat.
func (w *twins) request(i uint64, last bool, ours, theirs *measure.Planner) error {
	body := workload.Twin(i, last)
	sent, err := ours.Decide(body)
	if err != nil {
		return err
	}
	if used := sent.Decision.Used; used != nil {
		if sent.Decision.Provisional == nil {
			atomic.AddInt64(&w.Used, 1)
		}
		if mark := strange(sent.Body, body); mark != "" {
			w.fault(&w.Wrong, fmt.Sprintf("chat %d was sent %s", i, mark))
		}
	}
	if !last && sent.Decision.Job != nil {
		ours.Summarize(sent.Decision.Job, true)
	}
	if !last {
		return nil
	}
	if sent, err = theirs.Decide(body); err != nil {
		return err
	}
	if used := sent.Decision.Used; used != nil && sent.Decision.Provisional == nil {
		w.fault(&w.Foreign, fmt.Sprintf("chat %d was given another tenant's checkpoint", i))
	}
	return nil
}

func (w *twins) fault(counter *int64, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	*counter++
	if w.First == "" {
		w.First = text
	}
}

var marker = regexp.MustCompile(`twin[0-9]+x[0-9]+`)

// strange returns a marker that was sent and that the client never said.
func strange(sent, client string) string {
	for _, mark := range marker.FindAllString(sent, -1) {
		if !strings.Contains(client, mark) {
			return mark
		}
	}
	return ""
}

// markers is a summariser that tells which markers it was given.
type markers struct{}

// RoundTrip answers a summary call.
func (markers) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	list := marker.FindAllString(string(body), -1)
	slices.Sort(list)
	text := `{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"## Goal\n- ` + strings.Join(slices.Compact(list), ", ") + `"}}]}`
	return &http.Response{
		StatusCode: 200, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r, ContentLength: int64(len(text)),
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(text)),
	}, nil
}
