package cache

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// migrations bring a file from version i to i+1; PRAGMA user_version says how many were applied. They are only ever
// appended to.
//
// Every write takes the next number of sequence: a row's seq says when anything in it last changed, its rev when
// more than its use did. So another process sees what is new, and a copy in memory knows whether it is current.
// Long columns stand last, that a scan of the others reads no overflow pages.
var migrations = []string{`
CREATE TABLE checkpoint (
	key           BLOB    NOT NULL PRIMARY KEY,
	seq           INTEGER NOT NULL,
	rev           INTEGER NOT NULL,
	used          INTEGER NOT NULL,
	pinned        INTEGER NOT NULL,
	provisional   INTEGER NOT NULL,
	sealed        INTEGER NOT NULL,
	created       INTEGER NOT NULL,
	updated       INTEGER NOT NULL,
	from_message  INTEGER NOT NULL,
	to_message    INTEGER NOT NULL,
	row_from      INTEGER NOT NULL,
	tokens        INTEGER NOT NULL,
	ledger_tokens INTEGER NOT NULL,
	parent        BLOB    NOT NULL,
	lineage       BLOB    NOT NULL,
	tenant        TEXT    NOT NULL,
	upstream      TEXT    NOT NULL,
	recipe        TEXT    NOT NULL,
	session       TEXT    NOT NULL,
	model         TEXT    NOT NULL,
	windows       TEXT    NOT NULL,
	ledger        TEXT    NOT NULL,
	text          TEXT    NOT NULL
);
CREATE INDEX checkpoint_mark ON checkpoint (seq, key, rev, used, pinned);
CREATE INDEX checkpoint_tenant ON checkpoint (tenant, created);
CREATE INDEX checkpoint_created ON checkpoint (created);
CREATE TABLE setting (name TEXT NOT NULL PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE sequence (n INTEGER NOT NULL);
INSERT INTO sequence VALUES (0);
`, `
ALTER TABLE checkpoint ADD COLUMN opening BLOB NOT NULL DEFAULT x'';
DROP INDEX checkpoint_mark;
CREATE INDEX checkpoint_mark ON checkpoint (seq, key, rev, used, pinned, to_message, opening);
`}

var errNewer = errors.New("its schema is newer than this program")

// migrate brings the file to the newest version and proves that it can be written.
func (d *disk) migrate(ctx context.Context) error {
	return d.transact(ctx, func(ctx context.Context, conn *sql.Conn) error {
		var version int
		if err := conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
			return err
		}
		if version > len(migrations) {
			return errNewer
		}
		for ; version < len(migrations); version++ {
			if _, err := conn.ExecContext(ctx, migrations[version]); err != nil {
				return err
			}
			// A PRAGMA takes no parameters.
			if _, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version+1)); err != nil {
				return err
			}
		}
		_, err := conn.ExecContext(ctx, "UPDATE sequence SET n = n")
		return err
	})
}

// check looks for damage, no longer than ctx lasts: a file too large for that is taken as it is.
func (d *disk) check(ctx context.Context) error {
	var verdict string
	err := d.read.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict)
	if ctx.Err() != nil {
		return nil
	}
	if err == nil && verdict != "ok" {
		err = errDamaged
	}
	return err
}

var errDamaged = errors.New("it fails its integrity check")
