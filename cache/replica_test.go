package cache_test

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"recap/cache"
	"recap/chat"
)

// two returns two stores on one file, as two processes have.
func two(t *testing.T, o cache.Options) (*cache.SQLite, *cache.SQLite) {
	t.Helper()
	o.Path = filepath.Join(t.TempDir(), "recap.db")
	return open(t, o), open(t, o)
}

func look(t *testing.T, store *cache.SQLite) {
	t.Helper()
	if err := store.Look(); err != nil {
		t.Fatal(err)
	}
}

// TestReplicaNoticed: what another process writes, changes and deletes is seen by itself within a few seconds.
func TestReplicaNoticed(t *testing.T) {
	t.Parallel()
	a, b := two(t, cache.Options{})
	eventually := func(what string, ok func() bool) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
			if ok() {
				return
			}
		}
		t.Errorf("%s: not noticed within a minute", what)
	}
	put(t, a, 1, 2)
	eventually("put", func() bool { return found(t, b, 1, 2) == 2 })
	if err := a.Change(t.Context(), key(1), func(cp *chat.Checkpoint) { cp.Windows = []int{7} }); err != nil {
		t.Fatal(err)
	}
	eventually("change", func() bool {
		list, err := b.Find(t.Context(), []chat.Key{key(1)})
		return err == nil && len(list) == 1 && list[0].SentFor(7)
	})
	if err := b.Delete(t.Context(), key(2)); err != nil {
		t.Fatal(err)
	}
	eventually("delete", func() bool { return found(t, a, 1, 2) == 1 })
}

// TestReplicaRules: P7, the rules of Put hold between processes that have not yet seen each other's writes.
func TestReplicaRules(t *testing.T) {
	a, b := two(t, cache.Options{})
	sent := checkpoint(1)
	sent.Windows = []int{8192}
	if _, err := a.Put(t.Context(), sent); err != nil {
		t.Fatal(err)
	}
	other := checkpoint(1)
	other.Text = "another summary of the same"
	got, err := b.Put(t.Context(), other)
	if err != nil || got.Text != sent.Text {
		t.Errorf("put over what another process has sent: %.20q, %v", got.Text, err)
	}
	if got, err := b.Get(t.Context(), key(1)); err != nil || !got.SentFor(8192) {
		t.Errorf("get: %v, %v", got.Windows, err)
	}
	secret, err := a.Setting(t.Context(), "secret", []byte("a"), false)
	if err != nil {
		t.Fatal(err)
	}
	if same, err := b.Setting(t.Context(), "secret", []byte("b"), false); err != nil || string(same) != string(secret) {
		t.Errorf("two secrets: %q, %q, %v", secret, same, err)
	}
}

// TestReplicaSeenOnGet: what another process has just written can be shown and changed before the index knows of it.
func TestReplicaSeenOnGet(t *testing.T) {
	a, b := two(t, cache.Options{})
	put(t, a, 1)
	if _, err := b.Get(t.Context(), key(1)); err != nil {
		t.Errorf("get: %v", err)
	}
	if err := b.Change(t.Context(), key(1), func(cp *chat.Checkpoint) { cp.Pinned = true }); err != nil {
		t.Errorf("change: %v", err)
	}
	put(t, a, 2)
	if err := b.Delete(t.Context(), key(2)); err != nil {
		t.Errorf("delete: %v", err)
	}
}

// TestReplicaSwap: one row deleted and another written between two looks leaves the number of rows as it was.
func TestReplicaSwap(t *testing.T) {
	a, b := two(t, cache.Options{})
	put(t, a, 1, 2, 3)
	look(t, b)
	if err := a.Delete(t.Context(), key(3)); err != nil {
		t.Fatal(err)
	}
	put(t, a, 4)
	look(t, b)
	if got := b.Known(); got != 3 {
		t.Errorf("the index holds %d keys, want 3", got)
	}
	if found(t, b, 3) != 0 || found(t, b, 1, 2, 4) != 3 {
		t.Error("the index is not that of the file")
	}
}

// TestStaleText: a text in memory is not shown after another process has changed it.
func TestStaleText(t *testing.T) {
	a, b := two(t, cache.Options{})
	put(t, a, 1)
	look(t, b)
	found(t, b, 1)
	b.Settle()
	long := strings.Repeat("edited ", 10)
	if err := a.Change(t.Context(), key(1), func(cp *chat.Checkpoint) { cp.Text = long }); err != nil {
		t.Fatal(err)
	}
	look(t, b)
	if got, err := b.Get(t.Context(), key(1)); err != nil || got.Text != long {
		t.Errorf("got %.30q, %v", got.Text, err)
	}
}

// TestSweep: expired rows leave the disk; used and pinned ones stay, in a process that has not seen the use too.
func TestSweep(t *testing.T) {
	now := time.Now()
	a, b := two(t, cache.Options{TTL: 80 * time.Hour, Now: func() time.Time { return now }})
	put(t, a, 1, 2, 3)
	if err := a.Change(t.Context(), key(3), func(cp *chat.Checkpoint) { cp.Pinned = true }); err != nil {
		t.Fatal(err)
	}
	look(t, b)
	now = now.Add(79 * time.Hour)
	found(t, a, 1)
	sweep := func(store *cache.SQLite, want int) {
		t.Helper()
		if err := store.Sweep(); err != nil {
			t.Fatal(err)
		}
		if rows, err := store.Rows(); err != nil || rows != want {
			t.Errorf("%d rows, %v, want %d", rows, err, want)
		}
	}
	sweep(a, 3) // writes the use
	now = now.Add(10 * time.Hour)
	sweep(b, 2)
	look(t, b)
	if got := found(t, b, 1, 2, 3); got != 2 {
		t.Errorf("found %d, want the used and the pinned one", got)
	}
	look(t, a)
	if got := a.Known(); got != 2 {
		t.Errorf("the index holds %d keys, want 2", got)
	}
	now = now.Add(1000 * time.Hour)
	sweep(a, 1)
	if got := a.Known(); got != 1 {
		t.Errorf("the index holds %d keys, want 1", got)
	}
}

// TestSweepSparesOthers: a process does not delete what another one has used and not yet written so.
func TestSweepSparesOthers(t *testing.T) {
	now := time.Now()
	a, b := two(t, cache.Options{TTL: 80 * time.Hour, Now: func() time.Time { return now }})
	put(t, a, 1)
	look(t, b)
	now = now.Add(79 * time.Hour)
	if got := found(t, b, 1); got != 1 {
		t.Fatalf("found %d", got)
	}
	now = now.Add(2 * time.Hour)
	for _, store := range []*cache.SQLite{a, b} {
		if err := store.Sweep(); err != nil {
			t.Fatal(err)
		}
	}
	look(t, a)
	if found(t, a, 1) != 1 || found(t, b, 1) != 1 {
		t.Error("what one process used, another one deleted or takes for expired")
	}
}

// TestUseIsWrittenSeldom: a use that is less than an hour ahead of the disk costs no write.
func TestUseIsWrittenSeldom(t *testing.T) {
	now := time.Now()
	store := open(t, cache.Options{Now: func() time.Time { return now }})
	put(t, store, 1)
	f := func(pass time.Duration, want time.Duration) {
		t.Helper()
		now = now.Add(pass)
		found(t, store, 1)
		if err := store.Sweep(); err != nil {
			t.Fatal(err)
		}
		look(t, store)
		list, err := store.List(t.Context(), "", 0)
		if err != nil || len(list) != 1 {
			t.Fatal(len(list), err)
		}
		used, err := store.UsedOnDisk()
		if err != nil || now.Sub(used) != want {
			t.Errorf("the disk is %v behind, %v, want %v", now.Sub(used), err, want)
		}
	}
	f(59*time.Minute, 59*time.Minute)
	f(2*time.Minute, 0)
	f(30*time.Minute, 30*time.Minute)
}

// TestMemoryIsBounded: memory alone holds CacheSize bytes; what was not used for longest goes first, pinned ones stay.
func TestMemoryIsBounded(t *testing.T) {
	now := time.Now()
	store := cache.NewMemory(cache.Options{CacheSize: 100_000, Now: func() time.Time { return now }})
	defer store.Close()
	pinned := checkpoint(0)
	pinned.Pinned = true
	if _, err := store.Put(t.Context(), pinned); err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 200; n++ {
		now = now.Add(time.Second)
		put(t, store, n)
		found(t, store, 1)
	}
	list, err := store.List(t.Context(), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	for _, cp := range list {
		size += len(cp.Text)
	}
	if size > 100_000 || len(list) < 15 {
		t.Errorf("%d checkpoints of %d bytes", len(list), size)
	}
	if got := found(t, store, 0, 1, 200); got != 3 {
		t.Errorf("found %d of the pinned, the used and the newest one", got)
	}
}

// TestMemorySweeps: what has expired leaves memory by itself.
func TestMemorySweeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := cache.NewMemory(cache.Options{TTL: time.Hour})
		defer store.Close()
		put(t, store, 1)
		time.Sleep(59 * time.Minute)
		put(t, store, 2)
		time.Sleep(12 * time.Minute)
		synctest.Wait()
		if got := store.Rows(); got != 1 {
			t.Errorf("%d checkpoints in memory, want 1", got)
		}
	})
}

// TestBackgroundReports: what goes wrong in the background is told, and the store goes on.
func TestBackgroundReports(t *testing.T) {
	reports := make(chan error, 100)
	store := open(t, cache.Options{Report: func(err error) { reports <- err }})
	put(t, store, 1)
	if err := store.Exec("ALTER TABLE sequence RENAME TO gone"); err != nil {
		t.Fatal(err)
	}
	if err := store.Exec("ALTER TABLE checkpoint RENAME TO lost"); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-reports:
		faultOf(t, err)
	case <-time.After(time.Minute):
		t.Fatal("nothing was reported")
	}
	if err := store.Exec("ALTER TABLE lost RENAME TO checkpoint"); err != nil {
		t.Fatal(err)
	}
	if got := found(t, store, 1); got != 1 {
		t.Errorf("found %d", got)
	}
}
