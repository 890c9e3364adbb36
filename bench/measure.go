package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
	"time"
)

// bench holds the upstream and the two children.
type bench struct {
	dir      string
	upstream *upstream
	bare     *child
	recap    *child
}

func newBench() (*bench, error) {
	dir, err := os.MkdirTemp("", "recap-bench-")
	if err != nil {
		return nil, err
	}
	b := &bench{dir: dir}
	if b.upstream, err = serveUpstream(); err == nil {
		b.bare, err = startRelay(b.upstream.addr)
	}
	if err == nil {
		b.recap, err = startRecap(dir, b.upstream.addr)
	}
	if err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *bench) close() {
	for _, c := range []*child{b.bare, b.recap} {
		if c != nil {
			c.stop()
		}
	}
	if b.upstream != nil {
		b.upstream.server.Shutdown()
	}
	os.RemoveAll(b.dir)
}

// result is what one workload came to: medians over the rounds, times for one request.
type result struct {
	workload
	bytes       int // of a request, on average
	bare, recap time.Duration
	ratio       float64 // median of the rounds' ratios
	low, high   float64 // smallest and largest of them
}

// measure runs a workload for some rounds, both children in turn, the first of them alternating.
func (b *bench) measure(w workload, rounds int) (result, error) {
	var bare, recap []time.Duration
	var ratios []float64
	r := result{workload: w}
	for round := range rounds {
		batch := w.batch(uint64(round + 1))
		r.bytes = batch.meanSize()
		one, two := &bare, &recap
		children := []*child{b.bare, b.recap}
		if round%2 == 1 {
			slices.Reverse(children)
			one, two = two, one
		}
		for i, times := range []*[]time.Duration{one, two} {
			cost, err := children[i].cost(batch)
			if err != nil {
				return r, err
			}
			*times = append(*times, cost)
		}
		ratios = append(ratios, float64(recap[round])/float64(bare[round]))
	}
	slices.Sort(ratios)
	r.bare, r.recap, r.ratio = median(bare), median(recap), ratios[len(ratios)/2]
	r.low, r.high = ratios[0], ratios[len(ratios)-1]
	return r, nil
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

// report prints the table. With gate it returns an error that names what is too slow.
func report(out io.Writer, results []result, gate bool) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "CPU per request\tbytes\tbare relay\trecap\tratio\trange\tbudget\t")
	var faults []error
	for _, r := range results {
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%.2f\t%.2f–%.2f\t%.2f\t\n", r.name, r.bytes, micros(r.bare), micros(r.recap), r.ratio, r.low, r.high, r.budget)
		if r.ratio > r.budget*slack {
			faults = append(faults, fmt.Errorf("%s costs %.2f times the bare relay, the budget is %.2f", r.name, r.ratio, r.budget))
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if gate {
		return errors.Join(faults...)
	}
	return nil
}

func micros(d time.Duration) string {
	return fmt.Sprintf("%.1f µs", float64(d)/float64(time.Microsecond))
}
