package cache_test

import (
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"recap/cache"
	"recap/cache/cachetest"
)

func TestMemory(t *testing.T) {
	cachetest.Run(t, func(_ *testing.T, o cache.Options) cache.Store { return cache.NewMemory(o) })
}

func TestSQLite(t *testing.T) {
	cachetest.Run(t, func(t *testing.T, o cache.Options) cache.Store { return open(t, o) })
}

// TestSQLiteWithoutMemory: with room for nothing in memory, all comes from disk and nothing else changes.
func TestSQLiteWithoutMemory(t *testing.T) {
	cachetest.Run(t, func(t *testing.T, o cache.Options) cache.Store {
		o.CacheSize = 1
		return open(t, o)
	})
}

func open(t testing.TB, o cache.Options) *cache.SQLite {
	t.Helper()
	if o.Path == "" {
		o.Path = filepath.Join(t.TempDir(), "dir", "recap.db")
	}
	o.Patience = time.Minute // a loaded machine's disk
	store, err := cache.OpenSQLite(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

func check(m *testing.M) {
	goleak.VerifyTestMain(m)
}
