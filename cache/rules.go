package cache

import (
	"errors"
	"slices"
	"strings"
	"time"

	"recap/chat"
)

var errNoKey = errors.New("put checkpoint: its key is zero")

// settle says what is stored after fresh was put over old (nil = nothing is there), and whether that is fresh.
// See Store.Put for the rules.
func settle(old *chat.Checkpoint, fresh chat.Checkpoint, now time.Time) (chat.Checkpoint, bool) {
	fresh = clone(&fresh)
	if old != nil {
		switch settled := len(old.Windows) > 0 || old.Pinned; {
		case old.Provisional && !fresh.Provisional:
			fresh.Windows, fresh.Pinned, fresh.Created = slices.Clone(old.Windows), old.Pinned, old.Created
		case !old.Provisional && fresh.Provisional, settled:
			return *old, false
		}
	}
	if fresh.Created.IsZero() {
		fresh.Created = now
	}
	fresh.Updated, fresh.Used = now, now
	return fresh, true
}

// amend applies edit to a copy of old. Its key stays whatever edit does.
func amend(old *chat.Checkpoint, edit func(*chat.Checkpoint), now time.Time) chat.Checkpoint {
	fresh := clone(old)
	edit(&fresh)
	fresh = clone(&fresh)
	fresh.Key = old.Key
	fresh.Updated, fresh.Used = now, now
	return fresh
}

// clone returns a copy that shares no slice with cp.
func clone(cp *chat.Checkpoint) chat.Checkpoint {
	c := *cp
	c.Windows = slices.Clone(cp.Windows)
	return c
}

// alive reports whether a checkpoint that was last used at that time is still there.
func (o *Options) alive(pinned bool, used, now time.Time) bool {
	return pinned || o.TTL < 0 || now.Sub(used) < o.TTL
}

// weight is about how many bytes a checkpoint takes in memory.
func weight(cp *chat.Checkpoint) int64 {
	const fixed = 320 // the struct, its map entry and what the allocator adds
	return int64(fixed + len(cp.Text) + len(cp.Ledger) + len(cp.Tenant) + len(cp.Upstream) + len(cp.Recipe) +
		len(cp.Session) + len(cp.Model) + 8*len(cp.Windows))
}

// detach returns a copy whose strings are views into nothing: what is put may hang on a whole request body.
func detach(cp *chat.Checkpoint) chat.Checkpoint {
	c := clone(cp)
	for _, s := range []*string{&c.Tenant, &c.Upstream, &c.Recipe, &c.Session, &c.Text, &c.Ledger, &c.Model} {
		*s = strings.Clone(*s)
	}
	return c
}
