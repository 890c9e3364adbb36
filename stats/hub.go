package stats

import (
	"context"
	"sync"
	"sync/atomic"
)

// Event is one thing that happened, as `GET /api/events` sends it.
type Event struct {
	Kind string         `json:"kind"` // exchange, summary.queued, summary.started, summary.ready, summary.failed
	Time int64          `json:"time"` // Unix milliseconds
	Data map[string]any `json:"data"`
}

// backlog is how many events wait for one subscriber before it misses some.
const backlog = 256

// Hub passes events to subscribers. Publish never waits: a subscriber that does not keep up misses events, which is
// counted. The zero Hub is ready to use.
type Hub struct {
	mu      sync.RWMutex
	subs    map[chan Event]struct{}
	count   atomic.Int32
	dropped atomic.Uint64
}

// NewHub returns a hub without subscribers.
func NewHub() *Hub { return &Hub{} }

// Publish passes e to everybody who is subscribed now. Its Data must not be changed afterwards.
func (h *Hub) Publish(e Event) {
	if h.count.Load() == 0 {
		return
	}
	h.mu.RLock()
	defer h.mu.RUnlock()
	for sub := range h.subs {
		select {
		case sub <- e:
		default:
			h.dropped.Add(1)
		}
	}
}

// Subscribe returns a channel of all events from now on. It is closed when ctx ends.
func (h *Hub) Subscribe(ctx context.Context) <-chan Event {
	sub := make(chan Event, backlog)
	h.mu.Lock()
	if h.subs == nil {
		h.subs = map[chan Event]struct{}{}
	}
	h.subs[sub] = struct{}{}
	h.count.Add(1)
	h.mu.Unlock()
	context.AfterFunc(ctx, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.subs, sub)
		h.count.Add(-1)
		close(sub)
	})
	return sub
}

// Len is the number of subscribers.
func (h *Hub) Len() int { return int(h.count.Load()) }

// Dropped is the number of events that slow subscribers missed.
func (h *Hub) Dropped() uint64 { return h.dropped.Load() }
