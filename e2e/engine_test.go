// Package e2e chats with a real engine through the built binary: llama.cpp's server with Gemma 3 270M, a window of 2,048
// tokens, one slot. Run it with `make e2e`, which installs the engine first.
//
//	openai-go ──▶ recap serve ──▶ relay (records) ──▶ llama-server
//
// The weights are a base model, so the template is plain text and a few sampler settings of the server keep its answers
// short and let it stop by itself. What it writes is poor; nothing here depends on it being good.
package e2e

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// window is the context of the engine's one slot, in tokens.
const window = 2048

// engineFlags turn a base model into one that answers in a sentence or two: in Gemma's vocabulary token 1 ends the text
// (made likelier, as a tuned model would make it), 107 and 108 are one and two newlines (a base model's favourite answer).
func engineFlags(port int) []string {
	return []string{
		"--model", ".cache/model.gguf", "--host", "127.0.0.1", "--port", strconv.Itoa(port),
		"--ctx-size", strconv.Itoa(window), "--parallel", "1", "--threads", "2", "--device", "none",
		"--swa-full", "--no-webui", "--jinja", "--chat-template-file", "testdata/plain.jinja",
		"--reverse-prompt", "User:", "--reverse-prompt", "</recap-", "--reverse-prompt", "<recap-",
		"--logit-bias", "1+4", "--logit-bias", "107-100", "--logit-bias", "108-100", "--temp", "0.2", "--seed", "7",
		"--dry-multiplier", "1.5", "--dry-allowed-length", "3", "--dry-sequence-breaker", "none",
	}
}

// startEngine runs llama-server until the test ends and returns its base URL.
func startEngine(t *testing.T) string {
	t.Helper()
	server, err := filepath.Abs(".cache/bin/llama-server")
	if err == nil {
		_, err = os.Stat(server)
	}
	if err != nil {
		t.Fatalf("no engine: run `make e2e`, or e2e/install first: %v", err)
	}
	port := freePort(t)
	start(t, server, engineFlags(port)...)
	url := fmt.Sprintf("http://127.0.0.1:%d", port)
	await(t, url+"/health", time.Minute)
	return url
}

// start runs a command until the test ends; what it prints goes to a file that a failed test keeps and names.
func start(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	base := filepath.Base(name)
	log, err := os.Create(filepath.Join(".cache", base+".log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", base, err)
	}
	t.Cleanup(func() {
		if err := stop(cmd); err != nil {
			t.Errorf("stop %s: %v", base, err)
		}
		log.Close()
		if t.Failed() {
			t.Logf("output of %s: %s", base, log.Name())
		}
	})
	return cmd
}

// stop ends a process as a user's Ctrl-C would, and asks for a clean exit.
func stop(cmd *exec.Cmd) error {
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		return err
	case <-time.After(40 * time.Second):
		return errors.Join(errors.New("still running 40 s after SIGTERM"), cmd.Process.Kill())
	}
}

// await polls a URL until it answers 200.
func await(t *testing.T, url string, limit time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	for ctx.Err() == nil {
		resp, err := http.Get(url)
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("%s was not ready after %s", url, limit)
}

// freePort returns a loopback port that nobody listens on.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
