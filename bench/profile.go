package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// profileFor is how long each workload is repeated while its profile is taken.
const profileFor = 10 * time.Second

// profile puts the chosen workloads, one after the other, through a Recap that writes what it does, and prints the
// top lines. Each workload has a process, and so files, of its own.
func profile(dir, only string, out io.Writer) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i := range workloads {
		w := &workloads[i]
		if !strings.Contains(w.name, only) {
			continue
		}
		if err := profileOne(dir, w); err != nil {
			return fmt.Errorf("profile %s: %w", w.name, err)
		}
		for _, kind := range []string{".cpu.prof", ".allocs.prof"} {
			file := filepath.Join(dir, w.file()+kind)
			fmt.Fprintf(out, "\n%s: %s\n", w.name, file)
			show := exec.Command("go", "tool", "pprof", "-top", "-nodecount=25", file)
			show.Stdout, show.Stderr = out, os.Stderr
			if err := show.Run(); err != nil {
				return fmt.Errorf("go tool pprof: %w", err)
			}
		}
	}
	return nil
}

// file names a workload in file names.
func (w *workload) file() string { return strings.NewReplacer(",", "", " ", "-").Replace(w.name) }

func profileOne(dir string, w *workload) error {
	home, err := os.MkdirTemp("", "recap-bench-")
	if err != nil {
		return err
	}
	b := &bench{dir: home, profiles: dir}
	defer b.close()
	if b.upstream, err = serveUpstream(); err != nil {
		return err
	}
	s, err := b.startRecap(w.file(), w.kind == rewritten)
	if err != nil {
		return err
	}
	defer s.stop()
	if err := s.prime(); err != nil {
		return err
	}
	for began, seed := time.Now(), uint64(1); time.Since(began) < profileFor; seed++ {
		if _, err := s.read(w.batch(seed)); err != nil {
			return err
		}
	}
	return nil
}
