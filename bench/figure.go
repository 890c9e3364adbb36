package main

import (
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// figure is one number that has a budget.
type figure struct {
	name      string
	value     float64
	low, high float64 // quartiles of the readings; 0 = there is one reading
	unit      string
	budget    float64
	note      string
}

// slack is how far over its limit a figure may be before the gate closes: what shared machines are allowed.
const slack = 1.2

// ledger tells what does not keep its budget yet, and what the gate lets pass until it does.
//
//go:embed ledger.txt
var ledger string

// debt is one line of the ledger.
type debt struct {
	allowed float64
	why     string
}

// debts reads the ledger: lines of a figure's name, what is allowed, and why, with bars between them.
func debts(text string) (map[string]debt, error) {
	list := map[string]debt{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, "|")
		if len(parts) != 3 {
			return nil, fmt.Errorf("read ledger: want name | allowed | why, got %q", line)
		}
		allowed, err := strconv.ParseFloat(strings.TrimSpace(parts[1]), 64)
		if err != nil {
			return nil, fmt.Errorf("read ledger: %q: %w", line, err)
		}
		list[strings.TrimSpace(parts[0])] = debt{allowed, strings.TrimSpace(parts[2])}
	}
	return list, nil
}

// verdict says how a figure stands to its budget.
func (f *figure) verdict(owed map[string]debt) string {
	d, has := owed[f.name]
	switch {
	case f.value <= f.budget && has:
		return fmt.Sprintf("kept; %s still allowed", number(d.allowed))
	case f.value <= f.budget:
		return "kept"
	case has:
		return fmt.Sprintf("**missed**, %s allowed", number(d.allowed))
	}
	return "**missed**"
}

// gate returns an error that names each figure over its limit by more than the slack.
func gate(figures []figure, owed map[string]debt) error {
	var faults []error
	for _, f := range figures {
		limit := max(f.budget, owed[f.name].allowed)
		if f.value > limit*slack {
			faults = append(faults, fmt.Errorf("%s: %s%s, the limit is %s and %.0f %%", f.name, number(f.value), f.unit, number(limit), slack*100-100))
		}
	}
	return errors.Join(faults...)
}

// figure is the workload's ratio to the bare relay.
func (s *series) figure() figure {
	ratios := s.ratios(recapName, bareRelay)
	return figure{name: s.name, value: quantile(ratios, .5), low: quantile(ratios, .25), high: quantile(ratios, .75), unit: "×", budget: s.budget}
}

// against are the workloads' ratios to the peers that have a budget.
func (s *series) against() (list []figure) {
	add := func(peer string, budget float64) {
		if ratios := s.ratios(recapName, peer); len(ratios) > 0 {
			list = append(list, figure{
				name: s.name + ", to " + peer, value: quantile(ratios, .5), low: quantile(ratios, .25),
				high: quantile(ratios, .75), unit: "×", budget: budget,
			})
		}
	}
	if s.kind == known {
		switch s.size {
		case 2 * kilobyte:
			add(standardRelay, .45)
		case 256 * kilobyte, megabyte:
			add(nginxName, 1)
		}
	}
	return list
}

// number prints a figure with as many places as it deserves.
func number(v float64) string {
	switch {
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}
