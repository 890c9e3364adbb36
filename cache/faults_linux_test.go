package cache_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

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

func init() { children["lock"] = lockForever }

// lockForever locks the whole file the way a program does that knows nothing of SQLite.
func lockForever() {
	file, err := os.OpenFile(os.Getenv("RECAP_TEST_PATH"), os.O_RDWR, 0)
	if err == nil {
		err = syscall.FcntlFlock(file.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_WRLCK})
	}
	fmt.Println(err)
	time.Sleep(time.Minute) // the test kills it long before
}

// TestLockedByStranger: a lock of another kind of program is reported like any other.
func TestLockedByStranger(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "recap.db")
	store := open(t, cache.Options{Path: path})
	put(t, store, 1)
	store.Close()
	cmd, lines := child(t, "lock", path)
	if !lines.Scan() || lines.Text() != "<nil>" {
		t.Fatalf("the child says %q", lines.Text())
	}
	if got := fault(t, path); got != cache.Locked {
		t.Errorf("fault %q, want locked", got)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if got := found(t, open(t, cache.Options{Path: path}), 1); got != 1 {
		t.Errorf("found %d after the stranger has left", got)
	}
}
