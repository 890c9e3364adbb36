package cache

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"recap/chat"
)

// row is a checkpoint as it lies on disk.
type row struct {
	chat.Checkpoint
	seq, rev int64
}

// mark is what the index keeps of a row.
type mark struct {
	key      chat.Key
	seq, rev int64
	used     time.Time
	pinned   bool
	to       int      // messages it covers
	opening  chat.Key // see chat.Checkpoint
}

func (r *row) mark() mark {
	return mark{key: r.Key, seq: r.seq, rev: r.rev, used: r.Used, pinned: r.Pinned, to: r.To, opening: r.Opening}
}

const columns = `key, seq, rev, used, pinned, provisional, sealed, created, updated, from_message, to_message, row_from,
	tokens, ledger_tokens, parent, lineage, tenant, upstream, recipe, session, model, windows, ledger, text, opening`

// upsert has a parameter for each of columns.
var upsert = `INSERT OR REPLACE INTO checkpoint (` + columns + `) VALUES (?` + strings.Repeat(", ?", 24) + `)`

func (r *row) values() []any {
	return []any{
		r.Key[:], r.seq, r.rev, stamp(r.Used), r.Pinned, r.Provisional, r.Sealed, stamp(r.Created), stamp(r.Updated),
		r.From, r.To, r.RowFrom, r.Tokens, r.LedgerTokens, r.Parent[:], r.Lineage[:], r.Tenant, r.Upstream, r.Recipe,
		r.Session, r.Model, joinInts(r.Windows), r.Ledger, r.Text, r.Opening[:],
	}
}

// scanner is *sql.Row or *sql.Rows.
type scanner interface{ Scan(...any) error }

func scanRow(from scanner) (*row, error) {
	var r row
	var key, parent, lineage, opening []byte
	var used, created, updated int64
	var windows string
	err := from.Scan(&key, &r.seq, &r.rev, &used, &r.Pinned, &r.Provisional, &r.Sealed, &created, &updated,
		&r.From, &r.To, &r.RowFrom, &r.Tokens, &r.LedgerTokens, &parent, &lineage, &r.Tenant, &r.Upstream, &r.Recipe,
		&r.Session, &r.Model, &windows, &r.Ledger, &r.Text, &opening)
	if err != nil {
		return nil, err
	}
	copy(r.Key[:], key)
	copy(r.Parent[:], parent)
	copy(r.Lineage[:], lineage)
	copy(r.Opening[:], opening)
	r.Used, r.Created, r.Updated = unstamp(used), unstamp(created), unstamp(updated)
	r.Windows = splitInts(windows)
	return &r, nil
}

// fetch returns the rows under keys that are there, in no order.
func (d *disk) fetch(ctx context.Context, keys []chat.Key) ([]*row, error) {
	const most = 100 // parameters in one statement
	var found []*row
	for len(keys) > 0 {
		some := keys[:min(len(keys), most)]
		keys = keys[len(some):]
		args := make([]any, len(some))
		for i := range some {
			args[i] = some[i][:]
		}
		query := "SELECT " + columns + " FROM checkpoint WHERE key IN (?" + strings.Repeat(", ?", len(some)-1) + ")"
		err := d.each(ctx, query, args, func(from scanner) error {
			r, err := scanRow(from)
			found = append(found, r)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// list calls visit with all rows of a tenant, newest first, until it says no.
func (d *disk) list(ctx context.Context, tenant string, visit func(*row) bool) error {
	query, args := "SELECT "+columns+" FROM checkpoint ORDER BY created DESC, key", []any(nil)
	if tenant != "" {
		query = "SELECT " + columns + " FROM checkpoint WHERE tenant = ? ORDER BY created DESC, key"
		args = []any{tenant}
	}
	err := d.each(ctx, query, args, func(from scanner) error {
		r, err := scanRow(from)
		if err == nil && !visit(r) {
			err = errEnough
		}
		return err
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

var errEnough = errors.New("enough")

// marks returns the marks of all rows that changed after seq, 0 = all.
func (d *disk) marks(ctx context.Context, seq int64) ([]mark, error) {
	var list []mark
	query := "SELECT key, seq, rev, used, pinned, to_message, opening FROM checkpoint WHERE seq > ? ORDER BY seq"
	err := d.each(ctx, query, []any{seq}, func(from scanner) error {
		var m mark
		var key, opening []byte
		var used int64
		err := from.Scan(&key, &m.seq, &m.rev, &used, &m.pinned, &m.to, &opening)
		copy(m.key[:], key)
		copy(m.opening[:], opening)
		m.used = unstamp(used)
		list = append(list, m)
		return err
	})
	return list, err
}

func (d *disk) each(ctx context.Context, query string, args []any, visit func(scanner) error) error {
	rows, err := d.read.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := visit(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// stamp is a time as it lies on disk: Unix nanoseconds, 0 = the zero time.
func stamp(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func unstamp(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}

func joinInts(list []int) string {
	var b []byte
	for i, n := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return string(b)
}

// splitInts leaves out what is no number: a file edited by hand is no reason to fail.
func splitInts(text string) []int {
	var list []int
	for part := range strings.SplitSeq(text, ",") {
		if n, err := strconv.Atoi(part); err == nil {
			list = append(list, n)
		}
	}
	return list
}
