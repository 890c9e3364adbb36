package cache_test

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"recap/cache"
)

// TestReadOnly: a directory or a file that cannot be written is reported. For root nothing is read-only, so one thread
// looks at the disk as nobody.
func TestReadOnly(t *testing.T) {
	base, err := os.MkdirTemp("", "recap-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	dir, file := filepath.Join(base, "dir"), filepath.Join(base, "file")
	for _, d := range []string{dir, file} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	written := open(t, cache.Options{Path: filepath.Join(file, "recap.db")})
	put(t, written, 1)
	written.Close()
	for path, mode := range map[string]os.FileMode{base: 0o755, dir: 0o555, file: 0o555, filepath.Join(file, "recap.db"): 0o444} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	asNobody(t, func() {
		for _, path := range []string{filepath.Join(dir, "recap.db"), filepath.Join(dir, "new", "recap.db"), filepath.Join(file, "recap.db")} {
			if got := fault(t, path); got != cache.ReadOnly && got != cache.Unreachable {
				t.Errorf("%s: fault %q", path, got)
			}
		}
	})
}

// asNobody runs work on a thread of its own that is thrown away afterwards.
func asNobody(t *testing.T, work func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		if os.Getuid() == 0 {
			runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
			if err := syscall.Setfsuid(65534); err != nil {
				t.Error(err)
				return
			}
		}
		work()
	}()
	<-done
}
