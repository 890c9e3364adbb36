package cache

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

const (
	lookEvery = 500 * time.Millisecond // for what other processes wrote
	saveEvery = time.Hour              // a use, at most
)

// watch is a store's background work: it sees what other processes write, saves uses and deletes what has expired.
// It belongs to one goroutine.
type watch struct {
	store   *SQLite
	conn    *sql.Conn // PRAGMA data_version counts the commits of all connections but the one it is asked on
	version int64
}

func (w *watch) run(ctx context.Context) {
	look, sweep := time.NewTicker(lookEvery), time.NewTicker(w.store.o.lag())
	defer look.Stop()
	defer sweep.Stop()
	defer w.drop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			w.try(ctx, "look for changes", w.look)
		case <-sweep.C:
			w.try(ctx, "sweep store", w.sweep)
		}
	}
}

// lag is how far the uses on disk may be behind: an hour, or less where checkpoints expire soon.
func (o *Options) lag() time.Duration {
	if o.TTL < 0 {
		return saveEvery
	}
	return max(min(saveEvery, o.TTL/8), time.Second)
}

// try reports what goes wrong in work, panics included: nothing that happens here may end the process.
func (w *watch) try(ctx context.Context, op string, work func(context.Context) error) {
	defer func() {
		if r := recover(); r != nil {
			w.store.o.Report(fmt.Errorf("%s: panic: %v", op, r))
		}
	}()
	if err := work(ctx); err != nil && ctx.Err() == nil {
		w.store.o.Report(fileError(op, w.store.disk.path, err))
	}
}

func (w *watch) drop() {
	if w.conn != nil {
		w.conn.Close()
		w.conn = nil
	}
}

// look brings the index up to date if anybody wrote to the file since the last time.
func (w *watch) look(ctx context.Context) (err error) {
	stale := w.store.stale.Swap(false) || w.conn == nil
	defer func() {
		if err != nil {
			w.store.stale.Store(true)
			w.drop()
		}
	}()
	if w.conn == nil {
		if w.conn, err = w.store.disk.read.Conn(ctx); err != nil {
			return err
		}
	}
	var version int64
	if err := w.conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version); err != nil {
		return err
	}
	if version == w.version && !stale {
		return nil
	}
	if err := w.store.refresh(ctx); err != nil {
		return err
	}
	w.version = version
	return nil
}

// refresh reads what is newer than the index. Where the number of rows differs then, some were deleted, and all marks
// are read anew. No write of ours may come in between.
func (s *SQLite) refresh(ctx context.Context) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.unlock()
	_, last := s.index.size()
	newer, err := s.disk.marks(ctx, last)
	if err != nil {
		return err
	}
	s.index.put(newer...)
	var rows int
	if err := s.disk.read.QueryRowContext(ctx, "SELECT count(*) FROM checkpoint").Scan(&rows); err != nil {
		return err
	}
	if known, _ := s.index.size(); known == rows {
		return nil
	}
	all, err := s.disk.marks(ctx, 0)
	if err == nil {
		s.index.reset(all)
	}
	return err
}

// sweep saves uses and deletes what expired so long ago that no other process can know of a later use.
func (w *watch) sweep(ctx context.Context) error {
	s := w.store
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.unlock()
	lag := s.o.lag()
	if used := s.index.idle(lag); len(used) > 0 {
		if err := s.disk.touch(ctx, used); err != nil {
			return err
		}
	}
	if s.o.TTL < 0 {
		return nil
	}
	gone, err := s.disk.expire(ctx, s.o.Now().Add(-s.o.TTL-2*lag))
	if err != nil {
		return err
	}
	s.index.drop(gone...)
	for _, key := range gone {
		s.texts.drop(key)
	}
	return nil
}
