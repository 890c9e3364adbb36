package cache_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"recap/cache"
	"recap/chat"
)

func key(n int) chat.Key { return chat.Seed("test", "key", fmt.Sprint(n)) }

func checkpoint(n int) chat.Checkpoint {
	return chat.Checkpoint{Key: key(n), Tenant: "a", From: 1, To: n, RowFrom: 1, Text: text(n)}
}

func text(n int) string { return strings.Repeat(fmt.Sprintf("summary %d. ", n), 300) }

func put(t testing.TB, store cache.Store, numbers ...int) {
	t.Helper()
	for _, n := range numbers {
		if _, err := store.Put(t.Context(), checkpoint(n)); err != nil {
			t.Fatal(err)
		}
	}
}

// found returns how many of the checkpoints with these numbers are there, and complains about wrong texts.
func found(t testing.TB, store cache.Store, numbers ...int) int {
	t.Helper()
	var keys []chat.Key
	for _, n := range numbers {
		keys = append(keys, key(n))
	}
	list, err := store.Find(t.Context(), keys)
	if err != nil {
		t.Fatal(err)
	}
	for _, cp := range list {
		if cp.Text != text(cp.To) {
			t.Errorf("text of %d is another one", cp.To)
		}
	}
	return len(list)
}

func init() { children["put"] = putForever }

// putForever puts checkpoints and says so after each one, until it is killed.
func putForever() {
	store, err := cache.OpenSQLite(context.Background(), cache.Options{Path: os.Getenv("RECAP_TEST_PATH")})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for n := 0; ; n++ {
		if _, err := store.Put(context.Background(), checkpoint(n)); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(n)
	}
}

// child starts this binary again as one of children.
func child(t *testing.T, name, path string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "RECAP_TEST_CHILD="+name, "RECAP_TEST_PATH="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd, bufio.NewScanner(out)
}

// TestP9AcknowledgedSurvivesKill: what Put has returned for is there after kill -9, three times in a row.
func TestP9AcknowledgedSurvivesKill(t *testing.T) {
	t.Parallel()
	for round := range 3 {
		path := filepath.Join(t.TempDir(), "recap.db")
		cmd, lines := child(t, "put", path)
		acknowledged := 0
		for acknowledged < 20+30*round && lines.Scan() {
			acknowledged++
		}
		cmd.Process.Kill()
		for lines.Scan() { // said before it died
			acknowledged++
		}
		cmd.Wait()
		if acknowledged < 20 {
			t.Fatalf("the child ended by itself: %s", lines.Text())
		}
		store := open(t, cache.Options{Path: path})
		for n := range acknowledged {
			if found(t, store, n) != 1 {
				t.Errorf("P9: %d of %d is lost", n, acknowledged)
			}
		}
	}
}

// TestRestart: P7, all is the same after a restart, the use included.
func TestRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recap.db")
	now := time.Now()
	o := cache.Options{Path: path, TTL: 10 * time.Hour, Now: func() time.Time { return now }}
	store := open(t, o)
	put(t, store, 1, 2)
	now = now.Add(9 * time.Hour)
	found(t, store, 1)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + "-wal"); err == nil {
		t.Error("the log was not folded into the file")
	}
	now = now.Add(2 * time.Hour)
	if got := found(t, open(t, o), 1, 2); got != 1 {
		t.Errorf("found %d, want the one that was used", got)
	}
}

func TestPragmas(t *testing.T) {
	store := open(t, cache.Options{})
	for name, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "2", "busy_timeout": "2000", "secure_delete": "1", "user_version": "2",
	} {
		if got, err := store.Pragma(name); got != want || err != nil {
			t.Errorf("PRAGMA %s: %q, %v, want %q", name, got, err, want)
		}
	}
}

func TestFileModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	path := filepath.Join(t.TempDir(), "new", "dir", "recap.db")
	put(t, open(t, cache.Options{Path: path}), 1)
	f := func(path string, want os.FileMode) {
		t.Helper()
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("mode of %s: %v, %v, want %v", filepath.Base(path), info.Mode(), err, want)
		}
	}
	f(path, 0o600)
	f(path+"-wal", 0o600)
	f(path+"-shm", 0o600)
	f(filepath.Dir(path), 0o700)
	f(filepath.Dir(filepath.Dir(path)), 0o700)

	loose := filepath.Join(t.TempDir(), "recap.db")
	if err := os.WriteFile(loose, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	put(t, open(t, cache.Options{Path: loose}), 1)
	f(loose, 0o600)
	f(loose+"-wal", 0o600)
}

// TestOddPaths: no character of a path is read as something else.
func TestOddPaths(t *testing.T) {
	for _, name := range []string{"with space.db", "ask?mode=memory", "per%20cent", "hash#tag", "żółć & co+.db", "a;b'c\"d"} {
		path := filepath.Join(t.TempDir(), name)
		store := open(t, cache.Options{Path: path})
		put(t, store, 1)
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestDefaultPath(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other variables")
	}
	f := func(xdg, home, want string) {
		t.Helper()
		t.Setenv("XDG_DATA_HOME", xdg)
		t.Setenv("HOME", home)
		got, err := cache.DefaultPath()
		if got != want || (want == "") != (err != nil) {
			t.Errorf("XDG_DATA_HOME=%q HOME=%q: %q, %v, want %q", xdg, home, got, err, want)
		}
		if err != nil && !strings.Contains(err.Error(), "store.path") {
			t.Errorf("the error names no knob: %v", err)
		}
	}
	f("/data", "/home/me", "/data/recap/recap.db")
	f("", "/home/me", "/home/me/.local/share/recap/recap.db")
	f("relative", "/home/me", "/home/me/.local/share/recap/recap.db")
	f("", "", "")
}

func TestOpenKinds(t *testing.T) {
	f := func(kind string, want bool) {
		t.Helper()
		store, err := cache.Open(t.Context(), cache.Options{Kind: kind, Path: filepath.Join(t.TempDir(), "recap.db")})
		if (err == nil) != want {
			t.Errorf("kind %q: %v", kind, err)
		}
		if err == nil {
			store.Close()
		} else if store != nil {
			t.Errorf("kind %q: a store beside an error", kind)
		}
	}
	f("", true)
	f("sqlite", true)
	f("memory", true)
	f("redis", false)
}
