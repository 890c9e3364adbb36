package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"

	"recap/cli"
)

// build makes the binary as a user would.
func build(dir string) (string, error) {
	binary := filepath.Join(dir, "recap")
	if out, err := exec.Command("go", "build", "-o", binary, "recap").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build recap: %w\n%s", err, out)
	}
	return binary, nil
}

// The models that belong to no workload.
const (
	farModel   = "far"   // its window is so large that no conversation of a workload comes near it
	vastModel  = "vast"  // nor the longest one of the growth curves
	primeModel = "prime" // its window is smaller than what it is sent
)

// compacting are the settings under which a conversation is rewritten from its first checkpoint on, however large its window
// is, and no later request makes another one due: what is measured is the rewriting, not the writing of summaries.
const compacting = `summarization:
  trigger: {type: token_count, value: 100000000}
  retainRecent: {turns: 1}
  ledger: {userTokens: 0, factTokens: 0}
  contextPruning: {enabled: true, strategy: budget, protectTokens: 3000, clearAtLeast: 2000}
`

// settings is the file that Recap serves with. Each conversation's model says how large its window is.
func settings(dir, name string, compacts bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "store: {path: %s}\nmodels:\n", filepath.Join(dir, name+".db"))
	for model, window := range map[string]int{primeModel: 5_000, farModel: 1_000_000, vastModel: 10_000_000} {
		fmt.Fprintf(&b, "  - {match: %s, contextWindow: %d}\n", model, window)
	}
	for _, w := range workloads {
		if w.window > 0 {
			fmt.Fprintf(&b, "  - {match: %s, contextWindow: %d}\n", w.model(), w.window)
		}
	}
	if compacts {
		b.WriteString(compacting)
	}
	return b.String()
}

// startRecap serves with the binary, or, where the run takes profiles, within a copy of this program.
func (b *bench) startRecap(name string, compacts bool) (*subject, error) {
	listen, err := freeAddress()
	if err != nil {
		return nil, err
	}
	admin, err := freeAddress()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(b.dir, name+".yaml")
	text := fmt.Sprintf("admin: {listen: %s}\n%s", admin, settings(b.dir, name, compacts))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, err
	}
	args := []string{"serve", "--config", file, "--listen", listen, "--upstream", "http://" + b.upstream.addr}
	cmd := exec.Command(b.binary, args...)
	if b.profiles != "" {
		if cmd, err = self(profiledRecap, append([]string{filepath.Join(b.profiles, name)}, args...)...); err != nil {
			return nil, err
		}
	}
	s, err := start(name, listen, b.dir, cmd)
	if err == nil {
		s.recap = true
	}
	return s, err
}

// serveProfiled is `recap serve` within this process, which writes what it spent its time on, and what it set aside, when it
// is told to stop. The product has no such switch.
func serveProfiled(prefix string, args []string) error {
	runtime.MemProfileRate = 64 << 10
	cpu, err := os.Create(prefix + ".cpu.prof")
	if err != nil {
		return err
	}
	defer cpu.Close()
	if err := pprof.StartCPUProfile(cpu); err != nil {
		return err
	}
	code := cli.Run(args, os.Stdin, os.Stdout, os.Stderr, os.Environ())
	pprof.StopCPUProfile()
	heap, err := os.Create(prefix + ".allocs.prof")
	if err != nil {
		return err
	}
	defer heap.Close()
	if err := pprof.Lookup("allocs").WriteTo(heap, 0); err != nil {
		return err
	}
	if code != 0 {
		return fmt.Errorf("recap ended with %d", code)
	}
	return nil
}
