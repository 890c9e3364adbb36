package chat_test

import (
	"sync"
	"testing"

	"recap/chat"
)

// A memo forgets what is not used, keeps what is, and stays within its limit.
func TestMemoKeepsWhatIsUsed(t *testing.T) {
	m := chat.NewMemo[int, string](100)
	m.Put(-1, "used")
	for i := range 1000 {
		m.Put(i, "once")
		if v, ok := m.Get(-1); !ok || v != "used" {
			t.Fatalf("after %d entries the used one is %q, %v", i, v, ok)
		}
		if m.Len() > 102 {
			t.Fatalf("%d entries, want at most about 100", m.Len())
		}
	}
	if _, ok := m.Get(0); ok {
		t.Error("the oldest unused entry is still there")
	}
}

func TestMemoConcurrent(t *testing.T) {
	m := chat.NewMemo[int, int](64)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 2000 {
				m.Put(i%200, i%200)
				if v, ok := m.Get((i + w) % 200); ok && v != (i+w)%200 {
					t.Errorf("Get(%d) = %d", (i+w)%200, v)
				}
			}
		})
	}
	wg.Wait()
}
