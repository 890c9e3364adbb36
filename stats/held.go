package stats

import "fmt"

// Held registers a part of the program that keeps things in memory between requests: bytes tells about how many, and is
// asked each time the metrics are read. It is called once for each name.
func (s *Stats) Held(what string, bytes func() int) {
	s.set.NewGauge(fmt.Sprintf("recap_held_bytes{what=%q}", what), func() float64 { return float64(bytes()) })
}

// Relaying counts the bytes of chats that are on their way to an upstream or wait for its answer: n more, or with a
// negative n fewer. Safe for concurrent use.
func (s *Stats) Relaying(n int) { s.relaying.Add(int64(n)) }
