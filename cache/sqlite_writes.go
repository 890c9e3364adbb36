package cache

import (
	"context"
	"errors"
	"time"

	"recap/chat"
)

// Put implements Store.
func (s *SQLite) Put(ctx context.Context, cp chat.Checkpoint) (chat.Checkpoint, error) {
	if cp.Key.IsZero() {
		return chat.Checkpoint{}, errNoKey
	}
	r, err := s.write(ctx, cp.Key, func(old *row, now time.Time) (chat.Checkpoint, bool, error) {
		var was *chat.Checkpoint
		if old != nil {
			was = &old.Checkpoint
		}
		kept, fresh := settle(was, cp, now)
		return detach(&kept), fresh, nil
	})
	if err != nil {
		return chat.Checkpoint{}, s.fail("put checkpoint", err)
	}
	return clone(&r.Checkpoint), nil
}

// Change implements Store.
func (s *SQLite) Change(ctx context.Context, key chat.Key, edit func(*chat.Checkpoint)) error {
	_, err := s.write(ctx, key, func(old *row, now time.Time) (chat.Checkpoint, bool, error) {
		if old == nil {
			return chat.Checkpoint{}, false, ErrNotFound
		}
		fresh := amend(&old.Checkpoint, edit, now)
		return detach(&fresh), true, nil
	})
	return s.fail("change checkpoint", err)
}

// write makes one change on disk and, only when that is done, in memory. decide gets the live row, nil = none.
func (s *SQLite) write(
	ctx context.Context, key chat.Key, decide func(*row, time.Time) (chat.Checkpoint, bool, error),
) (*row, error) {
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	defer s.unlock()
	r, err := s.disk.update(ctx, key, func(old *row) (chat.Checkpoint, bool, error) {
		now := s.o.Now()
		return decide(s.live(old, now), now)
	})
	if err != nil {
		s.failed(err)
		return nil, err
	}
	s.index.put(r.mark())
	s.texts.set(r)
	return r, nil
}

// live returns r with its use as it is known here, nil where it has expired.
func (s *SQLite) live(r *row, now time.Time) *row {
	if r == nil {
		return nil
	}
	if e := s.index.get(r.Key); e != nil && e.lastUse().After(r.Used) {
		r.Used = e.lastUse()
	}
	if !s.o.alive(r.Pinned, r.Used, now) {
		return nil
	}
	return r
}

// Delete implements Store.
func (s *SQLite) Delete(ctx context.Context, key chat.Key) error {
	if _, err := s.Get(ctx, key); err != nil {
		return err
	}
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.unlock()
	if err := s.disk.remove(ctx, key); err != nil {
		s.failed(err)
		return s.fail("delete checkpoint", err)
	}
	s.index.drop(key)
	s.texts.drop(key)
	return nil
}

// Setting implements Store.
func (s *SQLite) Setting(ctx context.Context, name string, fallback []byte, overwrite bool) ([]byte, error) {
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	defer s.unlock()
	value, err := s.disk.setting(ctx, name, fallback, overwrite)
	return value, s.fail("read setting", err)
}

// lock waits for the right to write.
func (s *SQLite) lock(ctx context.Context) error {
	select {
	case s.writes <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.closed.Load() {
		s.unlock()
		return errClosed
	}
	return nil
}

func (s *SQLite) unlock() { <-s.writes }

// failed notes a write that went wrong. Whether it reached the file is unknown where the commit itself failed.
func (s *SQLite) failed(err error) {
	if !errors.Is(err, ErrNotFound) {
		s.stale.Store(true)
	}
}
