package cache

import (
	"context"
	"database/sql"
	"time"
)

// Exec runs a statement on the writer connection.
func (s *SQLite) Exec(statement string) error {
	_, err := s.disk.write.Exec(statement)
	return err
}

// Pragma reads a setting of the writer connection.
func (s *SQLite) Pragma(name string) (value string, err error) {
	err = s.disk.write.QueryRow("PRAGMA " + name).Scan(&value)
	return value, err
}

// Look does at once what the background does twice a second.
func (s *SQLite) Look() error { return (&watch{store: s}).lookOnce() }

func (w *watch) lookOnce() error {
	defer w.drop()
	return w.look(context.Background())
}

// Sweep does at once what the background does at most hourly.
func (s *SQLite) Sweep() error { return (&watch{store: s}).sweep(context.Background()) }

// Known returns the number of keys in the index.
func (s *SQLite) Known() int {
	n, _ := s.index.size()
	return n
}

// Rows returns the number of rows on disk.
func (s *SQLite) Rows() (n int, err error) {
	err = s.disk.read.QueryRow("SELECT count(*) FROM checkpoint").Scan(&n)
	return n, err
}

// Settle waits until the cache in memory holds what it was given.
func (s *SQLite) Settle() { s.texts.cache.Wait() }

// Breach opens the file without any of the store's care.
func Breach(path string) (*sql.DB, error) { return sql.Open("sqlite", path) }

// UsedOnDisk returns the newest use that was written.
func (s *SQLite) UsedOnDisk() (time.Time, error) {
	var n int64
	err := s.disk.read.QueryRow("SELECT max(used) FROM checkpoint").Scan(&n)
	return unstamp(n), err
}

// Rows returns the number of checkpoints in memory, expired ones included.
func (m *Memory) Rows() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.rows)
}
