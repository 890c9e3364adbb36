package main

import "testing"

// G3, small.
func TestG3Generated(t *testing.T) {
	g := generate(3000)
	if g.Invalid > 0 || g.Changed*3 < g.Requests {
		t.Errorf("%d requests, %d rewritten, %d invalid: %s", g.Requests, g.Changed, g.Invalid, g.First)
	}
	t.Logf("%d requests, %d rewritten", g.Requests, g.Changed)
}
