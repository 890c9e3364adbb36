package chat

import "sync"

// Memo is a bounded memory of what was computed from a message's content: it may forget, it never lies.
// It keeps two generations of at most half its limit each; a lookup moves what it finds to the young one, so
// what is used stays and what is not is gone after two fillings. Safe for concurrent use.
type Memo[K comparable, V any] struct {
	mu    sync.RWMutex
	limit int
	young map[K]V
	old   map[K]V
}

// NewMemo returns a memo for about limit entries.
func NewMemo[K comparable, V any](limit int) *Memo[K, V] {
	return &Memo[K, V]{limit: max(limit/2, 1), young: map[K]V{}}
}

// Get returns what is remembered for key.
func (m *Memo[K, V]) Get(key K) (V, bool) {
	m.mu.RLock()
	value, ok := m.young[key]
	if ok {
		m.mu.RUnlock()
		return value, true
	}
	value, ok = m.old[key]
	m.mu.RUnlock()
	if ok {
		m.Put(key, value)
	}
	return value, ok
}

// Put remembers value for key.
func (m *Memo[K, V]) Put(key K, value V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.young) >= m.limit {
		m.old, m.young = m.young, make(map[K]V, m.limit/4)
	}
	m.young[key] = value
}

// Len is the number of entries, those counted twice that live in both generations.
func (m *Memo[K, V]) Len() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.young) + len(m.old)
}
