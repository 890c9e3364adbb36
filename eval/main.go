// Command eval measures Recap's compaction without a model: it replays generated and recorded histories through the
// planner, and a sample of them through the whole proxy, and prints what was saved, what it cost and what got lost,
// beside the goals.
//
//	go run ./eval              a few histories of each workload; fails on a missed goal, or a figure off the golden table
//	go run ./eval -full        many histories, and the goals on generated requests at their full size
//	go run ./eval -write       also writes the tables and the picture into docs/benchmarks.md
//	go run ./eval -only W5     the rows of one workload, their goals and nothing else
//	go run ./eval -only W7 -window 16k -why  at one window, and where calm was broken
//	go run ./eval -update      takes this run's figures as the golden table
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// settings are the flags.
type settings struct {
	full, update, write, tableOnly, why bool
	traces, child, only, window         string
}

func main() {
	var s settings
	flag.BoolVar(&s.full, "full", false, "many histories; 1,000,000 generated requests and 100,000 twins instead of a tenth")
	flag.BoolVar(&s.update, "update", false, "take this run's figures as the golden table")
	flag.BoolVar(&s.write, "write", false, "write the tables and the picture into docs/benchmarks.md")
	flag.BoolVar(&s.tableOnly, "table", false, "replay the histories only: no generated requests, twins, or proxy")
	flag.BoolVar(&s.why, "why", false, "tell of each row where calm was broken or a checkpoint misused")
	flag.StringVar(&s.traces, "traces", "../shared/traces", "folder of recorded runs; W10 is left out where it is absent")
	flag.StringVar(&s.only, "only", "", "workloads to replay, as W3,W10; others, and their goals, are left out")
	flag.StringVar(&s.window, "window", "", "windows to replay at, as 4k,16k; others are left out")
	flag.StringVar(&s.child, "again", "", "decide once more on the store at this path (the second process of goal G5)")
	flag.Parse()
	if err := run(&s); err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

var errMissed = errors.New("a goal is missed, or a figure has left its tolerance")

func run(s *settings) error {
	if s.child != "" {
		return answerAgain(s.child)
	}
	began := time.Now()
	r, err := evaluate(s)
	if err != nil {
		return err
	}
	printTable(os.Stdout, r.rows)
	if s.why {
		printNotes(os.Stdout, r.rows)
	}
	printFound(os.Stdout, r)
	list := r.goals()
	printGoals(os.Stdout, list)
	strayed, err := hold(s, r)
	if err != nil {
		return err
	}
	for _, line := range strayed {
		fmt.Println("golden:", line)
	}
	fmt.Printf("\n%d rows in %s\n", len(r.rows), time.Since(began).Round(time.Second))
	if s.write {
		if err := writePage(s, r, list); err != nil {
			return err
		}
	}
	for i := range list {
		if g := &list[i]; !g.met && !g.skipped {
			return errMissed
		}
	}
	if len(strayed) > 0 {
		return errMissed
	}
	return nil
}

// The numbers of goals G3 and G4 at full size; without -full a tenth.
const (
	fullGenerated = 1_000_000
	fullTwins     = 100_000
)

// evaluate measures everything.
func evaluate(s *settings) (*results, error) {
	h, err := histories(s.full, s.traces)
	if err != nil {
		return nil, err
	}
	for kind := range h {
		if s.only != "" && !slices.Contains(strings.Split(s.only, ","), kind) {
			delete(h, kind)
		}
	}
	r := &results{rows: table(h, s.full)}
	if s.window != "" {
		r.rows = slices.DeleteFunc(r.rows, func(r *row) bool { return !slices.Contains(strings.Split(s.window, ","), windowName(r.setup.Window)) })
	}
	if err := measureAll(r.rows); err != nil {
		return nil, err
	}
	if s.tableOnly || s.only+s.window != "" {
		return r, nil
	}
	if r.path, err = measurePath(s.full || s.write); err != nil {
		return nil, err
	}
	part := 10
	if s.full {
		part = 1
	}
	r.generated = generate(int64(fullGenerated / part))
	if r.twins, err = judgeTwins(fullTwins / part); err != nil {
		return nil, err
	}
	if r.again, err = decideAgain(); err != nil {
		return nil, err
	}
	r.proxy, r.loops, err = sampleProxy(h)
	return r, err
}
