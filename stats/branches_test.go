package stats_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"recap/chat"
	"recap/stats"
)

// chain returns the keys of a made-up conversation: one for each word.
func chain(words ...string) []chat.Key {
	keys, so := make([]chat.Key, len(words)), "tenant"
	for i, word := range words {
		so += "/" + word
		keys[i] = chat.Seed(so, "", "")
	}
	return keys
}

// turn is an exchange of prompt and completion tokens; a thousand cost 1.
func turn(keys []chat.Key, prompt, completion int) *stats.Turn {
	return &stats.Turn{
		Keys: keys, Time: int64(len(keys)), Status: chat.Clear, Labels: stats.Labels{Upstream: "local", Model: "m"},
		Gauge: stats.Gauge{Used: prompt, Baseline: prompt, Window: 4096},
		Spent: stats.Spend{Calls: 1, Prompt: int64(prompt), Completion: int64(completion), Cost: float64(prompt+completion) / 1000},
	}
}

func branch(t *testing.T, s *stats.Branches, id chat.Key) stats.Branch {
	t.Helper()
	b, ok := s.Get(id)
	if !ok {
		t.Fatalf("no branch %s", id)
	}
	return b
}

func wantUsage(t *testing.T, name string, got stats.Spend, calls int, prompt, completion int64) {
	t.Helper()
	if got.Calls != calls || got.Prompt != prompt || got.Completion != completion || int(got.Cost*1000+.5) != int(prompt+completion) {
		t.Errorf("%s: %+v, want %d calls, %d and %d tokens", name, got, calls, prompt, completion)
	}
}

// L23: the totals of a branch are those of its own exchanges: those before a fork once, those of the abandoned branch
// behind it never.
func TestL23Branches(t *testing.T) {
	s := stats.NewBranches()
	one, two := chain("u1"), chain("u1", "a1", "u2")
	s.Record(turn(one, 10, 1))
	s.Record(turn(two, 20, 2))
	s.Record(turn(chain("u1", "a1", "u2", "a2", "u3"), 30, 3))
	id := one[0]
	wantUsage(t, "the first branch", branch(t, s, id).Usage, 3, 60, 6)

	edited := chain("u1", "a1", "u2", "a2", "u3 edited")
	s.Record(turn(edited, 31, 3))
	wantUsage(t, "the edit", branch(t, s, edited[4]).Usage, 3, 61, 6)
	wantUsage(t, "the first branch after the edit", branch(t, s, id).Usage, 3, 60, 6)

	s.Record(turn(chain("u1", "a1", "u2", "a2", "u3 edited", "a3", "u4"), 40, 4))
	wantUsage(t, "the edit goes on", branch(t, s, edited[4]).Usage, 4, 101, 10)
	s.Record(turn(chain("u1", "a1", "u2", "a2", "u3", "a3", "u4"), 41, 4))
	wantUsage(t, "the first branch goes on", branch(t, s, id).Usage, 4, 101, 10)

	stranger := chain("another", "a1", "u2")
	s.Record(turn(stranger, 5, 5))
	wantUsage(t, "another chat", branch(t, s, stranger[2]).Usage, 1, 5, 5)
	list, _, _ := s.List(0)
	if len(list) != 3 || list[0].ID != stranger[2] || list[1].ID != id {
		t.Errorf("%d branches, the newest %v", len(list), list[0].ID)
	}
	if b := branch(t, s, stranger[2]); b.Since != 3 || b.Messages != 3 || branch(t, s, edited[4]).Since != 1 {
		t.Errorf("since %d of %d", b.Since, b.Messages)
	}
}

// L23: an answer that is asked for anew replaces the one before in the branch's totals, which stands apart.
func TestL23AskedAnew(t *testing.T) {
	s := stats.NewBranches()
	one, two := chain("u1"), chain("u1", "a1", "u2")
	s.Record(turn(one, 10, 1))
	s.Record(turn(two, 20, 2))
	s.Record(turn(two, 20, 7))
	b := branch(t, s, one[0])
	wantUsage(t, "usage", b.Usage, 2, 30, 8)
	wantUsage(t, "again", b.Again, 1, 20, 2)

	s.Record(turn(one, 10, 5)) // back to the first question
	wantUsage(t, "the newer exchanges stay", branch(t, s, one[0]).Usage, 2, 30, 8)
	other := chain("u1", "a1 otherwise", "u2")
	s.Record(turn(other, 21, 1))
	wantUsage(t, "a branch from there", branch(t, s, other[2]).Usage, 2, 31, 6)
	wantUsage(t, "and what it replaced", branch(t, s, other[2]).Again, 1, 10, 1)
}

// L22: the gauge is that of the newest exchange of the branch.
func TestL22Gauge(t *testing.T) {
	s := stats.NewBranches()
	s.Record(turn(chain("u1"), 3000, 1))
	next := turn(chain("u1", "a1", "u2"), 900, 1)
	next.Gauge.Baseline, next.Status, next.Checkpoint, next.Covers, next.Rows = 3100, chat.Compacted, chain("u1", "a1")[1], 2, 1
	s.Record(next)
	b := branch(t, s, chain("u1")[0])
	if b.Gauge.Used != 900 || b.Gauge.Baseline != 3100 || b.Status != chat.Compacted || b.Covers != 2 || b.Used != next.Checkpoint {
		t.Errorf("%+v", b)
	}
	if len(b.Exchanges) != 2 || b.Exchanges[0].Gauge.Used != 3000 || b.Exchanges[1].Spent.Prompt != 900 {
		t.Errorf("exchanges %+v", b.Exchanges)
	}
}

// L23: the summariser's calls stand apart, with each branch that begins with what they cover.
func TestL23Summaries(t *testing.T) {
	s := stats.NewBranches()
	spent := stats.Spend{Calls: 2, Prompt: 500, Completion: 50, Cost: .55}
	asks := turn(chain("u1", "a1", "u2", "a2", "u3"), 30, 3)
	asks.Due = chain("u1", "a1", "u2", "a2")[3]
	s.Record(asks)
	s.Summarised(asks.Due, 4, spent, true)
	id := asks.Keys[4]
	wantUsage(t, "after the summary", branch(t, s, id).Summaries, 2, 500, 50)
	wantUsage(t, "the chat's own", branch(t, s, id).Usage, 1, 30, 3)
	s.Summarised(asks.Due, 4, spent, true) // nobody waits any more: it is for a turn that has not ended yet
	s.Record(turn(chain("u1", "a1", "u2", "a2", "u3", "a3", "u4"), 30, 3))
	wantUsage(t, "no turn asked for it", branch(t, s, id).Summaries, 2, 500, 50)

	inside := chain("u1", "a1", "u2 edited", "a2", "u3")
	s.Record(turn(inside, 9, 9))
	wantUsage(t, "a branch that parts inside what is covered", branch(t, s, inside[4]).Summaries, 0, 0, 0)
	behind := chain("u1", "a1", "u2", "a2", "u3", "a3 again", "u4")
	s.Record(turn(behind, 9, 9))
	wantUsage(t, "a branch that parts behind it", branch(t, s, behind[6]).Summaries, 2, 500, 50)

	waited := turn(chain("x", "y", "z"), 9, 9) // X-Recap-Wait: the summary is there before its turn ends
	waited.Checkpoint = chain("x", "y")[1]
	s.Summarised(waited.Checkpoint, 2, spent, true)
	s.Record(waited)
	wantUsage(t, "a summary that came first", branch(t, s, waited.Keys[2]).Summaries, 2, 500, 50)
}

// L23: what nobody writes is not waited for without end.
func TestL23JobsThatNeverCome(t *testing.T) {
	s := stats.NewBranches()
	words := []string{}
	for n := range 100 {
		words = append(words, fmt.Sprint(n))
		due := turn(chain(words...), 1, 0)
		due.Due = chain("job", fmt.Sprint(n))[1]
		s.Record(due)
	}
	for n := range 100 {
		s.Summarised(chain("job", fmt.Sprint(n))[1], 1, stats.Spend{Calls: 1, Prompt: 1, Cost: .001}, true)
	}
	wantUsage(t, "the newest four", branch(t, s, chain("0")[0]).Summaries, 4, 4, 0)
}

// What is said to be held is about what the heap holds.
func TestHeldIsWhatTheHeapHolds(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s := stats.NewBranches()
	for n := range 4000 {
		words := []string{fmt.Sprint("chat ", n)}
		for k := range 5 {
			one := turn(chain(words...), 1, 0)
			one.Labels.Session, one.Labels.Tenant = fmt.Sprint("label of chat ", n), strings.Repeat("t", 32)
			s.Record(one)
			words = append(words, fmt.Sprint("a", k), fmt.Sprint("u", k))
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	count, held := s.Held()
	heap := int(after.HeapAlloc) - int(before.HeapAlloc)
	t.Logf("%d branches: %d bytes held, %d on the heap", count, held, heap)
	if count != 4000 || heap > held*5/4 || heap < held/2 {
		t.Errorf("%d branches: %d bytes are told, %d are on the heap", count, held, heap)
	}
}

// D11: where no usage is reported, the answer is estimated once it is in the next request, and said to be.
func TestL23UnreportedAnswers(t *testing.T) {
	s := stats.NewBranches()
	first := turn(chain("u1"), 10, 0)
	first.Spent.Unreported = 1
	s.Record(first)
	for _, last := range []string{"u2", "u2 edited"} {
		next := turn(chain("u1", "a1", last), 20, 5)
		next.Answer = func(position int) (int, float64) {
			if position != 1 {
				t.Errorf("asked for the message at %d", position)
			}
			return 7, .007
		}
		s.Record(next)
	}
	list, _, _ := s.List(0)
	for _, b := range list {
		wantUsage(t, "with the estimate", b.Usage, 2, 30, 12)
		if b.Usage.Unreported != 1 {
			t.Errorf("%d are unreported", b.Usage.Unreported)
		}
	}
}

// A failed exchange moves the gauge and costs what was reported, mostly nothing.
func TestFailedExchange(t *testing.T) {
	s := stats.NewBranches()
	s.Record(turn(chain("u1"), 10, 1))
	bad := turn(chain("u1", "a1", "u2"), 0, 0)
	bad.Failed, bad.Spent, bad.Status = true, stats.Spend{}, chat.OverWindow
	s.Record(bad)
	b := branch(t, s, chain("u1")[0])
	wantUsage(t, "usage", b.Usage, 1, 10, 1)
	if b.Failed != 1 || b.Status != chat.OverWindow {
		t.Errorf("%d failed, status %s", b.Failed, b.Status)
	}
}

// What is held is bounded: for a conversation however long it grows, and for all of them.
func TestBranchesAreBounded(t *testing.T) {
	s := stats.NewBranches()
	var words []string
	for n := range 2000 {
		words = append(words, fmt.Sprint("u", n), fmt.Sprint("a", n))
	}
	keys := chain(words...)
	for n := 1; n < len(keys); n += 2 {
		due := turn(keys[:n], 1, 0)
		due.Due = keys[n-1]
		s.Record(due)
		s.Summarised(due.Due, n, stats.Spend{Calls: 1, Prompt: 1, Cost: .001}, true)
	}
	b := branch(t, s, keys[0])
	wantUsage(t, "2000 turns", b.Usage, 2000, 2000, 0)
	wantUsage(t, "2000 summaries", b.Summaries, 2000, 2000, 0)
	if one, bytes := s.Held(); one != 1 || bytes > 13<<10 || len(b.Exchanges) > 32 || len(b.Written) > 16 {
		t.Errorf("%d bytes, %d exchanges, %d summaries", bytes, len(b.Exchanges), len(b.Written))
	}
	fork := append(append([]chat.Key{}, keys[:1801]...), chain("elsewhere")...)
	s.Record(turn(fork, 1, 0))
	f := branch(t, s, fork[len(fork)-1])
	if !f.Gaps || f.Usage.Calls < 600 || f.Usage.Calls > 902 {
		t.Errorf("the fork has %d calls, gaps %v", f.Usage.Calls, f.Gaps)
	}
	const many = 20_000
	for n := range many {
		s.Record(turn(chain(fmt.Sprint("chat ", n)), 1, 0))
	}
	count, bytes := s.Held()
	if count < 10_000 || bytes > 16<<20 {
		t.Errorf("%d branches, %d bytes", count, bytes)
	}
	if _, ok := s.Get(keys[0]); ok {
		t.Error("the oldest one is still there")
	}
	if _, ok := s.Get(chain(fmt.Sprint("chat ", many-1))[0]); !ok {
		t.Error("the newest one is gone")
	}
}

// BenchmarkRecord measures what a turn costs behind its answer: one of a known conversation of 40 messages.
func BenchmarkRecord(b *testing.B) {
	s := stats.NewBranches()
	var words []string
	for n := range 4000 {
		words = append(words, fmt.Sprint(n))
	}
	keys := chain(words...)
	t := turn(keys[:1], 100, 10)
	b.ReportAllocs()
	n := 1
	for b.Loop() {
		if n += 2; n > len(keys) {
			n = 41
		}
		t.Keys = keys[:n]
		s.Record(t)
	}
}
