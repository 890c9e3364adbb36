package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"recap/cache"
	"recap/eval/measure"
	"recap/eval/workload"
)

// again is goal G5: what was decided once is decided again by another process, after a restart, with a cold memory.
type again struct {
	Bodies  int // compared, each in three ways
	Rerun   int // whole runs from an empty store: bodies that differ in a second process
	Restart int // on the same store, opened anew
	Process int // on the same store, in a second process
	Cold    int // on the same store, with a cold memory for each request
}

// againCase is one history that is decided again.
type againCase struct {
	name  string
	run   workload.Run
	setup measure.Setup
}

func againCases() []againCase {
	setup := func(arm measure.Arm, window int) measure.Setup {
		return measure.Setup{Arm: arm, Window: window, Checkpoints: true, Script: measure.Faithful, Header: workload.Header(window)}
	}
	return []againCase{
		{"chat", workload.Chat(71, 60), setup(measure.Untouched, k4)},
		{"branches", workload.Branches(72, 30), setup(measure.Untouched, k4)},
		{"agent", workload.Loop(73, 60), setup(measure.BudgetBoth, k32)},
		{"sessions", workload.Sessions(74, 20), setup(measure.BudgetNotes, k16)},
	}
}

// decideAgain runs the cases here and in a second process and compares.
func decideAgain() (*again, error) {
	dir, err := os.MkdirTemp("", "recap-eval")
	if err != nil {
		return nil, fmt.Errorf("make a folder for stores: %w", err)
	}
	defer os.RemoveAll(dir)
	a := &again{}
	first, err := fill(dir, "parent")
	if err != nil {
		return nil, err
	}
	restarted, err := reopen(dir, false)
	if err != nil {
		return nil, err
	}
	cold, err := reopen(dir, true)
	if err != nil {
		return nil, err
	}
	theirs, err := child(dir)
	if err != nil {
		return nil, err
	}
	a.Bodies = len(first)
	a.Rerun, a.Process = differ(first, theirs["rerun"]), differ(restarted, theirs["reopened"])
	a.Cold = differ(restarted, cold)
	warm, err := reopen(dir, false)
	if err != nil {
		return nil, err
	}
	a.Restart = differ(restarted, warm)
	return a, nil
}

// fill runs the cases from empty stores in dir and returns a digest of each body that was sent.
func fill(dir, who string) ([]string, error) {
	var digests []string
	for _, c := range againCases() {
		store, err := cache.Open(context.Background(), cache.Options{Path: filepath.Join(dir, who+"-"+c.name+".db")})
		if err != nil {
			return nil, fmt.Errorf("open store: %w", err)
		}
		_, err = measure.ReplayOn(&c.run, c.setup, store, func(s *measure.Sent) { digests = append(digests, digest(s.Body)) })
		if err := store.Close(); err != nil {
			return nil, fmt.Errorf("close store: %w", err)
		}
		if err != nil {
			return nil, err
		}
	}
	return digests, nil
}

// reopen decides each request of the cases on the stores that the parent filled, and stores nothing.
func reopen(dir string, cold bool) ([]string, error) {
	var digests []string
	for _, c := range againCases() {
		store, err := cache.Open(context.Background(), cache.Options{Path: filepath.Join(dir, "parent-"+c.name+".db")})
		if err != nil {
			return nil, fmt.Errorf("open store: %w", err)
		}
		list, err := decideAll(&c, store, cold)
		if err := store.Close(); err != nil {
			return nil, fmt.Errorf("close store: %w", err)
		}
		if err != nil {
			return nil, err
		}
		digests = append(digests, list...)
	}
	return digests, nil
}

func decideAll(c *againCase, store cache.Store, cold bool) ([]string, error) {
	planner := func() *measure.Planner {
		return measure.NewPlanner(c.run.Dialect, &c.setup, store, c.setup.Script)
	}
	p := planner()
	defer func() { p.Close() }()
	var digests []string
	for i := range c.run.Steps {
		if cold {
			p.Close()
			p = planner()
		}
		sent, err := p.Decide(c.run.Steps[i].Body(c.run.Dialect, c.setup.Header))
		if err != nil {
			return nil, err
		}
		digests = append(digests, digest(sent.Body))
	}
	return digests, nil
}

func digest(body string) string {
	sum := sha256.Sum256([]byte(body))
	return hex.EncodeToString(sum[:8])
}

// differ counts the places at which two lists differ.
func differ(a, b []string) int {
	n := max(len(a), len(b)) - min(len(a), len(b))
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

// child asks a second process and returns its lists by name.
func child(dir string) (map[string][]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find our own binary: %w", err)
	}
	out, err := exec.Command(self, "-again", dir).Output()
	if err != nil {
		return nil, fmt.Errorf("run a second process: %w", err)
	}
	lists := map[string][]string{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		name, digest, _ := strings.Cut(lines.Text(), " ")
		lists[name] = append(lists[name], digest)
	}
	return lists, nil
}

// answerAgain is the second process's side.
func answerAgain(dir string) error {
	rerun, err := fill(dir, "child")
	if err != nil {
		return err
	}
	reopened, err := reopen(dir, false)
	if err != nil {
		return err
	}
	for _, d := range rerun {
		fmt.Println("rerun", d)
	}
	for _, d := range reopened {
		fmt.Println("reopened", d)
	}
	return nil
}
