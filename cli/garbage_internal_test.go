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
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
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

// TestGiveBack: garbage is given back once when nothing is allocated any more, and not before.
func TestGiveBack(t *testing.T) {
	tick := make(chan time.Time)
	go giveBack(tick)
	defer close(tick)
	f := func(allocate, ticks int, want uint64) {
		t.Helper()
		before := readMetric("/gc/cycles/forced:gc-cycles")
		waste = make([]byte, allocate)
		for range ticks {
			tick <- time.Time{} // it is received when the one before has been dealt with
		}
		if got := readMetric("/gc/cycles/forced:gc-cycles") - before; got != want {
			t.Errorf("%d bytes allocated, %d ticks: %d collections, want %d", allocate, ticks, got, want)
		}
	}
	f(64<<20, 2, 0) // of the second one nothing is known yet
	f(0, 3, 1)
	f(0, 3, 0)
	f(64<<20, 4, 1)
}

var waste []byte
