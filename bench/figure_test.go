package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// TestLedger: each line names a figure of a full run, allows more than the budget does, and says why.
func TestLedger(t *testing.T) {
	owed, err := debts(ledger)
	if err != nil {
		t.Fatal(err)
	}
	budgets := map[string]float64{
		"added time to first event": 1.2, "memory per open stream": 45, "idle memory": 40, "memory per body in flight": 1.5,
		"memory of 10,000 idle conversations": 100,
		"next turn, 2 KB, to httputil":        .45, "next turn, 256 KB, to nginx": 1, "next turn, 1 MB, to nginx": 1,
	}
	for _, w := range workloads {
		budgets[w.name] = w.budget
	}
	for name, d := range owed {
		budget, known := budgets[name]
		switch {
		case !known:
			t.Errorf("%q is no figure", name)
		case d.allowed <= budget:
			t.Errorf("%s: %g is allowed, the budget is %g: the line can go", name, d.allowed, budget)
		case d.why == "":
			t.Errorf("%s: no reason", name)
		}
	}
}

func TestDebts(t *testing.T) {
	f := func(text string, want float64, fails bool) {
		t.Helper()
		got, err := debts(text)
		if (err != nil) != fails || got["a b"].allowed != want {
			t.Errorf("%q: got %v, %v", text, got, err)
		}
	}
	f("# note\n\na b | 2.5 | reason\n", 2.5, false)
	f("a b | 2.5\n", 0, true)
	f("a b | much | reason\n", 0, true)
}

// TestGate: it closes over budget or what is allowed, and a fifth.
func TestGate(t *testing.T) {
	f := func(value, allowed float64, fails bool) {
		t.Helper()
		owed := map[string]debt{"x": {allowed: allowed}}
		if err := gate([]figure{{name: "x", value: value, budget: 1.5}}, owed); (err != nil) != fails {
			t.Errorf("%.2f with %.2f allowed: got error %v", value, allowed, err)
		}
	}
	f(1.79, 0, false)
	f(1.81, 0, true)
	f(2.39, 2, false)
	f(2.41, 2, true)
	f(1.79, 1, false) // a line never lowers the budget
}

// sample is a run with readings of which Recap's take so many times the relay's.
func sample(times ...int) *run {
	w := workload{name: "next turn, 2 KB", kind: known, size: 2 * kilobyte, budget: 1.15}
	s := &series{workload: &w, readings: map[string][]reading{}}
	for i, n := range times {
		unit := time.Duration(i+1) * 10 * time.Microsecond // pairs differ, their ratios tell
		s.readings[bareRelay] = append(s.readings[bareRelay], reading{cpu: unit, took: []time.Duration{unit}})
		s.readings[recapName] = append(s.readings[recapName], reading{cpu: unit * time.Duration(n), took: []time.Duration{unit}})
		s.readings[standardRelay] = append(s.readings[standardRelay], reading{cpu: unit * 4})
	}
	return &run{
		series: []*series{s}, peers: true, figures: []figure{{name: "idle memory", value: 24, unit: " MB", budget: 40}},
		curves: []curve{{title: "growth <of>", axis: "messages", points: []point{{1, 100, 10, 12}, {1000, 9000, 20, 30}}}},
	}
}

// TestRatiosArePaired: the figure is the median of the pairs' ratios, not the ratio of medians.
func TestRatiosArePaired(t *testing.T) {
	r := sample(1, 3, 2, 9, 2)
	if got := r.series[0].figure(); got.value != 2 || got.low != 2 || got.high != 3 {
		t.Errorf("got %+v, want the median 2 and the quartiles 2 and 3", got)
	}
	if all := r.all(); len(all) != 3 || all[1].name != "next turn, 2 KB, to httputil" || all[1].value != .5 {
		t.Errorf("got %+v", all)
	}
}

// TestReport: what is missing is said, not left out.
func TestReport(t *testing.T) {
	var out strings.Builder
	sample(2, 2, 2).write(&out, map[string]debt{"next turn, 2 KB": {2.5, "x"}}, "speed.svg")
	for _, want := range []string{"**2.00** (2.00–2.00) | 1.15 | **missed**, 2.50 allowed | 4.00 | not installed |", "idle memory | **24.0 MB** | 40.0 MB | kept", "speed.svg"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in the report:\n%s", want, out.String())
		}
	}
}

// TestPicture: it is well-formed, whatever is in the names.
func TestPicture(t *testing.T) {
	d := xml.NewDecoder(strings.NewReader(sample(2, 2, 2).draw()))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
