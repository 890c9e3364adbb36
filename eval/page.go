package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"recap/eval/measure"
	"recap/internal/section"
)

// Where the report goes, from the project's root.
var (
	page    = filepath.Join("docs", "benchmarks.md")
	picture = filepath.Join("docs", "compaction.svg")
)

// writePage writes the section of the page and the picture.
func writePage(s *settings, r *results, list []goal) error {
	if err := os.WriteFile(picture, []byte(drawArms(r)), 0o644); err != nil {
		return fmt.Errorf("write picture: %w", err)
	}
	return section.ReplaceInFile(page, "compaction", sectionText(s, r, list))
}

func sectionText(s *settings, r *results, list []goal) string {
	var b strings.Builder
	command := "go run ./eval -write"
	if s.full {
		command = "go run ./eval -full -write"
	}
	fmt.Fprintf(&b, "Made by `%s` (%s, %s/%s). `make eval` measures the same on fewer histories and fails when a goal is missed or a figure "+
		"leaves the tolerance of the golden table in `eval/testdata`.\n\n", command, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	b.WriteString("### Goals\n\n| | figure | wanted | | what |\n|---|---|---|---|---|\n")
	for i := range list {
		g := &list[i]
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", g.name, g.figure, g.want, g.verdict(), g.what)
	}
	b.WriteString("\n### What pruning alone does to agents\n\n![tokens sent, prefill and cost by way of pruning](compaction.svg)\n\n")
	b.WriteString("A window of 128k tokens, no checkpoints. Everything is relative to sending all of it, append-only; tokens are characters divided by four, " +
		"with 15,000 tokens of fixed parts; cost is 1.25 for a token read anew and 0.1 for a cached one. *Recall* is the share of paths, identifiers and numbers " +
		"in a call's arguments, known before, that the request before the call still shows.\n\n")
	b.WriteString("| workload | pruning | tokens sent | prefill | cost | breaks a run | recall | over the window |\n|---|---|---|---|---|---|---|---|\n")
	writeRows(&b, r, func(x *row) bool { return x.setup.Window == k128 && !x.setup.Checkpoints }, func(x *row) string {
		f := &x.sum
		return fmt.Sprintf("| %s | %s | %.3f | %.2f | %.3f | %.1f | %.4f | %d of %d |", x.kind, x.setup.Arm.Name,
			f.Tokens(), f.Prefill(), f.Cost(), f.PerRun(f.Breaks), f.Recall(), f.OverWindow, f.Requests)
	})
	writeCheckpoints(&b, r)
	writeFaults(&b, r)
	writePath(&b, r)
	return b.String()
}

func writeRows(b *strings.Builder, r *results, which func(*row) bool, text func(*row) string) {
	for _, x := range r.rows {
		if which(x) {
			b.WriteString(text(x) + "\n")
		}
	}
}

func writeCheckpoints(b *strings.Builder, r *results) {
	b.WriteString("\n### With checkpoints, at every window\n\n" +
		"The scripted summariser copies exact strings into the sections that it is asked for, and is there one request later unless another number is given; the constant one " +
		"always says the same sentence, so that what is kept of the planted facts is the ledger's work. *Prefix* is the share of the messages' bytes sent before that the next request " +
		"begins with. *Thrash* counts swaps needed within three requests of one, for whatever reason.\n\n" +
		"| workload | window | pruning | summariser | tokens sent | prefix | prefill | cost | facts | recall | support | summaries a run | over the window | thrash |\n" +
		"|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	writeRows(b, r, func(x *row) bool { return x.setup.Checkpoints && x.kind != "W9" }, func(x *row) string {
		f, who := &x.sum, "copies"
		if x.setup.Script == measure.Constant {
			who = "constant"
		}
		if x.setup.Delay > 1 {
			who = fmt.Sprintf("%d requests late", x.setup.Delay)
		}
		return fmt.Sprintf("| %s | %s | %s | %s | %.3f | %.4f | %.2f | %.3f | %s | %s | %.3f | %.2f | %d of %d | %d |", x.kind,
			windowName(x.setup.Window), x.setup.Arm.Name, who, f.Tokens(), f.Prefix(), f.Prefill(), f.Cost(),
			orNone(f.Facts, f.FactsKept()), orNone(f.Needs, f.Recall()), f.Support(), f.PerRun(f.Summaries), f.OverWindow, f.Requests, f.Thrash)
	})
}

// orNone shows a share, or that there was nothing to look for.
func orNone(n int, share float64) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.3f", share)
}

func writeFaults(b *strings.Builder, r *results) {
	b.WriteString("\n### A summariser that fails (W9, window 4k)\n\n| it answers | invalid bodies | facts kept | summaries stored | failed | support |\n|---|---|---|---|---|---|\n")
	writeRows(b, r, func(x *row) bool { return x.kind == "W9" }, func(x *row) string {
		f := &x.sum
		return fmt.Sprintf("| %s | %d | %.3f | %d | %d | %.3f |", x.setup.Script, f.Invalid, f.FactsKept(), f.Summaries, f.Failed, f.Support())
	})
}

func writePath(b *strings.Builder, r *results) {
	b.WriteString("\n### On the path\n\nDecode, keys, sizes, pruning and decision for an agent's history of known messages, best of nine runs; the machine does other things too.\n\n" +
		"| body | time | allocated |\n|---|---|---|\n")
	for _, c := range r.path {
		fmt.Fprintf(b, "| %d KB | %.3f ms | %d KB |\n", c.bytes>>10, float64(c.took.Microseconds())/1000, c.allocs>>10)
	}
}
