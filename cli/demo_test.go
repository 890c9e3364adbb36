package cli_test

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"recap/cli"
)

// noLeaks looks at the end of a test for goroutines that were not there at its beginning.
func noLeaks(t *testing.T) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() {
		goleak.VerifyNone(t, before,
			// fasthttp keeps its clock and its buffers' sweepers for the life of the process.
			goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
			goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
			goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*TCPDialer).tcpAddrsClean"))
	})
}

func matches(text, pattern string) int {
	return len(regexp.MustCompile("(?m)"+pattern).FindAllString(text, -1))
}

// The demo shows pruning, a summary and a swap, and ends with the first turn's fact in the last request.
func TestDemo(t *testing.T) {
	noLeaks(t)
	t.Chdir(t.TempDir())
	r := run(t, nil, "demo", "--turns", "24") // as few as are allowed
	if r.code != 0 || r.err != "" {
		t.Fatalf("exit %d: %s\n%s", r.code, r.err, r.out)
	}
	if n := matches(r.out, `^turn \d+ +client +[\d,]+ → sent +[\d,]+ of 8,192 \[█*░*\] cache +\d+ %( ← .*)?$`); n != 24 {
		t.Errorf("%d gauge lines, want 24", n)
	}
	for _, pattern := range []string{
		`^ +✂ pruned: \d+ old tool results, [\d,]+ → \d+ characters$`,
		`^ +! the client's chat no longer fits`,
		`^ +✎ a summary is due: .* messages 1–\d+$`,
		`^ +✓ summary written: messages 1–\d+ → [\d,]+ tokens`,
		`^ +⇄ swapped in: the summary now stands for messages 1–\d+ \([\d,]+ → [\d,]+ tokens\)$`,
		`^  without Recap +the model answers 400`,
		`^  refused +0 of \d+ requests`,
		`^  ✓ message 2 \(user\) says: «The user's first request: Hi, I am Zofia Wiśniewska`,
		`^  model +You are Zofia Wiśniewska`,
	} {
		if matches(r.out, pattern) == 0 {
			t.Errorf("no line %s in\n%s", pattern, r.out)
		}
	}
	if strings.ContainsAny(r.out, "\x1b\r") {
		t.Error("escapes where there is no terminal")
	}
	for line := range strings.Lines(r.out) {
		if len([]rune(line)) > 101 {
			t.Errorf("a line of %d characters: %s", len([]rune(line)), line)
		}
	}
}

func TestDemoUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	run(t, nil, "demo", "--turns", "5").want(t, 2, "", "read --turns: want 24 to 1000")
	run(t, nil, "demo", "--speed", "-1").want(t, 2, "", "--speed")
	run(t, nil, "demo", "--listen", "127.0.0.1:1").want(t, 2, "", "read --listen: the demo brings its own settings")
}

// On a terminal lines are written over; whatever its width, no line is wider.
func TestDemoOnTerminal(t *testing.T) {
	f := func(width int, colour bool) {
		t.Helper()
		var out bytes.Buffer
		if err := cli.PlayDemo(t.Context(), &out, cli.DemoOptions{Turns: 24, Width: width, Colour: colour}); err != nil {
			t.Errorf("width %d: %v", width, err)
		}
		text := out.String()
		if got := strings.Contains(text, "\x1b[32m"); got != colour {
			t.Errorf("width %d: colours %v, want %v", width, got, colour)
		}
		if !strings.Contains(text, "\r\x1b[K") {
			t.Errorf("width %d: no live line", width)
		}
		text = regexp.MustCompile(`\x1b\[\?7l.*?\x1b\[\?7h|\r|\x1b\[[0-9?]*[a-zA-Z]`).ReplaceAllString(text, "")
		for line := range strings.Lines(text) {
			// A word that is longer than the terminal stays whole.
			if n := len([]rune(strings.TrimSpace(line))); n > width && strings.Contains(strings.TrimSpace(line), " ") {
				t.Errorf("width %d: a line of %d characters: %s", width, n, line)
			}
		}
	}
	noLeaks(t)
	f(80, false)
	f(60, true)
}

// Ctrl-C ends the demo at once, without an error and without leaving anything behind.
func TestDemoStops(t *testing.T) {
	noLeaks(t)
	f := func(after time.Duration, want string) { // after it has begun to speak; 0 = before
		t.Helper()
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		out := &begun{first: func() { time.AfterFunc(after, stop) }}
		if after == 0 {
			stop()
		}
		start := time.Now()
		if err := cli.PlayDemo(ctx, out, cli.DemoOptions{Turns: 1000, Speed: 1}); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took > time.Minute {
			t.Errorf("it took %s to stop", took)
		}
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("got %s, want %s", out.String(), want)
		}
	}
	f(0, `^Stopped before the first turn\.`)
	f(700*time.Millisecond, `Stopped in turn \d+\.`)
}

// begun is an output that tells of its first words.
type begun struct {
	bytes.Buffer
	once  sync.Once
	first func()
}

func (b *begun) Write(p []byte) (int, error) {
	b.once.Do(b.first)
	return b.Buffer.Write(p)
}

// The demo is a check too: it fails where the facts of the first turn are lost, and where nothing happened.
func TestDemoFails(t *testing.T) {
	noLeaks(t)
	var out bytes.Buffer
	err := cli.PlayDemo(t.Context(), &out, cli.DemoOptions{Turns: 24, Forget: true})
	if err == nil || !strings.Contains(err.Error(), "the port, told in the first turn, is no longer in the last request") {
		t.Errorf("without a ledger: %v", err)
	}
	err = cli.PlayDemo(t.Context(), &out, cli.DemoOptions{Turns: 3})
	for _, want := range []string{"nothing was pruned", "no summary was written", "no summary was swapped in", "never outgrew"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("3 turns: %v, want %q", err, want)
		}
	}
}
