package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestWorkloadsAreWhatTheySay: sizes as named, valid JSON, every measured request the next turn of an earlier one but for first
// sights, and no two conversations alike.
func TestWorkloadsAreWhatTheySay(t *testing.T) {
	for i := range workloads {
		w := workloads[i]
		w.chats = min(w.chats, 5)
		b, again, other := w.batch(1), w.batch(1), w.batch(2)
		if b.bytes < w.size*85/100 || b.bytes > w.size*140/100 {
			t.Errorf("%s: mean size %d, want about %d", w.name, b.bytes, w.size)
		}
		one := b.measured[0][0].render(nil)
		if !bytes.Equal(one, again.measured[0][0].render(nil)) || bytes.Equal(one, other.measured[0][0].render(nil)) ||
			bytes.Equal(one, b.measured[0][1].render(nil)) {
			t.Errorf("%s: a batch must depend on its seed and on nothing else, and no two chats be alike", w.name)
		}
		if len(b.measured) != max(w.steps, 1) {
			t.Errorf("%s: %d groups are measured, want %d", w.name, len(b.measured), max(w.steps, 1))
		}
		for chat := range w.chats {
			steps := append(append([][]request{}, b.before...), b.measured...)
			for at := 1; at < len(steps); at++ {
				before, next := steps[at-1][chat], steps[at][chat]
				checkNext(t, before.talk.body(nil, before.step, tail), next.talk.body(nil, next.step, tail))
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

// TestFirstSightKnowsNothing: nothing is sent before what is measured.
func TestFirstSightKnowsNothing(t *testing.T) {
	for i := range workloads {
		if w := workloads[i]; w.kind == first {
			w.chats = 2
			if b := w.batch(1); len(b.before) > 0 {
				t.Errorf("%s: %d groups are sent before", w.name, len(b.before))
			}
		}
	}
}

// TestSettingsNameEachWindow: a workload whose model had no window of its own would measure something else.
func TestSettingsNameEachWindow(t *testing.T) {
	text := settings("dir", "name", true)
	for i := range workloads {
		if w := &workloads[i]; w.window > 0 && !strings.Contains(text, "{match: "+w.model()+", contextWindow:") {
			t.Errorf("%s: its model is not in the settings", w.name)
		}
	}
}
