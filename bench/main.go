// Command bench measures what Recap costs: CPU time of the whole proxy for each request, next to a bare fasthttp relay in
// the same run. Absolute figures move by half between runs on one machine; the ratio of two processes that
// take turns does not.
//
//	load (this process) ──▶ bare relay  ──▶ upstream (this process)
//	                    ──▶ recap serve ──▶
//	                    ──▶ httputil    ──▶
//	                    ──▶ nginx       ──▶
//
// A reading sends one proxy a batch of requests and takes the CPU time of its processes before and behind it, each time once
// they rest: work that Recap does behind the answer counts. The readings of a pair put the same batch through two
// proxies right after each other, so both see the same machine; the figure is the median of the pairs' ratios. All workloads are
// measured in each round, so that no workload has a bad minute to itself.
//
//	go run ./bench                       measure all, write docs/benchmarks.md and docs/speed.svg
//	go run ./bench -gate                 five minutes: relay and Recap only; fails where a limit is passed, twice as many readings later too
//	go run ./bench -only TEXT            the workloads whose name holds TEXT; writes no page
//	go run ./bench -only beside          what is no ratio of CPU times: memory, streams
//	go run ./bench -profile DIR -only T  profiles of Recap under these workloads, and their top lines
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"recap/internal/section"
)

// options are what the command line asks for.
type options struct {
	gate    bool
	rounds  int
	pairs   int
	only    string
	profile string
	page    string
}

func main() {
	if played, err := playRole(os.Args[1:]); played {
		exit(err)
	}
	var o options
	flag.BoolVar(&o.gate, "gate", false, "measure relay and Recap only, and fail where a limit is passed by more than a fifth")
	flag.IntVar(&o.rounds, "rounds", 5, "rounds over all workloads")
	flag.IntVar(&o.pairs, "pairs", 3, "pairs of readings in a round")
	flag.StringVar(&o.only, "only", "", "measure the workloads whose name holds this text")
	flag.StringVar(&o.profile, "profile", "", "write profiles of the chosen workloads into this folder instead")
	flag.StringVar(&o.page, "page", "docs/benchmarks.md", "the page that a full run writes; empty = none")
	flag.Parse()
	if o.profile != "" {
		exit(profile(o.profile, o.only, os.Stdout))
	}
	exit(o.run())
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// run measures and reports.
func (o *options) run() error {
	owed, err := debts(ledger)
	if err != nil {
		return err
	}
	b, err := newBench(!o.gate)
	if err != nil {
		return err
	}
	defer b.close()
	r, err := o.measure(b)
	if r == nil {
		return err
	}
	if o.gate {
		err = errors.Join(err, o.again(b, r, owed))
	}
	r.write(os.Stdout, owed, "")
	if !o.gate && o.only == "" && o.page != "" {
		err = errors.Join(err, r.publish(o.page, owed))
	}
	if o.gate {
		err = errors.Join(err, gate(r.all(), owed))
	}
	return err
}

// commandLine is how a shell was asked for a run.
func commandLine(args []string) string {
	line := "go run ./bench"
	for _, arg := range args {
		if strings.ContainsAny(arg, " \t") {
			arg = strconv.Quote(arg)
		}
		line += " " + arg
	}
	return line
}

// measure takes all readings. An error with a run tells what could not be measured beside the series.
func (o *options) measure(b *bench) (*run, error) {
	r := &run{
		command: commandLine(os.Args[1:]), load: loadAverage(), rounds: o.rounds, pairs: o.pairs,
		peers: !o.gate, nginx: len(b.peers) > 1, failed: map[string]int64{},
	}
	for i := range workloads {
		if strings.Contains(workloads[i].name, o.only) {
			r.series = append(r.series, &series{workload: &workloads[i], readings: map[string][]reading{}})
		}
	}
	for round := range o.rounds {
		for _, s := range r.series {
			if err := b.round(s, round, o.pairs); err != nil {
				return nil, err
			}
		}
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, o.rounds)
	}
	for _, s := range b.peers {
		if n := s.failed.Load(); n > 0 {
			r.failed[s.name] = n
		}
	}
	if o.only != "" && len(r.series) > 0 {
		return r, nil
	}
	return r, r.beside(b, !o.gate && o.only == "")
}

// again takes as many readings once more of each workload that does not pass the gate: a bad minute of the machine's must
// not close it, and a real loss shows in these too.
func (o *options) again(b *bench, r *run, owed map[string]debt) error {
	for round := range o.rounds {
		for _, s := range r.series {
			if round == 0 {
				s.doubted = gate([]figure{s.figure()}, owed) != nil
			}
			if !s.doubted {
				continue
			}
			if err := b.round(s, o.rounds+round, o.pairs); err != nil {
				return err
			}
			fmt.Fprintf(os.Stderr, "once more: %s\n", s.name)
		}
	}
	return nil
}

// beside measures what is no ratio of CPU times, and with growth how the cost grows.
func (r *run) beside(b *bench, growth bool) error {
	inFlight := gateInFlight
	if growth {
		inFlight = manyInFlight
	}
	var faults []error
	for _, measure := range []func() ([]figure, error){
		b.firstEvent, b.streamMemory, b.idleMemory, b.conversationMemory,
		func() ([]figure, error) { return b.flightMemory(inFlight) },
	} {
		figures, err := measure()
		r.figures, faults = append(r.figures, figures...), append(faults, err)
	}
	if growth {
		curves, err := b.growth()
		r.curves, faults = curves, append(faults, err)
	}
	return errors.Join(faults...)
}

// publish writes the page's section, and the picture beside it.
func (r *run) publish(page string, owed map[string]debt) error {
	const picture = "speed.svg"
	dir := page[:strings.LastIndexByte("/"+page, '/')]
	if err := os.WriteFile(dir+picture, []byte(r.draw()), 0o644); err != nil {
		return fmt.Errorf("write picture: %w", err)
	}
	var text strings.Builder
	r.write(&text, owed, picture)
	return section.ReplaceInFile(page, "speed", text.String())
}
