package cache

// Holder is a Store that says how much it keeps in memory.
type Holder interface {
	// Held is about how many bytes of checkpoints are in memory; Options.CacheSize bounds it.
	Held() int
}

var (
	_ Holder = (*Memory)(nil)
	_ Holder = (*SQLite)(nil)
)

// Held implements Holder.
func (m *Memory) Held() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return int(m.size)
}

// entryBytes is about what the index holds of one row, whose text may be on disk alone.
const entryBytes = 120

// Held implements Holder. The index of the file's keys, which has no bound but the store's `ttl`, is part of it.
func (s *SQLite) Held() int {
	s.index.mu.RLock()
	rows := len(s.index.rows)
	s.index.mu.RUnlock()
	return s.texts.held() + rows*entryBytes
}

func (t *texts) held() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.closed {
		return 0
	}
	return int(t.cache.MaxCost() - t.cache.RemainingCost())
}
