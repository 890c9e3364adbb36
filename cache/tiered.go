package cache

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/dgraph-io/ristretto/v2"

	"recap/chat"
)

// texts is the first level in front of the file. It may lose or refuse what it is given, and show it late: whoever
// asks says which revision is current, and reads the file where that does not come.
type texts struct {
	cache *ristretto.Cache[uint64, *row]

	mu     sync.RWMutex // ristretto panics where it is closed while somebody uses it
	closed bool
}

// rowBytes is what a checkpoint weighs about, for the number of counters.
const rowBytes = 4 << 10

func newTexts(bytes int64) (*texts, error) {
	cache, err := ristretto.NewCache(&ristretto.Config[uint64, *row]{
		NumCounters:        max(10*bytes/rowBytes, 1000),
		MaxCost:            bytes,
		BufferItems:        64,
		IgnoreInternalCost: true, // a cost is in bytes already
	})
	if err != nil {
		return nil, fmt.Errorf("open store: set store.cacheSize: %w", err)
	}
	return &texts{cache: cache}, nil
}

// get returns the row under key at that revision. What it returns must not be changed.
func (t *texts) get(key chat.Key, rev int64) (*row, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.closed {
		return nil, false
	}
	r, ok := t.cache.Get(short(key))
	if !ok || r.rev != rev || r.Key != key {
		return nil, false
	}
	return r, true
}

func (t *texts) set(r *row) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if !t.closed {
		t.cache.Set(short(r.Key), r, weight(&r.Checkpoint))
	}
}

func (t *texts) drop(key chat.Key) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if !t.closed {
		t.cache.Del(short(key))
	}
}

func (t *texts) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.cache.Close()
}

// short is the part of a key that the cache hashes by; get compares the whole.
func short(key chat.Key) uint64 { return binary.LittleEndian.Uint64(key[:]) }
