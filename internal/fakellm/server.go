package fakellm

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Server is a running fake inference server. All its methods are safe for concurrent use.
type Server struct {
	opts     Options
	window   atomic.Int64
	meter    *meter
	cache    promptCache
	http     *http.Server
	url      string
	done     chan struct{}
	once     sync.Once
	handlers sync.WaitGroup

	mu            sync.Mutex
	log           []*Recorded
	nextID        int
	faults        []Fault
	summaryFaults []Fault
	changed       chan struct{} // closed and replaced at each change of the log
	rows          int           // rows made by POST /summaries
}

// New starts a server on a free port of 127.0.0.1. It panics when there is none; Start returns that as an error.
func New(o Options) *Server {
	s, err := Start(o)
	if err != nil {
		panic("fakellm: " + err.Error())
	}
	return s
}

// Start starts a server on a free port of 127.0.0.1.
func Start(o Options) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start fake model: %w", err)
	}
	return Serve(listener, o), nil
}

// Serve starts a server on a listener, which it owns from then on.
func Serve(listener net.Listener, o Options) *Server {
	o = o.withDefaults()
	s := &Server{
		opts: o, meter: newMeter(o.Count), cache: promptCache{limit: o.Slots},
		done: make(chan struct{}), changed: make(chan struct{}),
		url: "http://" + listener.Addr().String(),
	}
	s.window.Store(int64(o.Window))
	s.http = &http.Server{
		Handler:        http.HandlerFunc(s.serve),
		MaxHeaderBytes: 1 << 20,
		ConnContext:    func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
	}
	s.handlers.Go(func() { _ = s.http.Serve(listener) })
	return s
}

type connKey struct{}

// URL returns the base URL, with no path and no slash at its end.
func (s *Server) URL() string { return s.url }

// Close stops the server, breaks all connections and waits until everything of it has ended.
func (s *Server) Close() {
	s.once.Do(func() {
		s.mu.Lock()
		close(s.done)
		s.mu.Unlock()
		_ = s.http.Close()
		s.handlers.Wait()
	})
}

// SetWindow changes the context window, in tokens; 0 = unlimited.
func (s *Server) SetWindow(tokens int) { s.window.Store(int64(tokens)) }

// Window returns the context window, in tokens; 0 = unlimited.
func (s *Server) Window() int { return int(s.window.Load()) }

// NextFault queues faults for the next chats that are no summary calls, one each; a zero Fault lets one pass.
func (s *Server) NextFault(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, faults...)
}

// NextSummaryFault queues faults for the next summary calls, one each.
func (s *Server) NextSummaryFault(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.summaryFaults = append(s.summaryFaults, faults...)
}

// serve records, answers and breaks one request.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		return
	}
	defer s.handlers.Done()
	x := &exchange{Server: s, w: w, r: r, ctx: r.Context()}
	if !x.record() {
		return
	}
	if handle := s.opts.Handle[r.URL.Path]; handle != nil {
		handle(w, r)
		x.note(func(rec *Recorded) { rec.Ended = time.Now() })
		return
	}
	x.fault = s.pickFault(x.rec)
	x.deliver(x.answer())
}

// enter counts a handler in, false when the server is closing: a counter that Close waits for must not rise then.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.done:
		return false
	default:
		s.handlers.Add(1)
		return true
	}
}

// answer finds who answers and lets the fault bend what they say.
func (x *exchange) answer() answer {
	a := notFound(x)
	if handle := findRoute(x.r.Method, x.r.URL.Path); handle != nil && !x.hidden() {
		a = handle(x)
	}
	return x.fault.bendAnswer(x.rec.Dialect, a)
}

func (x *exchange) hidden() bool {
	for _, path := range x.opts.Hide {
		if strings.HasSuffix(x.r.URL.Path, path) {
			return true
		}
	}
	return false
}

func (s *Server) pickFault(rec *Recorded) Fault {
	s.mu.Lock()
	queue := &s.faults
	if rec.Summary {
		queue = &s.summaryFaults
	}
	if rec.Chat && len(*queue) > 0 {
		fault := (*queue)[0]
		*queue = (*queue)[1:]
		s.mu.Unlock()
		return fault
	}
	s.mu.Unlock()
	if s.opts.Fault != nil {
		if fault := s.opts.Fault(s.copyOf(rec)); fault != nil {
			return *fault
		}
	}
	return Fault{}
}
