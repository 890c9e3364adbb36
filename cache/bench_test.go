package cache_test

import (
	"strconv"
	"testing"

	"recap/cache"
	"recap/chat"
)

// benchStore returns a store of 2,000 checkpoints and the keys of a chat of which the first ones are known.
func benchStore(b *testing.B, known, unknown int) (*cache.SQLite, []chat.Key) {
	b.Helper()
	store := open(b, cache.Options{})
	for n := range 2000 {
		cp := checkpoint(n)
		if _, err := store.Put(b.Context(), cp); err != nil {
			b.Fatal(err)
		}
	}
	var keys []chat.Key
	for n := range known {
		keys = append(keys, key(n))
	}
	for n := range unknown {
		keys = append(keys, key(1_000_000+n))
	}
	found(b, store, 0, 1, 2, 3, 4)
	store.Settle()
	return store, keys
}

func BenchmarkFind(b *testing.B) {
	for _, c := range []struct{ known, unknown int }{{0, 170}, {5, 0}, {5, 165}, {0, 1000}} {
		b.Run(strconv.Itoa(c.known)+"known"+strconv.Itoa(c.unknown)+"unknown", func(b *testing.B) {
			store, keys := benchStore(b, c.known, c.unknown)
			b.ReportAllocs()
			for b.Loop() {
				list, err := store.Find(b.Context(), keys)
				if err != nil || len(list) != c.known {
					b.Fatal(len(list), err)
				}
			}
		})
	}
}

// BenchmarkFindOnDisk reads one text that is not in memory.
func BenchmarkFindOnDisk(b *testing.B) {
	store := open(b, cache.Options{CacheSize: 1})
	put(b, store, 1)
	for b.Loop() {
		found(b, store, 1)
	}
}

func BenchmarkPut(b *testing.B) {
	store := open(b, cache.Options{})
	n := 0
	for b.Loop() {
		n++
		put(b, store, n)
	}
}
