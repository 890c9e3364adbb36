// Package cachetest is the contract of cache.Store as tests. Every store runs it.
package cachetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"recap/cache"
	"recap/chat"
)

// Open returns an empty store with these options; the test closes it. What it needs beside them (a file) is its own.
type Open func(t *testing.T, o cache.Options) cache.Store

// Run tests the stores that open returns.
func Run(t *testing.T, open Open) {
	for _, c := range []struct {
		name string
		test func(*testing.T, *suite)
	}{
		{"find", testFind},
		{"get", testGet},
		{"every field", testFields},
		{"put over", testPutOver},
		{"change", testChange},
		{"delete", testDelete},
		{"list", testList},
		{"setting", testSetting},
		{"ttl", testTTL},
		{"pinned", testPinned},
		{"use", testUse},
		{"peek", testPeek},
		{"shallowest", testShallowest},
		{"expired is gone", testExpired},
		{"never expires", testNever},
		{"copies", testCopies},
		{"large", testLarge},
		{"at once", testAtOnce},
		{"concurrent", testConcurrent},
		{"one winner", testOneWinner},
		{"closed", testClosed},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := &clock{now: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)}
			s := &suite{clock: clock, ttl: 100 * time.Hour, open: open}
			c.test(t, s)
		})
	}
}

type suite struct {
	*clock
	ttl  time.Duration
	open Open
}

func (s *suite) store(t *testing.T) cache.Store {
	t.Helper()
	store := s.open(t, cache.Options{TTL: s.ttl, Now: s.clock.read, CacheSize: 64 << 20})
	t.Cleanup(func() { store.Close() })
	return store
}

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func key(n int) chat.Key { return chat.Seed("test", "key", fmt.Sprint(n)) }

func checkpoint(n int, text string) chat.Checkpoint {
	return chat.Checkpoint{Key: key(n), Tenant: "a", Text: text, From: 1, To: n, RowFrom: 1}
}

func put(t *testing.T, store cache.Store, cp chat.Checkpoint) chat.Checkpoint {
	t.Helper()
	got, err := store.Put(t.Context(), cp)
	if err != nil {
		t.Fatalf("put: %v", err)
	}
	return got
}

func texts(list []chat.Checkpoint) []string {
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = list[i].Text
	}
	return texts
}

func find(t *testing.T, store cache.Store, keys ...chat.Key) []string {
	t.Helper()
	list, err := store.Find(t.Context(), keys)
	if err != nil {
		t.Fatalf("find: %v", err)
	}
	return texts(list)
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func missing(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, cache.ErrNotFound) {
		t.Errorf("%s: got error %v, want ErrNotFound", what, err)
	}
}

func testFind(t *testing.T, s *suite) {
	store := s.store(t)
	same(t, "empty store", find(t, store, key(1)), nil)
	for n := range 120 {
		put(t, store, checkpoint(n, fmt.Sprint(n)))
	}
	same(t, "in the order of keys", find(t, store, key(7), key(999), key(3), key(110)), []string{"7", "3", "110"})
	same(t, "no keys", find(t, store), nil)
	var keys []chat.Key
	for n := range 500 {
		keys = append(keys, key(n))
	}
	if got := find(t, store, keys...); len(got) != 120 || got[119] != "119" {
		t.Errorf("find 500: got %d, want the 120 that are there", len(got))
	}
}

func testGet(t *testing.T, s *suite) {
	store := s.store(t)
	_, err := store.Get(t.Context(), key(1))
	missing(t, "get", err)
	put(t, store, checkpoint(1, "one"))
	if got, err := store.Get(t.Context(), key(1)); err != nil || got.Text != "one" {
		t.Errorf("get: %q, %v", got.Text, err)
	}
	if _, err := store.Put(t.Context(), chat.Checkpoint{Text: "no key"}); err == nil {
		t.Error("put without a key: no error")
	}
}

func testClosed(t *testing.T, s *suite) {
	store := s.store(t)
	put(t, store, checkpoint(1, "one"))
	for range 2 {
		if err := store.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	ctx := t.Context()
	_, find := store.Find(ctx, []chat.Key{key(1)})
	_, get := store.Get(ctx, key(1))
	_, put := store.Put(ctx, checkpoint(2, "two"))
	_, list := store.List(ctx, "", 0)
	_, setting := store.Setting(ctx, "x", []byte("y"), false)
	change := store.Change(ctx, key(1), func(*chat.Checkpoint) {})
	for i, err := range []error{find, get, put, list, setting, change, store.Delete(ctx, key(1))} {
		if err == nil || errors.Is(err, cache.ErrNotFound) {
			t.Errorf("call %d on a closed store: error %v", i, err)
		}
	}
}

func testSetting(t *testing.T, s *suite) {
	store := s.store(t)
	f := func(fallback []byte, overwrite bool, want string) {
		t.Helper()
		got, err := store.Setting(t.Context(), "secret", fallback, overwrite)
		if err != nil || string(got) != want {
			t.Errorf("setting: %q, %v, want %q", got, err, want)
		}
		for i := range got {
			got[i] = 'X' // must not reach the store
		}
	}
	f(nil, false, "")
	f([]byte("first"), false, "first")
	f([]byte("second"), false, "first")
	f(nil, false, "first")
	f([]byte("third"), true, "third")
	f(nil, true, "third")
	f(nil, false, "third")
	f([]byte{0, 0xff, 0}, true, "\x00\xff\x00")
}
