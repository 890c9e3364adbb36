package cachetest

import (
	"slices"
	"testing"
	"time"

	"recap/cache"
	"recap/chat"
)

func testFields(t *testing.T, s *suite) {
	store := s.store(t)
	want := chat.Checkpoint{
		Key: key(1), Parent: key(2), Lineage: key(3), Opening: key(4), Tenant: "tenant", Upstream: "up", Recipe: "recipe", Session: "ses",
		From: 3, To: 9, RowFrom: 2, Text: "text \x00 \"ż\" 🙂\n", Ledger: "ledger", Tokens: 11, LedgerTokens: 12, Model: "m",
		Provisional: true, Pinned: true, Sealed: true, Windows: []int{8192, 32768}, Created: s.read().Add(-time.Hour),
	}
	check := func(what string, got chat.Checkpoint) {
		t.Helper()
		if !got.Created.Equal(want.Created) || !got.Updated.Equal(s.read()) || !got.Used.Equal(s.read()) {
			t.Errorf("%s: times %v, %v, %v", what, got.Created, got.Updated, got.Used)
		}
		if !slices.Equal(got.Windows, want.Windows) {
			t.Errorf("%s: windows %v, want %v", what, got.Windows, want.Windows)
		}
		if plain(got) != plain(want) {
			t.Errorf("%s: got %+v, want %+v", what, got, want)
		}
	}
	check("put", put(t, store, want))
	got, err := store.Find(t.Context(), []chat.Key{key(1)})
	if err != nil || len(got) != 1 {
		t.Fatalf("find: %d, %v", len(got), err)
	}
	check("find", got[0])
	if list, err := store.List(t.Context(), "tenant", 0); err != nil || len(list) != 1 {
		t.Fatalf("list: %d, %v", len(list), err)
	} else {
		check("list", list[0])
	}
}

// bare is a checkpoint that can be compared.
type bare struct {
	key, parent, lineage, opening                          chat.Key
	tenant, upstream, recipe, session, text, ledger, model string
	from, to, rowFrom, tokens, ledgerTokens                int
	provisional, pinned, sealed                            bool
}

func plain(cp chat.Checkpoint) bare {
	return bare{
		cp.Key, cp.Parent, cp.Lineage, cp.Opening, cp.Tenant, cp.Upstream, cp.Recipe, cp.Session, cp.Text, cp.Ledger, cp.Model,
		cp.From, cp.To, cp.RowFrom, cp.Tokens, cp.LedgerTokens, cp.Provisional, cp.Pinned, cp.Sealed,
	}
}

func testPutOver(t *testing.T, s *suite) {
	store := s.store(t)
	n := 0
	f := func(name string, old, fresh chat.Checkpoint, replaced bool, windows ...int) {
		t.Helper()
		n++
		old.Key, old.Text, fresh.Key, fresh.Text = key(n), "old", key(n), "fresh"
		first := put(t, store, old)
		s.pass(time.Minute)
		got := put(t, store, fresh)
		stored, err := store.Get(t.Context(), key(n))
		if err != nil {
			t.Fatal(err)
		}
		want := "old"
		if replaced {
			want = "fresh"
		}
		if got.Text != want || stored.Text != want {
			t.Errorf("%s: returned %q, stored %q, want %q", name, got.Text, stored.Text, want)
		}
		if !slices.Equal(stored.Windows, windows) {
			t.Errorf("%s: windows %v, want %v", name, stored.Windows, windows)
		}
		if old.Provisional && !fresh.Provisional && (!stored.Created.Equal(first.Created) || stored.Pinned != old.Pinned) {
			t.Errorf("%s: created %v, pinned %v", name, stored.Created, stored.Pinned)
		}
	}
	real, provisional := chat.Checkpoint{}, chat.Checkpoint{Provisional: true}
	sent, pinned := chat.Checkpoint{Windows: []int{8192}}, chat.Checkpoint{Pinned: true}
	sentProvisional := chat.Checkpoint{Provisional: true, Pinned: true, Windows: []int{4096}}
	f("real over provisional", provisional, real, true)
	f("real over a provisional that was sent", sentProvisional, real, true, 4096)
	f("provisional over real", real, provisional, false)
	f("provisional over sent", sent, provisional, false, 8192)
	f("real over real", real, real, true)
	f("real over sent", sent, real, false, 8192)
	f("real over pinned", pinned, real, false)
	f("provisional over provisional", provisional, provisional, true)
	f("provisional over a provisional that was sent", sentProvisional, provisional, false, 4096)
}

func testChange(t *testing.T, s *suite) {
	store := s.store(t)
	missing(t, "change", store.Change(t.Context(), key(1), func(*chat.Checkpoint) { t.Error("edit of nothing") }))
	put(t, store, checkpoint(1, "one"))
	s.pass(time.Minute)
	err := store.Change(t.Context(), key(1), func(cp *chat.Checkpoint) {
		cp.Windows, cp.Text, cp.Key = append(cp.Windows, 4096), cp.Text+"!", key(2)
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := store.Get(t.Context(), key(1))
	if err != nil || got.Text != "one!" || !got.SentFor(4096) || !got.Updated.Equal(s.read()) {
		t.Errorf("changed: %+v, %v", got, err)
	}
	same(t, "key stays", find(t, store, key(2)), nil)
}

func testDelete(t *testing.T, s *suite) {
	store := s.store(t)
	missing(t, "delete", store.Delete(t.Context(), key(1)))
	put(t, store, checkpoint(1, "one"))
	if err := store.Delete(t.Context(), key(1)); err != nil {
		t.Fatal(err)
	}
	same(t, "deleted", find(t, store, key(1)), nil)
	_, err := store.Get(t.Context(), key(1))
	missing(t, "get", err)
	missing(t, "delete again", store.Delete(t.Context(), key(1)))
	put(t, store, checkpoint(1, "two"))
	same(t, "put again", find(t, store, key(1)), []string{"two"})
}

func testList(t *testing.T, s *suite) {
	store := s.store(t)
	for n, tenant := range []string{"a", "b", "a", "a"} {
		cp := checkpoint(n, tenant+string(rune('0'+n)))
		cp.Tenant = tenant
		put(t, store, cp)
		s.pass(time.Second)
	}
	f := func(tenant string, limit int, want ...string) {
		t.Helper()
		list, err := store.List(t.Context(), tenant, limit)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "list "+tenant, texts(list), want)
	}
	f("", 0, "a3", "a2", "b1", "a0")
	f("a", 0, "a3", "a2", "a0")
	f("a", 2, "a3", "a2")
	f("b", 5, "b1")
	f("nobody", 0)
}

func testCopies(t *testing.T, s *suite) {
	store := s.store(t)
	cp := checkpoint(1, "one")
	cp.Windows = []int{1, 2}
	got := put(t, store, cp)
	cp.Windows[0], got.Windows[1] = 99, 99
	found, err := store.Find(t.Context(), []chat.Key{key(1)})
	if err != nil || len(found) != 1 {
		t.Fatal(len(found), err)
	}
	found[0].Windows[0] = 99
	var kept []int
	err = store.Change(t.Context(), key(1), func(cp *chat.Checkpoint) { kept = cp.Windows })
	if err != nil {
		t.Fatal(err)
	}
	if len(kept) == 2 {
		kept[0] = 99
	}
	if after, err := store.Get(t.Context(), key(1)); err != nil || !slices.Equal(after.Windows, []int{1, 2}) {
		t.Errorf("the store shares a slice: %v, %v", after.Windows, err)
	}
}

// The fewest messages that any checkpoint covers, and any of the chats that open alike. One of which the opening is not
// known may be anybody's.
func testShallowest(t *testing.T, s *suite) {
	store := s.store(t)
	shallow, ok := store.(cache.Shallow)
	if !ok {
		t.Skip("the store does not bound what it may find")
	}
	f := func(all, own, other int) {
		t.Helper()
		got := [3]int{shallow.Shallowest(), shallow.ShallowestOf(key(90)), shallow.ShallowestOf(key(91))}
		if want := [3]int{all, own, other}; got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	f(0, 0, 0)
	put(t, store, chat.Checkpoint{Key: key(1), Opening: key(90), From: 1, To: 9, Text: "a"})
	f(9, 9, 0)
	put(t, store, chat.Checkpoint{Key: key(2), Opening: key(90), From: 1, To: 5, Text: "a"})
	put(t, store, chat.Checkpoint{Key: key(3), Opening: key(91), From: 1, To: 7, Text: "a"})
	f(5, 5, 7)
	put(t, store, chat.Checkpoint{Key: key(4), From: 1, To: 6, Text: "a"})
	f(5, 5, 6)
}
