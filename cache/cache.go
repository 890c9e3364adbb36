// Package cache stores checkpoints: an index and ristretto in memory, in front of SQLite that survives kill -9, or
// memory alone. Whatever the store, cachetest.Run is its contract.
package cache

import (
	"context"
	"errors"
	"time"

	"recap/chat"
)

// ErrNotFound is returned where a key names nothing.
var ErrNotFound = errors.New("find checkpoint: no such key")

// Store keeps checkpoints under their keys. Implementations are safe for concurrent use, and read their own
// writes at once. Checkpoints are returned as copies: nobody shares a slice with the store.
type Store interface {
	// Find returns the checkpoints stored under any of keys, in the order of keys, expired ones left out. It is
	// on the request path: an implementation answers from memory what it can and never waits long.
	Find(ctx context.Context, keys []chat.Key) ([]chat.Checkpoint, error)
	// Get returns one checkpoint or ErrNotFound.
	Get(ctx context.Context, key chat.Key) (chat.Checkpoint, error)
	// Put stores cp under cp.Key and returns when it would survive kill -9. Over one at the same key: a real one
	// replaces a provisional one and keeps its Windows, Pinned and Created; a provisional one never replaces a
	// real one; a real one replaces a real one only where that was never sent (Windows empty) and is not pinned.
	// What is refused so is not an error: the one that is stored now comes back.
	Put(ctx context.Context, cp chat.Checkpoint) (chat.Checkpoint, error)
	// Change applies edit to the checkpoint under key and stores it: marks, pins, texts edited by hand. It returns
	// ErrNotFound where there is none.
	Change(ctx context.Context, key chat.Key, edit func(*chat.Checkpoint)) error
	// Delete removes one checkpoint; ErrNotFound where there is none.
	Delete(ctx context.Context, key chat.Key) error
	// List returns all live checkpoints of a tenant ("" = of all), newest first, at most limit (0 = all).
	List(ctx context.Context, tenant string, limit int) ([]chat.Checkpoint, error)
	// Setting returns the value kept under name; where there is none it stores fallback (nil: stores nothing) and
	// returns that. It holds the tenant secret and calibrations. With overwrite, fallback is stored always.
	Setting(ctx context.Context, name string, fallback []byte, overwrite bool) ([]byte, error)
	// Close flushes and frees everything.
	Close() error
}

// Options is the `store` section of the file.
type Options struct {
	Kind      string        `yaml:"kind"` // sqlite or memory
	Path      string        `yaml:"path"` // of the SQLite file; "" = the user's data directory
	CacheSize int64         `yaml:"-"`    // bytes held in memory in front of SQLite; 64 MiB
	TTL       time.Duration `yaml:"-"`    // a checkpoint that was not used for so long expires; 720 h
	Mirror    string        `yaml:"-"`    // base URL of NexusAI's memory service; "" = none
}
