//go:build !race

package pruning_test

import (
	"encoding/json"
	"testing"

	"recap/chat"
	"recap/dialect"
	"recap/pruning"
)

// A pass over the next turn of a known chat reads what is new in it, however long the chat is: its allocations are few, also
// where batches are cleared. The budgets are only ever lowered.
func TestAllocationsOfTheNextTurn(t *testing.T) {
	f := func(rounds int, budget float64) {
		t.Helper()
		list := agentRun(rounds+20, 4000)
		facts := chat.NewMemo[dialect.Print, *chat.Facts](1000)
		var chats []*chat.Chat
		for n := 2*rounds + 1; n <= len(list); n += 2 {
			body, err := json.Marshal(message{"model": "m", "messages": list[:n]})
			if err != nil {
				t.Fatal(err)
			}
			c, err := dialect.ByName("openai").Decode(string(body), facts)
			if err != nil {
				t.Fatal(err)
			}
			chats = append(chats, c)
		}
		o := options(func(o *pruning.Options) {
			o.Strategy, o.ProtectTokens, o.ClearAtLeast = pruning.Budget, 3000, 2000
		})
		p := pruning.New(1000)
		trims := len(p.Prune(chats[0], o, 1_000_000, false).Trims)
		next := 0
		got := testing.AllocsPerRun(len(chats)-2, func() {
			next++
			p.Prune(chats[next], o, 1_000_000, false)
		})
		if got > budget {
			t.Errorf("%d rounds: %.1f allocations, the budget is %g", rounds, got, budget)
		}
		if more := len(p.Prune(chats[next], o, 1_000_000, false).Trims); more < trims+10 {
			t.Errorf("%d rounds: %d trims became %d, so no batch was measured", rounds, trims, more)
		}
	}
	f(10, 45)
	f(200, 45)
}
