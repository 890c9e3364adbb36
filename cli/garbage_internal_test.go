package cli

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestGarbagePercent(t *testing.T) {
	f := func(live uint64, want int) {
		t.Helper()
		if got := garbagePercent(live); got != want {
			t.Errorf("%d bytes live: got %d, want %d", live, got, want)
		}
	}
	f(0, 400)
	f(10<<20, 400)
	f(32<<20, 400)
	f(64<<20, 200)
	f(128<<20, 100)
	f(256<<20, 50)
	f(10<<30, 25)
}

// TestTuneGarbage: after collections the setting is what suits what lives then.
func TestTuneGarbage(t *testing.T) {
	usual := debug.SetGCPercent(100)
	defer debug.SetGCPercent(usual)
	retune(&sentinel{})
	alive := make([]byte, 200<<20)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		runtime.GC()
		if got := debug.SetGCPercent(77); got != 77 && got != 100 {
			if got > 64 || got < leastPercent {
				t.Errorf("got %d with 200 MiB live", got)
			}
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("no collection changed the setting")
		}
	}
	runtime.KeepAlive(alive)
}

// TestRest: garbage is given back once when little is allocated any more, and not before.
func TestRest(t *testing.T) {
	r := rest{done: true}
	f := func(allocated uint64, want bool) {
		t.Helper()
		if got := r.due(allocated); got != want {
			t.Errorf("%d bytes allocated so far: due is %v, want %v", allocated, got, want)
		}
	}
	f(1000, false) // nothing much yet
	f(64<<20, false)
	f(128<<20, false)
	f(128<<20+1000, true)
	f(128<<20+2000, false)
	f(128<<20+3000, false)
	f(256<<20, false)
	f(256<<20, true)
	f(256<<20, false)
}

// TestGiveBack: at rest memory is collected.
func TestGiveBack(t *testing.T) {
	tick := make(chan time.Time)
	go giveBack(tick)
	defer close(tick)
	before := readMetric("/gc/cycles/forced:gc-cycles")
	waste = make([]byte, 64<<20)
	for deadline := time.Now().Add(time.Minute); readMetric("/gc/cycles/forced:gc-cycles") == before; {
		tick <- time.Time{}
		if time.Now().After(deadline) {
			t.Fatal("nothing was collected")
		}
	}
}

var waste []byte
