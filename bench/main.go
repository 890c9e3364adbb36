// Command bench measures what Recap costs: CPU time of the whole proxy for each request, next to a bare fasthttp relay in
// the same run. Absolute figures move by half between runs on one machine; the ratio of two processes that
// take turns does not.
//
//	load (this process) ──▶ bare relay  (child) ──▶ upstream (this process)
//	                    ──▶ recap serve (child) ──▶
//
// Each round sends both children the same new conversations. A conversation's first request is not measured, the
// following ones are its next turns: all of their messages but the last two are known. A child's CPU
// time is read until it rests, so work that Recap does behind the answer counts.
//
//	go run ./bench          print the table
//	go run ./bench -gate    and fail where a ratio is more than twice its budget
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

// slack is how far over its budget a ratio may be before the gate closes: on shared machines the medians of one and the
// same binary were seen to differ by half.
const slack = 2

func main() {
	relay := flag.String("relay", "", "internal: be the bare relay in front of this address")
	gate := flag.Bool("gate", false, "fail where a ratio is more than twice its budget")
	rounds := flag.Int("rounds", 5, "rounds, of which the median counts")
	only := flag.String("only", "", "measure the workloads whose name holds this text")
	flag.Parse()
	if *relay != "" {
		exit(serveRelay(*relay))
	}
	exit(run(*only, max(*rounds, 1), *gate))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func run(only string, rounds int, gate bool) error {
	bench, err := newBench()
	if err != nil {
		return err
	}
	defer bench.close()
	var results []result
	for _, w := range workloads {
		if !strings.Contains(w.name, only) {
			continue
		}
		r, err := bench.measure(w, rounds)
		if err != nil {
			return fmt.Errorf("measure %s: %w", w.name, err)
		}
		results = append(results, r)
	}
	return report(os.Stdout, results, gate)
}
