// Package stats holds what is counted and what is told: metrics, recent exchanges, and the events that the admin
// listener streams. Neither keys, credentials nor message text ever enter it.
package stats

// Event is one thing that happened, as `GET /api/events` sends it.
type Event struct {
	Kind string         `json:"kind"` // exchange, summary.queued, summary.started, summary.ready, summary.failed
	Time int64          `json:"time"` // Unix milliseconds
	Data map[string]any `json:"data"`
}
