package cache

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"recap/chat"
)

// Memory is a store that forgets everything when the process ends. It holds at most Options.CacheSize bytes: over
// that, what was not used for longest goes, pinned checkpoints and the newest one aside.
type Memory struct {
	o    Options
	stop chan struct{}
	done sync.WaitGroup

	shallows shallows

	mu       sync.Mutex
	rows     map[chat.Key]*chat.Checkpoint
	size     int64
	settings map[string][]byte
	closed   bool
}

var (
	_ Store  = (*Memory)(nil)
	_ Peeker = (*Memory)(nil)
)

// sweepEvery is how often expired checkpoints are looked for.
const sweepEvery = 10 * time.Minute

// NewMemory returns an empty store.
func NewMemory(o Options) *Memory {
	m := &Memory{
		o: o.withDefaults(), stop: make(chan struct{}),
		rows: map[chat.Key]*chat.Checkpoint{}, settings: map[string][]byte{},
	}
	m.done.Go(m.run)
	return m
}

func (m *Memory) run() {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		select {
		case <-m.stop:
			return
		case <-ticker.C:
			m.sweep()
		}
	}
}

func (m *Memory) sweep() {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.o.Now()
	for key, cp := range m.rows {
		if !m.o.alive(cp.Pinned, cp.Used, now) {
			m.drop(key)
		}
	}
}

// Shallowest implements Shallow.
func (m *Memory) Shallowest() int { return int(m.shallows.least.Load()) }

// ShallowestOf implements Shallow.
func (m *Memory) ShallowestOf(opening chat.Key) int { return m.shallows.of(opening) }

// drop needs the lock.
func (m *Memory) drop(key chat.Key) {
	if cp, ok := m.rows[key]; ok {
		m.size -= weight(cp)
		delete(m.rows, key)
	}
}

// set needs the lock.
func (m *Memory) set(cp *chat.Checkpoint) {
	m.drop(cp.Key)
	m.rows[cp.Key] = cp
	m.shallows.note(cp.Opening, cp.To)
	m.size += weight(cp)
	if m.size > m.o.CacheSize {
		m.evict(cp.Key)
	}
}

// evict makes a tenth of the room free at once, so that a full store does not sort itself for each Put.
func (m *Memory) evict(keep chat.Key) {
	var idle []*chat.Checkpoint
	for key, cp := range m.rows {
		if key != keep && !cp.Pinned {
			idle = append(idle, cp)
		}
	}
	slices.SortFunc(idle, func(a, b *chat.Checkpoint) int { return a.Used.Compare(b.Used) })
	for _, cp := range idle {
		if m.size <= m.o.CacheSize-m.o.CacheSize/10 {
			return
		}
		m.drop(cp.Key)
	}
}

// live returns the checkpoint under key, nil where there is none or it has expired. It needs the lock.
func (m *Memory) live(key chat.Key, now time.Time) *chat.Checkpoint {
	if cp, ok := m.rows[key]; ok && m.o.alive(cp.Pinned, cp.Used, now) {
		return cp
	}
	return nil
}

// Find implements Store.
func (m *Memory) Find(_ context.Context, keys []chat.Key) ([]chat.Checkpoint, error) {
	return m.find(keys, true)
}

// Peek implements Peeker.
func (m *Memory) Peek(_ context.Context, keys []chat.Key) ([]chat.Checkpoint, error) {
	return m.find(keys, false)
}

func (m *Memory) find(keys []chat.Key, use bool) ([]chat.Checkpoint, error) {
	now := m.o.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, errClosed
	}
	var found []chat.Checkpoint
	for _, key := range keys {
		if cp := m.live(key, now); cp != nil {
			if use {
				cp.Used = now
			}
			found = append(found, clone(cp))
		}
	}
	return found, nil
}

// Get implements Store.
func (m *Memory) Get(ctx context.Context, key chat.Key) (chat.Checkpoint, error) {
	found, err := m.Peek(ctx, []chat.Key{key})
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return chat.Checkpoint{}, err
	}
	return found[0], nil
}

// Put implements Store.
func (m *Memory) Put(_ context.Context, cp chat.Checkpoint) (chat.Checkpoint, error) {
	if cp.Key.IsZero() {
		return chat.Checkpoint{}, errNoKey
	}
	now := m.o.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return chat.Checkpoint{}, errClosed
	}
	kept, fresh := settle(m.live(cp.Key, now), cp, now)
	if fresh {
		own := detach(&kept)
		m.set(&own)
	}
	return clone(&kept), nil
}

// Change implements Store.
func (m *Memory) Change(_ context.Context, key chat.Key, edit func(*chat.Checkpoint)) error {
	now := m.o.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return errClosed
	}
	old := m.live(key, now)
	if old == nil {
		return ErrNotFound
	}
	fresh := amend(old, edit, now)
	fresh = detach(&fresh)
	m.set(&fresh)
	return nil
}

// Delete implements Store.
func (m *Memory) Delete(_ context.Context, key chat.Key) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return errClosed
	}
	was := m.live(key, m.o.Now())
	m.drop(key)
	if was == nil {
		return ErrNotFound
	}
	return nil
}

// List implements Store.
func (m *Memory) List(_ context.Context, tenant string, limit int) ([]chat.Checkpoint, error) {
	now := m.o.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, errClosed
	}
	var list []chat.Checkpoint
	for key, cp := range m.rows {
		if m.live(key, now) != nil && (tenant == "" || cp.Tenant == tenant) {
			list = append(list, clone(cp))
		}
	}
	slices.SortFunc(list, newestFirst)
	if limit > 0 && len(list) > limit {
		list = list[:limit]
	}
	return list, nil
}

func newestFirst(a, b chat.Checkpoint) int {
	return cmp.Or(b.Created.Compare(a.Created), bytes.Compare(a.Key[:], b.Key[:]))
}

// Setting implements Store.
func (m *Memory) Setting(_ context.Context, name string, fallback []byte, overwrite bool) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, errClosed
	}
	value, ok := m.settings[name]
	if fallback != nil && (overwrite || !ok) {
		value = bytes.Clone(fallback)
		m.settings[name] = value
	}
	return bytes.Clone(value), nil
}

// Close implements Store.
func (m *Memory) Close() error {
	m.mu.Lock()
	first := !m.closed
	m.closed = true
	m.mu.Unlock()
	if first {
		close(m.stop)
	}
	m.done.Wait()
	return nil
}
