package cli

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// How much garbage there may be before it is collected. Request bodies come and go fast, and what lives is small at first:
// then it may be four times that. Where much lives, four times would be gigabytes: then it is a fixed amount, or
// a quarter of what lives.
const (
	mostPercent  = 400
	leastPercent = 25
	garbageBytes = 128 << 20
)

// garbagePercent is the GOGC that suits so many live bytes.
func garbagePercent(live uint64) int {
	return int(min(max(garbageBytes*100/max(live, 1), leastPercent), mostPercent))
}

// tuneGarbage sets GOGC after each collection from now on. It returns at once; there is no end to it.
func tuneGarbage() {
	debug.SetGCPercent(mostPercent)
	retune(&sentinel{})
	go giveBack(time.NewTicker(idleEvery).C)
}

// sentinel is garbage from the start: the collector tells us that it ran by finding it.
type sentinel struct{ _ [16]byte }

func retune(s *sentinel) {
	runtime.SetFinalizer(s, func(s *sentinel) {
		debug.SetGCPercent(garbagePercent(readMetric("/gc/heap/live:bytes")))
		retune(s)
	})
}

// A process that rests keeps its garbage: there is no reason to collect it. After idleEvery without idleAllocs of new memory
// it is collected once, and given back.
const (
	idleEvery  = 5 * time.Second
	idleAllocs = 256 << 10
)

func giveBack(tick <-chan time.Time) {
	last, done := uint64(0), true
	for range tick {
		now := readMetric("/gc/heap/allocs:bytes")
		switch idle := now-last < idleAllocs; {
		case !idle:
			done = false
		case !done:
			debug.FreeOSMemory()
			done = true
		}
		last = now
	}
}

func readMetric(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
