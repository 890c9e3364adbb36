package cachetest

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"recap/cache"
	"recap/chat"
)

func testTTL(t *testing.T, s *suite) {
	store := s.store(t)
	put(t, store, checkpoint(1, "one"))
	s.pass(s.ttl - time.Second)
	if list, err := store.List(t.Context(), "", 0); err != nil || len(list) != 1 { // does not count as use
		t.Errorf("before its time: %d, %v", len(list), err)
	}
	s.pass(time.Second)
	same(t, "expired", find(t, store, key(1)), nil)
	_, err := store.Get(t.Context(), key(1))
	missing(t, "get", err)
	missing(t, "change", store.Change(t.Context(), key(1), func(*chat.Checkpoint) {}))
	missing(t, "delete", store.Delete(t.Context(), key(1)))
	if list, err := store.List(t.Context(), "", 0); err != nil || len(list) != 0 {
		t.Errorf("list: %d, %v", len(list), err)
	}
}

func testPinned(t *testing.T, s *suite) {
	store := s.store(t)
	put(t, store, checkpoint(1, "one"))
	put(t, store, checkpoint(2, "two"))
	if err := store.Change(t.Context(), key(1), func(cp *chat.Checkpoint) { cp.Pinned = true }); err != nil {
		t.Fatal(err)
	}
	s.pass(1000 * s.ttl)
	same(t, "pinned", find(t, store, key(1), key(2)), []string{"one"})
}

// testUse: the time to live counts from the last use.
func testUse(t *testing.T, s *suite) {
	store := s.store(t)
	put(t, store, checkpoint(1, "found"))
	put(t, store, checkpoint(2, "changed"))
	put(t, store, checkpoint(3, "idle"))
	for range 5 {
		s.pass(s.ttl * 3 / 4)
		same(t, "found", find(t, store, key(1)), []string{"found"})
		if err := store.Change(t.Context(), key(2), func(*chat.Checkpoint) {}); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "all", find(t, store, key(1), key(2), key(3)), []string{"found", "changed"})
}

// testPeek: peeking finds what Find does, and keeps nothing from expiring.
func testPeek(t *testing.T, s *suite) {
	store := s.store(t)
	put(t, store, checkpoint(1, "one"))
	s.pass(s.ttl * 3 / 4)
	list, err := cache.Peek(t.Context(), store, []chat.Key{key(2), key(1)})
	same(t, "looked at", texts(list), []string{"one"})
	if _, getErr := store.Get(t.Context(), key(1)); err != nil || getErr != nil {
		t.Errorf("look: %v, get: %v", err, getErr)
	}
	s.pass(s.ttl / 2)
	same(t, "not used since", find(t, store, key(1)), nil)
}

// testExpired: what has expired is nothing to a Put.
func testExpired(t *testing.T, s *suite) {
	store := s.store(t)
	cp := checkpoint(1, "old")
	cp.Windows = []int{1}
	put(t, store, cp)
	s.pass(2 * s.ttl)
	if got := put(t, store, checkpoint(1, "new")); got.Text != "new" || !got.Created.Equal(s.read()) {
		t.Errorf("put over an expired one: %q, created %v", got.Text, got.Created)
	}
	same(t, "found", find(t, store, key(1)), []string{"new"})
}

func testNever(t *testing.T, s *suite) {
	s.ttl = -1
	store := s.store(t)
	put(t, store, checkpoint(1, "one"))
	s.pass(100 * 365 * 24 * time.Hour)
	same(t, "found", find(t, store, key(1)), []string{"one"})
}

func testLarge(t *testing.T, s *suite) {
	store := s.store(t)
	text := strings.Repeat("zażółć 🙂 ", 500_000)
	put(t, store, checkpoint(1, text))
	if got := find(t, store, key(1)); len(got) != 1 || got[0] != text {
		t.Error("a text of 9 MB does not come back")
	}
}

// testAtOnce: E12, what was put is found at once, 1000 times from ten sides.
func testAtOnce(t *testing.T, s *suite) {
	store := s.store(t)
	var wg sync.WaitGroup
	for part := range 10 {
		wg.Go(func() {
			for n := part; n < puts; n += 10 {
				if _, err := store.Put(t.Context(), checkpoint(n, fmt.Sprint(n))); err != nil {
					t.Error(err)
					return
				}
				got, err := store.Find(t.Context(), []chat.Key{key(n)})
				if err != nil || len(got) != 1 || got[0].Text != fmt.Sprint(n) {
					t.Errorf("E12: %d is not there at once: %v", n, err)
				}
			}
		})
	}
	wg.Wait()
}

// testConcurrent mixes everything; a reader never sees half of a change, and never an older one after a newer.
func testConcurrent(t *testing.T, s *suite) {
	store := s.store(t)
	put(t, store, checkpoint(1, "0"))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 30 {
				err := store.Change(t.Context(), key(1), func(cp *chat.Checkpoint) {
					cp.Tokens++
					cp.Text = fmt.Sprint(cp.Tokens)
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
		wg.Go(func() {
			newest := 0
			for range 200 {
				got, err := store.Find(t.Context(), []chat.Key{key(2), key(1)})
				if err != nil || len(got) != 1 || got[0].Text != fmt.Sprint(got[0].Tokens) || got[0].Tokens < newest {
					t.Errorf("found %d, %v, newest %d", len(got), err, newest)
					return
				}
				newest = got[0].Tokens
			}
		})
	}
	wg.Wait()
	if got, err := store.Get(t.Context(), key(1)); err != nil || got.Tokens != 120 {
		t.Errorf("120 changes: %d, %v", got.Tokens, err)
	}
}

// testOneWinner: of many who set the same secret or the same sent checkpoint, all get that of one.
func testOneWinner(t *testing.T, s *suite) {
	store := s.store(t)
	var mu sync.Mutex
	seen := map[string]bool{}
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			secret, err := store.Setting(t.Context(), "secret", fmt.Append(nil, n), false)
			if err != nil {
				t.Error(err)
			}
			cp := checkpoint(1, fmt.Sprint(n))
			cp.Windows = []int{4096}
			got, err := store.Put(t.Context(), cp)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			seen["secret "+string(secret)], seen["text "+got.Text] = true, true
		})
	}
	wg.Wait()
	if len(seen) != 2 {
		t.Errorf("got %v, want one secret and one text", seen)
	}
}
