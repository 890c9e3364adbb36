package main

import (
	"fmt"
	"io"
)

// printTable prints every row, for a terminal.
func printTable(w io.Writer, rows []*row) {
	fmt.Fprintf(w, "%-66s %8s %6s %7s %7s %7s %7s %7s %7s %6s %6s %6s %6s %4s %4s %4s %5s %5s %5s\n", "row", "requests", "tokens", "prefix", "breaks", "prefill", "cost",
		"recall", "facts", "corr", "contra", "supp", "sums", "inv", "wrng", "rule", "over", "thrash", "calm")
	for _, r := range rows {
		f := &r.sum
		fmt.Fprintf(w, "%-66s %8d %6.3f %7.4f %7.2f %7.3f %7.3f %7.4f %7.4f %6d %6d %6.3f %6.2f %4d %4d %4d %5d %5d %5s\n", r.name(), f.Requests, f.Tokens(), f.Prefix(),
			f.PerRun(f.Breaks), f.Prefill(), f.Cost(), f.Recall(), f.FactsKept(), f.Corrupted, f.Contradicted, f.Support(), f.PerRun(f.Summaries),
			f.Invalid, f.Wrong, f.Misused+f.Behind, f.OverWindow, f.Thrash, fmt.Sprintf("%d/%d", f.Restless, f.Split))
		if f.First != "" {
			fmt.Fprintf(w, "    first refused: %s\n", f.First)
		}
	}
}
