package main

import (
	"fmt"
	"io"
	"strings"

	"recap/eval/measure"
)

// goal is one line of the goals: what was measured, what is asked for.
type goal struct {
	name, what   string
	figure, want string
	met          bool
	skipped      bool // could not be measured here
}

func (g *goal) verdict() string {
	switch {
	case g.skipped:
		return "not measured"
	case g.met:
		return "met"
	}
	return "MISSED"
}

// results is all that one evaluation found out.
type results struct {
	rows         []*row
	generated    *generated
	twins        *twins
	again        *again
	proxy, loops overHTTP
	path         []pathCost
}

// find returns the sums of a workload's row, nil where it was not measured.
func (r *results) find(kind string, window int, arm measure.Arm, checkpoints bool) *measure.Figures {
	for _, row := range r.rows {
		s := &row.setup
		if row.kind == kind && s.Window == window && s.Arm.Name == arm.Name && s.Checkpoints == checkpoints && s.Delay <= 1 && (s.Script == "" || s.Script == measure.Faithful) {
			return &row.sum
		}
	}
	return nil
}

// goals judges G1 to G11. G1 and G2 were set on real runs: they are judged on W10 alone.
func (r *results) goals() []goal {
	list := []goal{r.g1(), r.g2()}
	if r.generated != nil {
		list = append(list, r.others()...)
	}
	return append(list, r.calm()...)
}

func (r *results) g1() goal {
	g := goal{name: "G1", what: "budget + digest + cap, W10 at 128k: tokens, prefill, cost", want: "≤ 0.42, ≤ 1.0, ≤ 0.50"}
	f := r.find("W10", k128, measure.BudgetBoth, false)
	if g.skipped = f == nil; g.skipped {
		return g
	}
	g.figure = fmt.Sprintf("%.3f, %.3f, %.3f", f.Tokens(), f.Prefill(), f.Cost())
	g.met = f.Tokens() <= 0.42 && f.Prefill() <= 1 && f.Cost() <= 0.5
	return g
}

func (r *results) g2() goal {
	g := goal{name: "G2", what: "budget + digest, W10 at 128k, no model: hindsight, tokens", want: "≥ 0.99, ≤ 0.48"}
	f := r.find("W10", k128, measure.BudgetNotes, false)
	if g.skipped = f == nil; g.skipped {
		return g
	}
	g.figure = fmt.Sprintf("%.4f, %.3f", f.Recall(), f.Tokens())
	g.met = f.Recall() >= 0.99 && f.Tokens() <= 0.48
	return g
}

func (r *results) others() []goal {
	g, t, a, p, l := r.generated, r.twins, r.again, &r.proxy, &r.loops
	invalid := g.Invalid + int64(r.sum(func(f *measure.Figures) int { return f.Invalid })) + int64(p.Refused)
	wrong := t.Wrong + t.Foreign + int64(r.sum(func(f *measure.Figures) int { return f.Wrong }))
	prefix := share(l.SharedBytes, l.EarlierBytes)
	return []goal{
		{
			name: "G3", what: fmt.Sprintf("invalid bodies in %d generated requests, and in the whole table", g.Requests),
			figure: fmt.Sprint(invalid), want: "0", met: invalid == 0,
		},
		{
			name: "G4", what: fmt.Sprintf("wrong checkpoints in %d twins, and in the whole table", t.Chats),
			figure: fmt.Sprint(wrong), want: "0", met: wrong == 0 && t.Used > t.Chats/2,
		},
		{
			name: "G5", what: fmt.Sprintf("of %d bodies, otherwise in a second process from scratch, on its store, after a restart, cold", a.Bodies),
			figure: fmt.Sprintf("%d, %d, %d, %d", a.Rerun, a.Process, a.Restart, a.Cold), want: "0", met: a.Rerun+a.Process+a.Restart+a.Cold == 0,
		},
		r.g6(),
		{
			name: "G7", what: fmt.Sprintf("of %d requests beside a hanging summary, delayed by it", p.Hung),
			figure: fmt.Sprint(p.Delayed), want: "0", met: p.Delayed == 0 && p.Hung > 20,
		},
		{
			name: "G8", what: fmt.Sprintf("summary calls for %d equal requests at once", p.Equal),
			figure: fmt.Sprint(p.Calls), want: "1", met: p.Calls == 1,
		},
		{
			name: "G9", what: "200 calls through the proxy at 128k: prefix bytes kept; breaks; breaks not declared",
			figure: fmt.Sprintf("%.4f; %d; %d", prefix, l.Breaks, p.Undeclared), want: "≥ 0.96; declared", met: prefix >= 0.96 && p.Undeclared == 0,
		},
	}
}

func (r *results) g6() goal {
	misused := r.sum(func(f *measure.Figures) int { return f.Misused })
	behind := r.sum(func(f *measure.Figures) int { return f.Behind })
	choices := r.sum(func(f *measure.Figures) int { return f.Choices })
	return goal{
		name: "G6", what: fmt.Sprintf("of %d requests, with another checkpoint than the rule names; behind the one in use", choices),
		figure: fmt.Sprintf("%d; %d", misused, behind), want: "0; 0", met: misused+behind == 0,
	}
}

// calm judges G10, G11 and the calm of issue 3.
func (r *results) calm() []goal {
	kept, least := "", 1.0
	for _, row := range r.rows {
		if row.kind == "W1" && row.setup.Script == measure.Constant {
			kept += fmt.Sprintf("%s %.3f; ", windowName(row.setup.Window), row.sum.FactsKept())
			least = min(least, row.sum.FactsKept())
		}
	}
	summaries, requests := 0, 0
	for _, kind := range []string{"W3", "W10"} {
		if f := r.find(kind, k128, measure.BudgetNotes, true); f != nil {
			summaries += f.Summaries
			requests += f.Requests
		}
	}
	rate := float64(summaries) / float64(max(requests, 1)) * 115
	unrest, perWindow := 0, ""
	for _, window := range windows {
		restless, needless, split := r.calmAt(window)
		unrest += needless + split
		perWindow += fmt.Sprintf("%s %d (%d); %d, ", windowName(window), needless, restless, split)
	}
	return []goal{
		{name: "G10", what: "planted facts kept on W1 with a constant summary", figure: kept, want: "≥ 0.95 each", met: least >= 0.95, skipped: kept == ""},
		{
			name: "G11", what: "summaries per 115 calls, budget + digest at 128k, W3 and W10", figure: fmt.Sprintf("%.3f", rate),
			want: "≤ 0.05", met: rate <= 0.05, skipped: requests == 0,
		},
		{
			name: "calm", what: "swaps needed within three requests of one, not for new messages alone (of them, those that came with the first swap not counted); pruned in the request before a swap",
			figure: strings.TrimSuffix(perWindow, ", "), want: "0; 0 each", met: unrest == 0,
		},
	}
}

// calmAt adds up the kinds of unrest at a window.
func (r *results) calmAt(window int) (restless, needless, split int) {
	for _, row := range r.rows {
		if row.setup.Window == window {
			restless += row.sum.Restless
			needless += row.sum.Needless
			split += row.sum.Split
		}
	}
	return restless, needless, split
}

// sum adds up a count over all rows.
func (r *results) sum(of func(*measure.Figures) int) int {
	n := 0
	for _, row := range r.rows {
		n += of(&row.sum)
	}
	return n
}

func share(part, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}

func printGoals(w io.Writer, list []goal) {
	for i := range list {
		g := &list[i]
		fmt.Fprintf(w, "%-5s %-12s %-28s want %-26s %s\n", g.name, g.verdict(), g.figure, g.want, g.what)
	}
}
