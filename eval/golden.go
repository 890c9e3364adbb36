package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// metric is a figure of the golden table and how far it may move: by the greater of an amount and a share of itself.
type metric struct {
	name   string
	amount float64
	share  float64
	of     func(r *row) float64
}

// metrics are the figures that the golden table holds for each row.
var metrics = []metric{
	{"tokens", 0.01, 0, func(r *row) float64 { return r.sum.Tokens() }},
	{"prefix", 0.005, 0.01, func(r *row) float64 { return r.sum.Prefix() }},
	{"breaks", 0.5, 0.1, func(r *row) float64 { return r.sum.PerRun(r.sum.Breaks) }},
	{"prefill", 0.03, 0.02, func(r *row) float64 { return r.sum.Prefill() }},
	{"cost", 0.01, 0.02, func(r *row) float64 { return r.sum.Cost() }},
	{"recall", 0.005, 0, func(r *row) float64 { return r.sum.Recall() }},
	{"facts", 0.01, 0, func(r *row) float64 { return r.sum.FactsKept() }},
	{"bent", 0.5, 0, func(r *row) float64 { return float64(r.sum.Corrupted + r.sum.Contradicted) }},
	{"support", 0.01, 0, func(r *row) float64 { return r.sum.Support() }},
	{"summaries", 0.3, 0.1, func(r *row) float64 { return r.sum.PerRun(r.sum.Summaries) }},
	{"over", 1, 0.05, func(r *row) float64 { return float64(r.sum.OverWindow) }},
	{"thrash", 1, 0.1, func(r *row) float64 { return float64(r.sum.Thrash) }},
	{"restless", 1, 0.1, func(r *row) float64 { return float64(r.sum.Restless) }},
	{"needless", 0, 0, func(r *row) float64 { return float64(r.sum.Needless) }},
	{"split", 0, 0, func(r *row) float64 { return float64(r.sum.Split) }},
	{"invalid", 0, 0, func(r *row) float64 { return float64(r.sum.Invalid) }},
	{"wrong", 0, 0, func(r *row) float64 { return float64(r.sum.Wrong) }},
	{"misused", 0, 0, func(r *row) float64 { return float64(r.sum.Misused + r.sum.Behind) }},
}

// golden is where the table is kept: from the project's root, where the command is run.
func golden(s *settings) string {
	if s.full {
		return filepath.Join("eval", "testdata", "full.golden")
	}
	return filepath.Join("eval", "testdata", "quick.golden")
}

// hold compares the rows with the golden table, or with -update writes it. It returns what has left its tolerance.
func hold(s *settings, r *results) ([]string, error) {
	if s.update {
		if err := os.WriteFile(golden(s), []byte(goldenText(r.rows)), 0o644); err != nil {
			return nil, fmt.Errorf("write golden table: %w", err)
		}
		return nil, nil
	}
	file, err := os.Open(golden(s))
	if s.full && errors.Is(err, fs.ErrNotExist) {
		fmt.Println("golden: no table is kept of the full size; the goals alone decide (make one with -full -update)")
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read golden table (make it with -update): %w", err)
	}
	defer file.Close()
	want := map[string]float64{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		name, figure, ok := strings.Cut(lines.Text(), "\t")
		if !ok {
			continue
		}
		if want[name], err = strconv.ParseFloat(figure, 64); err != nil {
			return nil, fmt.Errorf("read golden table: %q: %w", lines.Text(), err)
		}
	}
	return strayed(r.rows, want), nil
}

// strayed lists the figures that are off. Rows that were not measured, for the recorded runs are absent, are left out.
func strayed(rows []*row, want map[string]float64) []string {
	var list []string
	for _, row := range rows {
		for _, m := range metrics {
			name, got := row.name()+" · "+m.name, m.of(row)
			was, ok := want[name]
			if !ok {
				list = append(list, fmt.Sprintf("%s: %.4f is new; make the table anew with -update", name, got))
				continue
			}
			if off := max(m.amount, m.share*math.Abs(was)); math.Abs(got-was) > off+1e-9 {
				list = append(list, fmt.Sprintf("%s: %.4f, want %.4f ± %.4f", name, got, was, off))
			}
		}
	}
	return list
}

func goldenText(rows []*row) string {
	var b strings.Builder
	for _, row := range rows {
		for _, m := range metrics {
			fmt.Fprintf(&b, "%s · %s\t%.4f\n", row.name(), m.name, m.of(row))
		}
	}
	return b.String()
}
