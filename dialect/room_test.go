package dialect_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"recap/dialect"
)

// "bodies: 64 MiB for each of the two formats" (README): what is set aside for bodies that never came whole counts too.
func TestRoomOfAbortedUploadsIsBounded(t *testing.T) {
	g := dialect.ByName("openai").(dialect.Glancer)
	heap := func() int {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc) >> 20
	}
	before := heap()
	const declared = 4<<20 - 1
	for n := range 100 {
		list := []string{fmt.Sprintf(`{"role":"system","content":"chat %d"}`, n), `{"role":"user","content":"` + strings.Repeat("hello ", 1000) + `"}`}
		body := `{"model":"m","messages":[` + strings.Join(list, ",") + `]}`
		own := append(make([]byte, 0, len(body)+100), body...)
		loan := g.Offer(own)
		c, plain, err := g.Glance(string(own), 991, 1<<20)
		if err != nil || !plain {
			t.Fatal(plain, err)
		}
		dialect.FreeGlance(c)
		loan.Return(false)
		// the next turn: a Content-Length of 4 MiB, 40 KB of it, and the client is gone
		next := `{"model":"m","messages":[` + strings.Join(list, ",") + `,{"role":"user","content":"` + strings.Repeat("x", 32<<10)
		loan = g.Lend(991, next, declared)
		if !loan.Lent() {
			t.Fatal("not lent")
		}
		loan.Room(declared - len(loan.Text()))
		loan.Return(false)
	}
	held := heap() - before
	t.Logf("%d MB held by 100 chats of 6 KB", held)
	if held > 64 {
		t.Errorf("%d MB are held for 100 chats of 6 KB, want 64 at most", held)
	}
}
