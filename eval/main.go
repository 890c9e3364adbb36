// Command eval measures Recap's compaction without a model: it replays generated and recorded histories through the
// planner, and a sample of them through the whole proxy, and prints what was saved, what it cost and what got lost,
// beside the goals.
//
//	go run ./eval              a few histories of each workload; fails on a missed goal, or a figure off the golden table
//	go run ./eval -full        many histories, and the goals on generated requests at their full size
//	go run ./eval -write       also writes the tables and the picture into docs/benchmarks.md
//	go run ./eval -update      takes this run's figures as the golden table
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"time"
)

// settings are the flags.
type settings struct {
	full, update, write, tableOnly bool
	traces, child                  string
}

func main() {
	var s settings
	flag.BoolVar(&s.full, "full", false, "many histories; 1,000,000 generated requests and 100,000 twins instead of a tenth")
	flag.BoolVar(&s.update, "update", false, "take this run's figures as the golden table")
	flag.BoolVar(&s.write, "write", false, "write the tables and the picture into docs/benchmarks.md")
	flag.BoolVar(&s.tableOnly, "table", false, "replay the histories only: no generated requests, twins, or proxy")
	flag.StringVar(&s.traces, "traces", "../shared/traces", "folder of recorded runs; W10 is left out where it is absent")
	flag.StringVar(&s.child, "again", "", "decide once more on the store at this path (the second process of goal G5)")
	flag.Parse()
	if err := run(&s); err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

var errMissed = errors.New("a goal is missed, or a figure has left its tolerance")

func run(s *settings) error {
	began := time.Now()
	h, err := histories(s.full, s.traces)
	if err != nil {
		return err
	}
	rows := table(h, s.full)
	if err := measureAll(rows); err != nil {
		return err
	}
	printTable(os.Stdout, rows)
	fmt.Printf("\n%d rows in %s\n", len(rows), time.Since(began).Round(time.Second))
	return nil
}
