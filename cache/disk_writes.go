package cache

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"recap/chat"
)

// next takes the next number of the sequence.
func next(ctx context.Context, conn *sql.Conn) (n int64, err error) {
	err = conn.QueryRowContext(ctx, "UPDATE sequence SET n = n + 1 RETURNING n").Scan(&n)
	return n, err
}

func fetchOne(ctx context.Context, conn *sql.Conn, key chat.Key) (*row, error) {
	r, err := scanRow(conn.QueryRowContext(ctx, "SELECT "+columns+" FROM checkpoint WHERE key = ?", key[:]))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return r, err
}

// update stores what decide makes of the row under key (nil = none) where decide says so, and returns what is stored
// then.
func (d *disk) update(
	ctx context.Context, key chat.Key, decide func(*row) (chat.Checkpoint, bool, error),
) (stored *row, err error) {
	err = d.transact(ctx, func(ctx context.Context, conn *sql.Conn) error {
		old, err := fetchOne(ctx, conn, key)
		if err != nil {
			return err
		}
		cp, changed, err := decide(old)
		if err != nil || !changed {
			stored = old
			return err
		}
		n, err := next(ctx, conn)
		if err != nil {
			return err
		}
		stored = &row{Checkpoint: cp, seq: n, rev: n}
		_, err = conn.ExecContext(ctx, upsert, stored.values()...)
		return err
	})
	return stored, err
}

// remove deletes the row under key.
func (d *disk) remove(ctx context.Context, key chat.Key) error {
	return d.transact(ctx, func(ctx context.Context, conn *sql.Conn) error {
		if _, err := next(ctx, conn); err != nil {
			return err
		}
		_, err := conn.ExecContext(ctx, "DELETE FROM checkpoint WHERE key = ?", key[:])
		return err
	})
}

// touch writes when rows were last used; an older time does not replace a newer one.
func (d *disk) touch(ctx context.Context, used map[chat.Key]time.Time) error {
	return d.transact(ctx, func(ctx context.Context, conn *sql.Conn) error {
		n, err := next(ctx, conn)
		if err != nil {
			return err
		}
		for key, at := range used {
			_, err := conn.ExecContext(ctx, "UPDATE checkpoint SET used = ?1, seq = ?2 WHERE key = ?3 AND used < ?1",
				stamp(at), n, key[:])
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// expire deletes what was last used before that time and returns the keys.
func (d *disk) expire(ctx context.Context, before time.Time) (gone []chat.Key, err error) {
	err = d.transact(ctx, func(ctx context.Context, conn *sql.Conn) error {
		if _, err := next(ctx, conn); err != nil {
			return err
		}
		rows, err := conn.QueryContext(ctx, "DELETE FROM checkpoint WHERE pinned = 0 AND used < ? RETURNING key", stamp(before))
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var raw []byte
			if err := rows.Scan(&raw); err != nil {
				return err
			}
			var key chat.Key
			copy(key[:], raw)
			gone = append(gone, key)
		}
		return rows.Err()
	})
	return gone, err
}

// setting implements Store.Setting.
func (d *disk) setting(ctx context.Context, name string, fallback []byte, overwrite bool) (value []byte, err error) {
	const query = "SELECT value FROM setting WHERE name = ?"
	if fallback == nil || !overwrite {
		err := d.read.QueryRowContext(ctx, query, name).Scan(&value)
		if !errors.Is(err, sql.ErrNoRows) {
			return value, err
		}
		if fallback == nil {
			return nil, nil
		}
	}
	err = d.transact(ctx, func(ctx context.Context, conn *sql.Conn) error {
		statement := "INSERT OR IGNORE INTO setting VALUES (?, ?)"
		if overwrite {
			statement = "INSERT OR REPLACE INTO setting VALUES (?, ?)"
		}
		if _, err := conn.ExecContext(ctx, statement, name, fallback); err != nil {
			return err
		}
		return conn.QueryRowContext(ctx, query, name).Scan(&value)
	})
	return value, err
}
