package e2e

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// recap is the built binary with a configuration, as a user would run it.
type recap struct {
	binary, config, url string
}

// settings are what one test adds to the file: lines of the block `summarization`, and blocks of their own.
type settings struct {
	ratio         float64 // of the trigger; 0 = 0.8
	summarization []string
	blocks        []string
}

// startRecap builds the parent module, writes a file and serves until the test ends.
func startRecap(t *testing.T, upstream string, s settings) *recap {
	t.Helper()
	dir := t.TempDir()
	r := &recap{binary: filepath.Join(dir, "recap"), config: filepath.Join(dir, "recap.yaml")}
	build := exec.Command("go", "build", "-o", r.binary, ".")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build recap: %v\n%s", err, out)
	}
	port, admin := freePort(t), freePort(t)
	file := fmt.Sprintf(`listen: 127.0.0.1:%d
admin: {listen: 127.0.0.1:%d}
store: {path: %s}
log: {level: debug}
%s
summarization:
  trigger: {type: token_ratio, value: %g}
  %s
`, port, admin, filepath.Join(dir, "recap.db"), strings.Join(s.blocks, "\n"), cmp.Or(s.ratio, 0.8), strings.Join(s.summarization, "\n  "))
	if err := os.WriteFile(r.config, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	start(t, r.binary, "serve", "--config", r.config, "--upstream", upstream)
	r.url = fmt.Sprintf("http://127.0.0.1:%d", port)
	await(t, fmt.Sprintf("http://127.0.0.1:%d/readyz", admin), 20*time.Second)
	return r
}

// run runs another subcommand beside the server, as a second shell would.
func (r *recap) run(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, r.binary, append(args, "--config", r.config)...).CombinedOutput()
	if err != nil {
		t.Fatalf("recap %v: %v\n%s", args, err, out)
	}
	return string(out)
}
