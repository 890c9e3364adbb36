package main

import (
	"strings"
	"testing"
)

// TestSubjects puts a few requests of each kind of answer through the upstream alone, the bare relay and httputil.
func TestSubjects(t *testing.T) {
	up, err := serveUpstream()
	if err != nil {
		t.Fatal(err)
	}
	defer up.server.Shutdown()
	bare, err := startSelf(bareRelay, up.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer bare.stop()
	standard, err := startSelf(standardRelay, up.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer standard.stop()
	// It breaks off an answer now and then ("use of closed network connection"); the bench counts that, as here.
	standard.peer = true
	for _, s := range []*subject{newSubject("direct", up.addr, nil), bare, standard} {
		for _, wish := range []string{"", burst, paced, brief} {
			w := workload{kind: first, size: 2 * kilobyte, chats: 3, wish: wish}
			if err := (&sender{subject: s}).groups(w.batch(1).measured, 2); err != nil {
				t.Errorf("%s, %q: %v", s.name, wish, err)
			}
		}
	}
	if n := standard.failed.Load(); n > 4 {
		t.Errorf("httputil fails %d of 12 requests", n)
	}
}

// TestStatusIsAskedFor: figures of a Recap that did not look at the chats would be fine and worth nothing.
func TestStatusIsAskedFor(t *testing.T) {
	up, err := serveUpstream()
	if err != nil {
		t.Fatal(err)
	}
	defer up.server.Shutdown()
	w := workload{kind: first, size: 2 * kilobyte, chats: 1}
	s := newSubject("strict", up.addr, nil)
	s.recap = true
	if err := (&sender{subject: s}).groups(w.batch(1).measured, 1); err == nil || !strings.Contains(err.Error(), "X-Recap-Status") {
		t.Errorf("got %v, want an error about the missing X-Recap-Status", err)
	}
	s = newSubject("peer", "127.0.0.1:1", nil)
	s.peer = true
	if err := (&sender{subject: s}).groups(w.batch(1).measured, 1); err != nil || s.failed.Load() != 1 {
		t.Errorf("got %v and %d failures, want a peer's failure counted", err, s.failed.Load())
	}
}

// TestReadingCounts: a reading is CPU time for each unit, and the peers' memory is read.
func TestReadingCounts(t *testing.T) {
	up, err := serveUpstream()
	if err != nil {
		t.Fatal(err)
	}
	defer up.server.Shutdown()
	bare, err := startSelf(bareRelay, up.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer bare.stop()
	w := workload{kind: first, size: 2 * kilobyte, chats: 200, workers: 4}
	r, err := bare.read(w.batch(1))
	if err != nil || r.cpu <= 0 || r.memory < megabyte || len(r.took) != 200 {
		t.Errorf("got %v, %d bytes, %d times, %v", r.cpu, r.memory, len(r.took), err)
	}
}
