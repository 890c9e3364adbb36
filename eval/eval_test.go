package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"recap/eval/measure"
	"recap/eval/workload"
)

// small is a result of a few runs, enough for every table.
func small(t *testing.T) *results {
	t.Helper()
	h := runs{
		"W1": {workload.Chat(1, 60)}, "W3": {workload.Loop(1, 25)}, "W5": {workload.Branches(1, 30)}, "W9": {workload.Chat(2, 30)},
	}
	var rows []*row
	for _, r := range table(h, false) {
		if r.kind != "W3" || r.setup.Window == k128 {
			rows = append(rows, r)
		}
	}
	r := &results{rows: rows}
	if err := measureAll(rows); err != nil {
		t.Fatal(err)
	}
	return r
}

// G6, G10 and the promises P4, P5 on a few runs; the same rows twice give the same golden table (P7).
func TestG6G10SmallTable(t *testing.T) {
	r := small(t)
	for _, row := range r.rows {
		f := &row.sum
		if f.Invalid+f.Wrong+f.Misused+f.Behind > 0 {
			t.Errorf("%s: %d invalid (%s), %d wrong, %d misused, %d behind", row.name(), f.Invalid, f.First, f.Wrong, f.Misused, f.Behind)
		}
		if row.kind == "W1" && row.setup.Window == k4 && (f.FactsKept() < 0.95 || f.Summaries == 0) {
			t.Errorf("%s: %.3f of the facts kept, %d summaries", row.name(), f.FactsKept(), f.Summaries)
		}
		if row.setup.Arm.Name == measure.Untouched.Name && !row.setup.Checkpoints && (f.Tokens() != 1 || f.Prefill() != 1 || f.Cost() != 1 || f.Prefix() != 1) {
			t.Errorf("%s: nothing is done, yet tokens %v, prefill %v, cost %v, prefix %v", row.name(), f.Tokens(), f.Prefill(), f.Cost(), f.Prefix())
		}
	}
	if again := small(t); goldenText(again.rows) != goldenText(r.rows) {
		t.Error("the same runs give other figures the second time")
	}
	if text := sectionText(&settings{}, r, r.goals()); !strings.Contains(text, "| W5 | 4k |") || !strings.Contains(text, "| G1 |") {
		t.Errorf("the page lacks rows:\n%s", text)
	}
	if err := wellFormed(drawArms(r)); err != nil {
		t.Errorf("picture: %v", err)
	}
}

func wellFormed(text string) error {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// A figure that leaves its tolerance, or that the table does not know, is named.
func TestStrayed(t *testing.T) {
	r := &row{kind: "W1", setup: measure.Setup{Arm: measure.Untouched, Window: k4}, sum: measure.Figures{ClientTokens: 100, SentTokens: 50, Runs: 1}}
	want := map[string]float64{}
	for _, m := range metrics {
		want[r.name()+" · "+m.name] = m.of(r)
	}
	if got := strayed([]*row{r}, want); len(got) != 0 {
		t.Errorf("nothing moved: %q", got)
	}
	r.sum.SentTokens = 55
	if got := strayed([]*row{r}, want); len(got) != 2 || !strings.Contains(got[0], "tokens: 0.5500, want 0.5000") {
		t.Errorf("tokens, and so the cost, moved: %q", got)
	}
	r.sum.SentTokens = 50
	delete(want, r.name()+" · wrong")
	if got := strayed([]*row{r}, want); len(got) != 1 || !strings.Contains(got[0], "is new") {
		t.Errorf("a figure that is new: %q", got)
	}
}

// A goal that is missed is said to be, one that could not be measured is not said to be met.
func TestVerdict(t *testing.T) {
	f := func(g goal, want string) {
		t.Helper()
		if got := g.verdict(); got != want {
			t.Errorf("%+v: %q, want %q", g, got, want)
		}
	}
	f(goal{met: true}, "met")
	f(goal{}, "MISSED")
	f(goal{skipped: true}, "not measured")
}

// G4, small: the twins' judge sees strangers, and there are none.
func TestG4Twins(t *testing.T) {
	w, err := judgeTwins(300)
	if err != nil || w.Wrong+w.Foreign > 0 || w.Used < 150 {
		t.Errorf("%v: %d used, %d wrong, %d foreign: %s", err, w.Used, w.Wrong, w.Foreign, w.First)
	}
	if strange("about twin1x2", "twin1x1 twin1x0") != "twin1x2" || strange("about twin1x0", "twin1x1 twin1x0") != "" {
		t.Error("a stranger's marker is not seen")
	}
}
