package cache_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recap/cache"
	"recap/chat"
)

// fault opens the store at path and returns what is wrong with it.
func fault(t *testing.T, path string) cache.Fault {
	t.Helper()
	store, err := cache.Open(t.Context(), cache.Options{Path: path})
	if err == nil {
		store.Close()
		return ""
	}
	return faultOf(t, err)
}

func faultOf(t *testing.T, err error) cache.Fault {
	t.Helper()
	var broken *cache.FileError
	if !errors.As(err, &broken) {
		t.Fatalf("not a FileError: %v", err)
	}
	if !strings.Contains(err.Error(), "store.path") {
		t.Errorf("the error names no knob: %v", err)
	}
	return broken.Fault
}

func TestDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recap.db")
	store := open(t, cache.Options{Path: path})
	for n := range 60 {
		put(t, store, n)
	}
	store.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f := func(name string, want cache.Fault, damage func([]byte) []byte) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "recap.db")
		if err := os.WriteFile(path, damage(append([]byte(nil), whole...)), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := fault(t, path); got != want {
			t.Errorf("%s: fault %q, want %q", name, got, want)
		}
	}
	f("whole", "", func(b []byte) []byte { return b })
	f("empty", "", func([]byte) []byte { return nil })
	f("text", cache.Damaged, func([]byte) []byte { return []byte(strings.Repeat("this is no database. ", 100)) })
	f("cut in half", cache.Damaged, func(b []byte) []byte { return b[:len(b)/2] })
	f("zeroes in the middle", cache.Damaged, func(b []byte) []byte {
		clear(b[len(b)/3 : len(b)/2])
		return b
	})
	f("bad header", cache.Damaged, func(b []byte) []byte {
		b[0] ^= 0xff
		return b
	})
}

func TestNewer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recap.db")
	store := open(t, cache.Options{Path: path})
	if err := store.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	store.Close()
	if got := fault(t, path); got != cache.Newer {
		t.Errorf("fault %q", got)
	}
}

func TestUnreachable(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := fault(t, filepath.Join(dir, "file", "recap.db")); got != cache.Unreachable {
		t.Errorf("a file for a directory: %q", got)
	}
	if got := fault(t, dir); got == "" {
		t.Errorf("a directory for a file: %q", got)
	}
}

// TestLocked: another holder of the lock is reported, and once it is gone all goes on.
func TestLocked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "recap.db")
	store := open(t, cache.Options{Path: path})
	put(t, store, 1)
	if err := store.Exec("PRAGMA busy_timeout = 50"); err != nil {
		t.Fatal(err)
	}
	holder, err := cache.Breach(path)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	holder.SetMaxOpenConns(1)
	if _, err := holder.Exec("BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	_, err = store.Put(t.Context(), checkpoint(2))
	if got := faultOf(t, err); got != cache.Locked {
		t.Errorf("put: %q", got)
	}
	if got := found(t, store, 1, 2); got != 1 {
		t.Errorf("found %d while locked, want 1", got)
	}
	if got := fault(t, path); got != cache.Locked {
		t.Errorf("open: %q", got)
	}
	if _, err := holder.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	put(t, store, 2)
}

// TestFull: a disk that fills up fails the Put, which is then not visible; what was there stays, and when there is
// room again all goes on.
func TestFull(t *testing.T) {
	store := open(t, cache.Options{})
	put(t, store, 1)
	if err := store.Exec("PRAGMA max_page_count = 40"); err != nil {
		t.Fatal(err)
	}
	n, err := 1, error(nil)
	for err == nil && n < 1000 {
		n++
		_, err = store.Put(t.Context(), checkpoint(n))
	}
	if got := faultOf(t, err); got != cache.Full {
		t.Errorf("fault %q, want full", got)
	}
	if found(t, store, n) != 0 {
		t.Error("a Put that failed is visible")
	}
	if rows, err := store.Rows(); err != nil || rows != n-1 || store.Known() != rows {
		t.Errorf("%d rows, %d in the index, want %d, %v", rows, store.Known(), n-1, err)
	}
	big := func(cp *chat.Checkpoint) { cp.Text = strings.Repeat("x", 1<<20) }
	if err := store.Change(t.Context(), key(1), big); faultOf(t, err) != cache.Full {
		t.Errorf("change: %v", err)
	}
	if got := found(t, store, 1); got != 1 { // with its old text
		t.Errorf("found %d", got)
	}
	if err := store.Exec("PRAGMA max_page_count = 100000"); err != nil {
		t.Fatal(err)
	}
	put(t, store, n)
	if found(t, store, n) != 1 {
		t.Error("not there after the disk has room again")
	}
}

// TestPanicInEdit: the store goes on after an edit that panics.
func TestPanicInEdit(t *testing.T) {
	for _, store := range []cache.Store{open(t, cache.Options{}), cache.NewMemory(cache.Options{})} {
		put(t, store, 1)
		func() {
			defer func() { recover() }()
			store.Change(t.Context(), key(1), func(*chat.Checkpoint) { panic("edit") })
		}()
		put(t, store, 2)
		if got := found(t, store, 1, 2); got != 2 {
			t.Errorf("%T: found %d", store, got)
		}
		store.Close()
	}
}

// TestCanceled: a caller who has left writes nothing; one who leaves during a write does not break it.
func TestCanceled(t *testing.T) {
	store := open(t, cache.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := store.Put(ctx, checkpoint(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("put: %v", err)
	}
	if got := found(t, store, 1); got != 0 {
		t.Errorf("found %d", got)
	}
	ctx, cancel = context.WithCancel(t.Context())
	put(t, store, 1)
	if err := store.Change(ctx, key(1), func(cp *chat.Checkpoint) { cancel(); cp.Windows = []int{1} }); err != nil {
		t.Errorf("change: %v", err)
	}
	if got, err := store.Get(t.Context(), key(1)); err != nil || !got.SentFor(1) {
		t.Errorf("changed: %v, %v", got.Windows, err)
	}
}

// TestForeignHandOnTheFile: rows that disappear under the store are no error.
func TestForeignHandOnTheFile(t *testing.T) {
	store := open(t, cache.Options{CacheSize: 1})
	put(t, store, 1, 2)
	if err := store.Exec("DELETE FROM checkpoint"); err != nil {
		t.Fatal(err)
	}
	if got := found(t, store, 1, 2); got != 0 {
		t.Errorf("found %d", got)
	}
	if err := store.Exec("DROP TABLE checkpoint"); err != nil {
		t.Fatal(err)
	}
	_, err := store.Find(t.Context(), []chat.Key{key(1)})
	if faultOf(t, err) != cache.Broken {
		t.Errorf("find: %v", err)
	}
}
