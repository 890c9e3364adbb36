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
	const allocated = "/gc/heap/allocs:bytes"
	r := rest{done: true}
	for range tick {
		if r.due(readMetric(allocated)) {
			debug.FreeOSMemory()
			r.last = readMetric(allocated) // small allocations are counted late: by a collection
		}
	}
}

// rest tells when garbage is given back: at the first tick since which little was allocated, and then not again before
// much was.
type rest struct {
	last uint64 // bytes that had ever been allocated, at the tick before
	done bool
}

func (r *rest) due(allocated uint64) bool {
	idle := allocated-r.last < idleAllocs
	due := idle && !r.done
	r.last, r.done = allocated, idle
	return due
}

func readMetric(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
