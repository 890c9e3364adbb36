// Package cache stores checkpoints: an index and ristretto in memory, in front of SQLite that survives kill -9, or
// memory alone. Whatever the store, cachetest.Run is its contract.
package cache

import (
	"context"
	"errors"
	"fmt"
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
	// Get returns one checkpoint or ErrNotFound. It is for showing: the checkpoint does not count as used.
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

// Shallow is a Store that bounds, without a lock, what it may find.
type Shallow interface {
	// Shallowest is a lower bound on the number of messages that any of its checkpoints covers; 0 = it has none. A chat
	// of fewer messages cannot match one.
	Shallowest() int
	// ShallowestOf is Shallowest for chats that open with a message, named by its key.
	ShallowestOf(opening chat.Key) int
}

// Peeker is a Store that can be peeked into. Whoever only shows checkpoints must not keep them from expiring.
type Peeker interface {
	// Peek is Find, but that what it returns does not count as used.
	Peek(ctx context.Context, keys []chat.Key) ([]chat.Checkpoint, error)
}

// Peek returns what is stored under any of keys and, where the store can tell looking from using, does not use it.
func Peek(ctx context.Context, store Store, keys []chat.Key) ([]chat.Checkpoint, error) {
	if l, ok := store.(Peeker); ok {
		return l.Peek(ctx, keys)
	}
	return store.Find(ctx, keys)
}

// Options is the `store` section of the file.
type Options struct {
	Kind      string        `yaml:"kind"` // sqlite or memory; "" = sqlite
	Path      string        `yaml:"path"` // of the SQLite file; "" = the user's data directory
	CacheSize int64         `yaml:"-"`    // bytes held in memory: in front of SQLite, or all there is; 0 = 64 MiB
	TTL       time.Duration `yaml:"-"`    // a checkpoint not used for so long expires; 0 = 720 h, negative = never
	Mirror    string        `yaml:"-"`    // base URL of NexusAI's memory service; "" = none

	// Patience is how long Find waits for the disk: a request waits for Find. 0 = 500 ms.
	Patience time.Duration `yaml:"-"`

	// Now is the clock, nil = time.Now. Report is told what failed in the background, nil = nobody is. Both are for
	// the process, not for the file.
	Now    func() time.Time `yaml:"-"`
	Report func(error)      `yaml:"-"`
}

// The defaults of Options.
const (
	DefaultCacheSize = 64 << 20
	DefaultTTL       = 720 * time.Hour
	DefaultPatience  = 500 * time.Millisecond
)

func (o Options) withDefaults() Options {
	if o.CacheSize <= 0 {
		o.CacheSize = DefaultCacheSize
	}
	if o.TTL == 0 {
		o.TTL = DefaultTTL
	}
	if o.Patience <= 0 {
		o.Patience = DefaultPatience
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Report == nil {
		o.Report = func(error) {}
	}
	return o
}

// Open opens the store that o.Kind names. A file that cannot be used gives a *FileError: the caller may go on with
// NewMemory.
func Open(ctx context.Context, o Options) (Store, error) {
	switch o.Kind {
	case "memory":
		return NewMemory(o), nil
	case "", "sqlite":
		store, err := OpenSQLite(ctx, o)
		if err != nil {
			return nil, err // not store: a nil *SQLite is not a nil Store
		}
		return store, nil
	}
	return nil, fmt.Errorf("open store: store.kind is %q, want sqlite or memory", o.Kind)
}
