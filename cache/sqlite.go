package cache

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"

	"recap/chat"
)

// SQLite is a store in a file, with an index of all its keys and most of its texts in memory.
//
//	Find ──▶ index ──not there──▶ done
//	           └──▶ texts ──not at this revision──▶ disk
//
// Several processes may use the same file; each sees what the others wrote within a second.
type SQLite struct {
	o      Options
	disk   *disk
	index  *index
	texts  *texts
	writes chan struct{} // holds one token: who has it may write to disk and then to index
	stale  atomic.Bool   // a write failed in the middle: look at the file again
	closed atomic.Bool
	quit   context.CancelFunc
	done   sync.WaitGroup
}

var (
	_ Store  = (*SQLite)(nil)
	_ Peeker = (*SQLite)(nil)
)

// OpenSQLite opens the file at o.Path, or makes it. A file that cannot be used gives a *FileError.
func OpenSQLite(ctx context.Context, o Options) (*SQLite, error) {
	o = o.withDefaults()
	path, err := o.file()
	if err != nil {
		return nil, err
	}
	d, err := openDisk(ctx, path)
	if err != nil {
		return nil, err
	}
	s := &SQLite{o: o, disk: d, index: newIndex(), writes: make(chan struct{}, 1)}
	if s.texts, err = newTexts(o.CacheSize); err != nil {
		return nil, errors.Join(err, d.close())
	}
	w := &watch{store: s}
	if err := w.look(ctx); err != nil {
		s.texts.close()
		d.close()
		return nil, fileError("open store", path, err)
	}
	background, quit := context.WithCancel(context.Background())
	s.quit = quit
	s.done.Go(func() { w.run(background) })
	return s, nil
}

// file returns the absolute path of the file.
func (o *Options) file() (string, error) {
	if o.Path == "" {
		return DefaultPath()
	}
	path, err := filepath.Abs(o.Path)
	return path, fileError("open store", o.Path, err)
}

// Path returns where the file is.
func (s *SQLite) Path() string { return s.disk.path }

// Shallowest implements Shallow.
func (s *SQLite) Shallowest() int { return int(s.index.least.Load()) }

// ShallowestOf implements Shallow.
func (s *SQLite) ShallowestOf(opening chat.Key) int { return s.index.of(opening) }

// Find implements Store.
func (s *SQLite) Find(ctx context.Context, keys []chat.Key) ([]chat.Checkpoint, error) {
	return s.find(ctx, keys, true)
}

// Peek implements Peeker.
func (s *SQLite) Peek(ctx context.Context, keys []chat.Key) ([]chat.Checkpoint, error) {
	return s.find(ctx, keys, false)
}

func (s *SQLite) find(ctx context.Context, keys []chat.Key, use bool) ([]chat.Checkpoint, error) {
	if s.closed.Load() {
		return nil, errClosed
	}
	hits := s.index.find(keys, s.o.Now(), &s.o, use)
	if len(hits) == 0 {
		return nil, nil
	}
	rows := make([]*row, len(hits))
	var missing []chat.Key
	for i, h := range hits {
		var ok bool
		if rows[i], ok = s.texts.get(h.key, h.rev); !ok {
			missing = append(missing, h.key)
		}
	}
	if len(missing) > 0 {
		if err := s.fill(ctx, hits, rows, missing); err != nil {
			return nil, s.fail("find checkpoints", err)
		}
	}
	return gather(hits, rows), nil
}

// fill reads what is missing in rows from disk.
func (s *SQLite) fill(ctx context.Context, hits []hit, rows []*row, missing []chat.Key) error {
	ctx, cancel := context.WithTimeout(ctx, s.o.Patience)
	defer cancel()
	read, err := s.disk.fetch(ctx, missing)
	if err != nil {
		return err
	}
	byKey := make(map[chat.Key]*row, len(read))
	for _, r := range read {
		byKey[r.Key] = r
		s.texts.set(r)
	}
	for i, h := range hits {
		if rows[i] == nil {
			rows[i] = byKey[h.key] // nil where another process has deleted it
		}
	}
	return nil
}

func gather(hits []hit, rows []*row) []chat.Checkpoint {
	found := make([]chat.Checkpoint, 0, len(hits))
	for i, r := range rows {
		if r != nil {
			cp := clone(&r.Checkpoint)
			cp.Used = hits[i].lastUse()
			found = append(found, cp)
		}
	}
	return found
}

// Get implements Store. What another process has just written is found too.
func (s *SQLite) Get(ctx context.Context, key chat.Key) (chat.Checkpoint, error) {
	found, err := s.Peek(ctx, []chat.Key{key})
	if err != nil {
		return chat.Checkpoint{}, err
	}
	if len(found) == 1 {
		return found[0], nil
	}
	rows, err := s.disk.fetch(ctx, []chat.Key{key})
	if err != nil {
		return chat.Checkpoint{}, s.fail("get checkpoint", err)
	}
	if len(rows) == 0 || s.live(rows[0], s.o.Now()) == nil {
		return chat.Checkpoint{}, ErrNotFound
	}
	return rows[0].Checkpoint, nil
}

// List implements Store. It reads the file.
func (s *SQLite) List(ctx context.Context, tenant string, limit int) ([]chat.Checkpoint, error) {
	if s.closed.Load() {
		return nil, errClosed
	}
	var list []chat.Checkpoint
	now := s.o.Now()
	err := s.disk.list(ctx, tenant, func(r *row) bool {
		if s.live(r, now) != nil {
			list = append(list, r.Checkpoint)
		}
		return limit <= 0 || len(list) < limit
	})
	if err != nil {
		return nil, s.fail("list checkpoints", err)
	}
	return list, nil
}

// fail wraps what went wrong; what fails because the store was closed meanwhile says so.
func (s *SQLite) fail(op string, err error) error {
	if err != nil && s.closed.Load() {
		return errClosed
	}
	return fileError(op, s.disk.path, err)
}

// Close implements Store. It writes the last uses, stops the background work and folds the log into the file.
func (s *SQLite) Close() error {
	if s.closed.Swap(true) {
		s.done.Wait()
		return nil
	}
	s.quit()
	s.done.Wait()
	s.writes <- struct{}{} // the last writer has left
	defer s.unlock()
	var err error
	if used := s.index.idle(0); len(used) > 0 {
		err = s.disk.touch(context.Background(), used)
	}
	s.texts.close()
	return fileError("close store", s.disk.path, errors.Join(err, s.disk.close()))
}
