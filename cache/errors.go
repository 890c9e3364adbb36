package cache

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

var errClosed = errors.New("use store: it is closed")

// Fault says what is wrong with a store's file.
type Fault string

// The faults.
const (
	Damaged     Fault = "the file is damaged or no SQLite database; move it away to begin anew"
	Locked      Fault = "another process holds the file locked"
	ReadOnly    Fault = "the file or its directory cannot be written"
	Full        Fault = "the disk is full"
	Newer       Fault = "the file was written by a newer version"
	Unreachable Fault = "the file cannot be opened"
	Slow        Fault = "the disk took too long"
	Broken      Fault = "the file cannot be used"
)

// FileError is returned where the file of a store cannot be used. The store itself stays usable: what it has in
// memory is still found, and a write that failed is not visible.
type FileError struct {
	Op    string // "open store", "put checkpoint"
	Path  string
	Fault Fault
	Err   error
}

// Error names the knob that mends it, store.path.
func (e *FileError) Error() string {
	return fmt.Sprintf("%s: store.path %s: %s: %v", e.Op, e.Path, e.Fault, e.Err)
}

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// fileError wraps err once, nil stays nil; what is not about the file stays as it is.
func fileError(op, path string, err error) error {
	var already *FileError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &already), errors.Is(err, ErrNotFound), errors.Is(err, errClosed), errors.Is(err, errNoKey):
		return err
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: %w", op, err)
	case errors.Is(err, sql.ErrConnDone):
		return errClosed
	}
	return &FileError{Op: op, Path: path, Fault: faultOf(err), Err: err}
}

func faultOf(err error) Fault {
	var native *sqlite.Error
	if errors.As(err, &native) {
		return faultOfCode(native.Code() & 0xff)
	}
	switch {
	case errors.Is(err, errDamaged):
		return Damaged
	case errors.Is(err, errNewer):
		return Newer
	case errors.Is(err, context.DeadlineExceeded):
		return Slow
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return ReadOnly
	case errors.Is(err, syscall.ENOSPC):
		return Full
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrExist):
		return Unreachable
	}
	return Broken
}

// faultOfCode maps SQLite's primary result codes.
func faultOfCode(code int) Fault {
	switch code {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return Damaged
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL:
		return Locked
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return ReadOnly
	case sqlite3.SQLITE_FULL:
		return Full
	case sqlite3.SQLITE_CANTOPEN:
		return Unreachable
	case sqlite3.SQLITE_INTERRUPT:
		return Slow
	}
	return Broken
}
