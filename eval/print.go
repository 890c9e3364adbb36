package main

import (
	"fmt"
	"io"
)

// printTable prints every row, for a terminal.
func printTable(w io.Writer, rows []*row) {
	fmt.Fprintf(w, "%-66s %8s %6s %7s %7s %7s %7s %7s %7s %6s %6s %6s %6s %4s %4s %4s %5s %5s %8s\n", "row", "requests", "tokens", "prefix", "breaks", "prefill", "cost",
		"recall", "facts", "corr", "contra", "supp", "sums", "inv", "wrng", "rule", "over", "thrash", "calm")
	for _, r := range rows {
		f := &r.sum
		fmt.Fprintf(w, "%-66s %8d %6.3f %7.4f %7.2f %7.3f %7.3f %7.4f %7.4f %6d %6d %6.3f %6.2f %4d %4d %4d %5d %5d %8s\n", r.name(), f.Requests, f.Tokens(), f.Prefix(),
			f.PerRun(f.Breaks), f.Prefill(), f.Cost(), f.Recall(), f.FactsKept(), f.Corrupted, f.Contradicted, f.Support(), f.PerRun(f.Summaries),
			f.Invalid, f.Wrong, f.Misused+f.Behind, f.OverWindow, f.Thrash, fmt.Sprintf("%d/%d/%d", f.Restless, f.Needless, f.Split))
		if f.Failed > 0 {
			fmt.Fprintf(w, "    %d summaries failed: %v\n", f.Failed, f.Reasons)
		}
		if f.First != "" {
			fmt.Fprintf(w, "    first refused: %s\n", f.First)
		}
	}
}

// printNotes tells what was found wrong in each row.
func printNotes(w io.Writer, rows []*row) {
	for _, r := range rows {
		for _, note := range r.sum.Notes {
			fmt.Fprintf(w, "%s: %s\n", r.name(), note)
		}
	}
}

// printFound prints what the goals' own runs found, where it says more than the goals do.
func printFound(w io.Writer, r *results) {
	for _, c := range r.path {
		fmt.Fprintf(w, "on the path: %d bytes, %s, %d bytes allocated\n", c.bytes, c.took, c.allocs)
	}
	if r.generated == nil {
		return
	}
	p := &r.proxy
	fmt.Fprintf(w, "generated: %d requests, %d rewritten, %d invalid %s\n", r.generated.Requests, r.generated.Changed, r.generated.Invalid, r.generated.First)
	fmt.Fprintf(w, "twins: %d chats, %d requests with a checkpoint, %d wrong, %d another tenant's %s\n", r.twins.Chats, r.twins.Used, r.twins.Wrong, r.twins.Foreign, r.twins.First)
	fmt.Fprintf(w, "proxy: %d runs, %d requests, %d refused, %d breaks, %d not declared, %d declared without being one\n", p.Runs, p.Requests, p.Refused, p.Breaks, p.Undeclared, p.Untrue)
}
