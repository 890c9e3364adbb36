package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"
)

// run is everything that one call of the bench measured.
type run struct {
	command string
	load    string // when it began
	rounds  int
	pairs   int
	series  []*series
	figures []figure // that are no series
	curves  []curve
	nginx   bool
	peers   bool
	failed  map[string]int64 // requests that peers failed
}

// all are the figures with a budget, in the order of the tables.
func (r *run) all() (list []figure) {
	for _, s := range r.series {
		list = append(list, s.figure())
	}
	for _, s := range r.series {
		list = append(list, s.against()...)
	}
	return append(list, r.figures...)
}

// write prints the report as Markdown.
func (r *run) write(out io.Writer, owed map[string]debt, picture string) {
	fmt.Fprintf(out, "`%s` on %d cores of %s, %s; load average %s when it began. %d rounds of %d pairs of readings each, medians.\n\n",
		r.command, runtime.NumCPU(), machine(), runtime.Version(), r.load, r.rounds, r.pairs)
	if picture != "" {
		fmt.Fprintf(out, "![CPU time per request as a multiple of a bare relay's](%s)\n\n", picture)
	}
	r.writeRatios(out, owed)
	r.writeFigures(out, owed)
	r.writeTimes(out)
	for _, c := range r.curves {
		writeCurve(out, &c)
	}
}

// cells prints one row of a Markdown table.
func cells(out io.Writer, cells ...string) {
	fmt.Fprintln(out, "| "+strings.Join(cells, " | ")+" |")
}

func headed(out io.Writer, names ...string) {
	cells(out, names...)
	cells(out, "---"+strings.Repeat(" | --:", len(names)-1))
}

func (r *run) writeRatios(out io.Writer, owed map[string]debt) {
	fmt.Fprintf(out, "CPU time of the proxy's process for a request (an event, of streams), and its ratio to a bare fasthttp relay's for the same "+
		"requests just before or after. In brackets the quartiles of the pairs. What runs behind the answer counts, exact token counts included.\n\n")
	headed(out, "work", "bytes", "bare relay", "Recap", "ratio", "budget", "verdict", "httputil", "nginx")
	for _, s := range r.series {
		f := s.figure()
		cells(out, s.name, fmt.Sprint(s.bytes), number(s.cpu(bareRelay))+" µs", number(s.cpu(recapName))+" µs",
			fmt.Sprintf("**%.2f** (%.2f–%.2f)", f.value, f.low, f.high), fmt.Sprintf("%.2f", f.budget), f.verdict(owed),
			r.peer(s, standardRelay), r.peer(s, nginxName))
	}
	fmt.Fprintln(out)
	for name, n := range r.failed {
		fmt.Fprintf(out, "%s failed %d requests, mostly streams; Recap and the bare relay none, or there would be no table.\n\n", name, n)
	}
}

// peer is the cell of a peer: its ratio to the bare relay.
func (r *run) peer(s *series, name string) string {
	ratios := s.ratios(name, bareRelay)
	switch {
	case len(ratios) > 0:
		return fmt.Sprintf("%.2f", quantile(ratios, .5))
	case name == nginxName && r.peers && !r.nginx:
		return "not installed"
	}
	return "–"
}

func (r *run) writeFigures(out io.Writer, owed map[string]debt) {
	list := r.all()[len(r.series):]
	if len(list) == 0 {
		return
	}
	headed(out, "beside it", "measured", "budget", "verdict", "how")
	for _, f := range list {
		how := f.note
		if f.high > 0 {
			how = fmt.Sprintf("quartiles %.2f–%.2f", f.low, f.high)
		}
		cells(out, f.name, "**"+number(f.value)+f.unit+"**", number(f.budget)+f.unit, f.verdict(owed), how)
	}
	fmt.Fprintln(out)
}

// writeTimes prints latencies and memory.
func (r *run) writeTimes(out io.Writer) {
	names := []string{bareRelay, recapName}
	if r.peers {
		names = append(names, standardRelay)
	}
	if r.nginx {
		names = append(names, nginxName)
	}
	fmt.Fprintf(out, "Time until an answer was read, p50 / p99 in µs, and resident memory behind the batch. Closed loop: each of some clients sends its "+
		"next request when the answer to the last one is read; clients and upstream use the same cores.\n\n")
	headed(out, append([]string{"work", "clients"}, names...)...)
	for _, s := range r.series {
		row := []string{s.name, fmt.Sprint(s.workers)}
		for _, name := range names {
			row = append(row, fmt.Sprintf("%.0f / %.0f, %d MB", s.latency(name, .5), s.latency(name, .99), s.memory(name)>>20))
		}
		cells(out, row...)
	}
	fmt.Fprintln(out)
}

func writeCurve(out io.Writer, c *curve) {
	fmt.Fprintf(out, "%s (%s):\n\n", c.title, c.axis)
	headed(out, "", "bytes", "bare relay", "Recap", "ratio")
	for _, p := range c.points {
		cells(out, fmt.Sprint(p.x), fmt.Sprint(p.bytes), number(p.bare)+" µs", number(p.recap)+" µs", fmt.Sprintf("%.2f", p.recap/p.bare))
	}
	fmt.Fprintln(out)
}
