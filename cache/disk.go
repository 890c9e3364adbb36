package cache

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

const (
	busyWait  = 2 * time.Second  // for a lock that another process holds
	writeTime = 10 * time.Second // for one write, lock included
	checkTime = 2 * time.Second  // for the integrity check at the start
	readers   = 4                // connections
)

// disk is the SQLite file: what it says is true, and nothing is remembered here. Its one writer connection is
// guarded by its owner.
type disk struct {
	path  string
	write *sql.DB // one connection
	read  *sql.DB // others, which cannot write
}

// openDisk opens or creates the file at path and brings its schema up to date.
func openDisk(ctx context.Context, path string) (*disk, error) {
	if err := prepare(path); err != nil {
		return nil, fileError("open store", path, err)
	}
	d := &disk{path: path}
	err := d.connect()
	if err == nil {
		err = d.migrate(ctx)
	}
	if err == nil {
		quick, cancel := context.WithTimeout(ctx, checkTime)
		err = d.check(quick)
		cancel()
	}
	if err != nil {
		d.close()
		return nil, fileError("open store", path, err)
	}
	return d, nil
}

func (d *disk) connect() (err error) {
	// Deleted text is overwritten (secure_delete): who deletes a checkpoint wants it gone.
	if d.write, err = sql.Open("sqlite", dsn(d.path, "journal_mode(WAL)", "synchronous(FULL)", "secure_delete(1)")); err != nil {
		return err
	}
	d.write.SetMaxOpenConns(1)
	if d.read, err = sql.Open("sqlite", dsn(d.path, "query_only(1)")); err != nil {
		return err
	}
	d.read.SetMaxOpenConns(readers)
	d.read.SetMaxIdleConns(readers)
	return nil
}

func (d *disk) close() error {
	var errs []error
	// The writer last: the last connection to close folds the write-ahead log into the file.
	for _, db := range []*sql.DB{d.read, d.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// prepare makes the directory and the file, for the owner's eyes only. SQLite gives -wal and -shm the file's mode.
// A file that is there is not opened: closing it again would drop the locks that this process holds on it.
func prepare(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err == nil {
		return file.Close()
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("not a regular file")
	}
	if info.Mode().Perm()&0o077 != 0 {
		// Another owner's file cannot be changed; whether it can be used is found out by using it.
		_ = os.Chmod(path, 0o600)
	}
	return nil
}

// dsn writes path as a URI, so that no character in it is read as something else.
func dsn(path string, pragmas ...string) string {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive letter
	}
	query := url.Values{"_pragma": append([]string{fmt.Sprintf("busy_timeout(%d)", busyWait.Milliseconds())}, pragmas...)}
	return "file://" + (&url.URL{Path: slashed}).EscapedPath() + "?" + query.Encode()
}

// transact runs work in one write transaction. Once begun it does not end with ctx, that a caller who leaves does
// not decide between done and not done.
func (d *disk) transact(ctx context.Context, work func(context.Context, *sql.Conn) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	conn, err := d.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	done := false
	defer func() {
		if !done { // an error or a panic in work
			rollback(context.WithoutCancel(ctx), conn)
		}
	}()
	if err := work(ctx, conn); err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, "COMMIT"); err != nil {
		return err
	}
	done = true
	return nil
}

// rollback ends a transaction that failed; SQLite may have done so already, which is its only plain error here. Where
// it cannot be ended the connection is given up, that the next write does not find itself inside a transaction.
func rollback(ctx context.Context, conn *sql.Conn) {
	_, err := conn.ExecContext(ctx, "ROLLBACK")
	var native *sqlite.Error
	if err == nil || errors.As(err, &native) && native.Code() == sqlite3.SQLITE_ERROR {
		return
	}
	_ = conn.Raw(func(any) error { return driver.ErrBadConn })
}

// DefaultPath is where the store lives when nothing is said: $XDG_DATA_HOME/recap/recap.db, else
// ~/.local/share/recap/recap.db; on macOS and Windows below the user's configuration directory.
func DefaultPath() (string, error) {
	dir, err := dataDir()
	if err != nil {
		return "", fmt.Errorf("find the data directory: set store.path, or store.kind to memory: %w", err)
	}
	return filepath.Join(dir, "recap", "recap.db"), nil
}

func dataDir() (string, error) {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return os.UserConfigDir()
	}
	// The XDG rules: a relative path counts as not set.
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "share"), nil
}
