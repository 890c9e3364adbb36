package main

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"
)

// TestWorkloadsAreWhatTheySay: sizes as named, valid JSON, every measured request the next turn of an earlier one, and no
// two conversations alike.
func TestWorkloadsAreWhatTheySay(t *testing.T) {
	for _, w := range workloads {
		w.chats = min(w.chats, 5)
		b, again, other := w.batch(1), w.batch(1), w.batch(2)
		if got := b.meanSize(); got < w.size*85/100 || got > w.size*115/100 {
			t.Errorf("%s: mean size %d, want about %d", w.name, got, w.size)
		}
		if !bytes.Equal(b.first[0].body, again.first[0].body) || bytes.Equal(b.first[0].body, other.first[0].body) {
			t.Errorf("%s: a batch must depend on its seed and on nothing else", w.name)
		}
		for chat := range w.chats {
			before := b.first[chat].body
			for _, turn := range b.next {
				checkNext(t, before, turn[chat].body)
				before = turn[chat].body
			}
		}
	}
}

// checkNext asks that a request begins with all messages of the one before and adds some.
func checkNext(t *testing.T, before, body []byte) {
	t.Helper()
	if !json.Valid(body) {
		t.Errorf("not JSON: %.300s", body)
	}
	history := bytes.TrimSuffix(before, []byte(tail))
	if !bytes.HasPrefix(body, append(bytes.Clone(history), ',')) {
		t.Errorf("%.200s… is not the next turn of %.200s…", body, before)
	}
}

// TestReport: the gate closes over budget and slack, and only when asked for.
func TestReport(t *testing.T) {
	f := func(ratio float64, gate, fails bool) {
		t.Helper()
		results := []result{{workload: workload{name: "x", budget: 1.5}, ratio: ratio, bare: time.Millisecond, recap: time.Millisecond}}
		if err := report(io.Discard, results, gate); (err != nil) != fails {
			t.Errorf("ratio %.2f, gate %t: got error %v", ratio, gate, err)
		}
	}
	f(1.4, true, false)
	f(2.99, true, false)
	f(3.01, true, true)
	f(3.01, false, false)
}

// TestRelay puts a few requests through the bare relay's own handler chain: load, relay and upstream fit together.
func TestRelay(t *testing.T) {
	up, err := serveUpstream()
	if err != nil {
		t.Fatal(err)
	}
	defer up.server.Shutdown()
	direct := &child{addr: up.addr}
	w := workloads[0]
	w.chats = 3
	if err := direct.send(w.batch(1).first, 2); err != nil {
		t.Error(err)
	}
	strict := &child{addr: up.addr, status: "clear"}
	if err := strict.send(w.batch(1).first, 2); err == nil || !strings.Contains(err.Error(), "X-Recap-Status") {
		t.Errorf("got %v, want an error about the missing X-Recap-Status", err)
	}
}
