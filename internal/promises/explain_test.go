package promises_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recap/cli"
	"recap/config"
	"recap/internal/fakellm"
)

// `recap explain` finds the checkpoints of the credential that --header gives, and of no other.
func TestExplainCommandKnowsCredentials(t *testing.T) {
	dir := t.TempDir()
	file, store := filepath.Join(dir, "body.json"), filepath.Join(dir, "recap.db")
	r := newRig(t, 4096, fakellm.Options{}, func(cfg *config.Config) { cfg.Store.Kind, cfg.Store.Path = "sqlite", store })
	body := plain("", 22, 500, lastUser)
	r.chat("openai", body, "Authorization", "Bearer k")
	r.settle()
	if a := r.chat("openai", body, "Authorization", "Bearer k"); !strings.Contains(a.header.Get("X-Recap-Checkpoint"), "covers=") {
		t.Fatalf("%s: no checkpoint in use", a.status())
	}
	r.settle()
	if err := os.WriteFile(file, body, 0o600); err != nil {
		t.Fatal(err)
	}
	f := func(want string, code int, args ...string) {
		t.Helper()
		var out bytes.Buffer
		args = append([]string{"explain", file, "--store", store, "--window", "4096", "--upstream", r.up.URL()}, args...)
		if got := cli.Run(args, strings.NewReader(""), &out, &out, nil); got != code || !strings.Contains(out.String(), want) {
			t.Errorf("%v: exit %d, want %d and %q:\n%s", args, got, code, want, out.String())
		}
	}
	f("was already sent and stays in use", 0, "--header", "Authorization: Bearer k")
	f("no summary is there yet", 0)
	f("no summary is there yet", 0, "--header", "authorization:Bearer other")
	f("did you mean X-Recap-Pruning?", 2, "--header", "X-Recap-Prunning: on")
	f("want NAME: VALUE", 2, "--header", "Authorization")
}

// Explaining leaves no store behind where there was none.
func TestExplainCommandMakesNoStore(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	up := fakellm.New(fakellm.Options{})
	defer up.Close()
	var out bytes.Buffer
	code := cli.Run([]string{"explain", "-", "--window", "4096", "--upstream", up.URL()}, bytes.NewReader(plain("", 3, 50, lastUser)), &out, &out, nil)
	if code != 0 {
		t.Errorf("exit %d: %s", code, out.String())
	}
	if left, _ := os.ReadDir(os.Getenv("XDG_DATA_HOME")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
