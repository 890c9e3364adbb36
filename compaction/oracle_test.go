package compaction_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"recap/chat"
	"recap/compaction"
	"recap/config"
	"recap/dialect"
	"recap/internal/chattest"
	"recap/summarizer"
	"recap/tokens"
)

// G6, W5, W8, E3: on every branch of random trees of edits, regenerations, deletions, rewinds, forks, and of clients that slide
// or compact by themselves, the checkpoint is used that design.md §2 «Choice» names: never a stale one, never one
// behind the one in use for that window.
func TestG6E3RandomTrees(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(30) {
		tree := newTree(t, seed)
		for range 60 {
			tree.request(seen)
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
			tree.move()
		}
	}
	for _, what := range []string{"none", "stays", "deeper", "fallback", "provisional"} {
		if seen[what] < 5 {
			t.Errorf("%q was chosen %d times only: %v", what, seen[what], seen)
		}
	}
	t.Log(seen)
}

// tree is a client's chat with all its branches, and what is stored for them.
type tree struct {
	t        *testing.T
	r        *rand.Rand
	now      []chattest.Message   // of the branch in view, the newest one to be answered
	branches [][]chattest.Message // as they once were
	options  summarizer.Options
	window   int
	stored   map[chat.Key]*chat.Checkpoint
	covered  map[chat.Key]string // what each stored one stands for, as JSON
	jobs     []*summarizer.Job
	count    int
}

func newTree(t *testing.T, seed uint64) *tree {
	tr := &tree{
		t: t, r: rand.New(rand.NewPCG(seed, 11)), options: config.Default().Summarization,
		stored: map[chat.Key]*chat.Checkpoint{}, covered: map[chat.Key]string{},
	}
	tr.window = []int{2500, 4000}[tr.r.IntN(2)]
	tr.turns(20 + tr.r.IntN(30))
	return tr
}

func (tr *tree) text(prefix string) string {
	tr.count++
	return fmt.Sprintf("%s %d %s", prefix, tr.count, strings.Repeat("word ", 10+tr.r.IntN(100)))
}

func (tr *tree) add(m chattest.Message) { tr.now = append(tr.now[:len(tr.now):len(tr.now)], m) }

// turns answers the open question and asks new ones.
func (tr *tree) turns(n int) {
	for range n {
		if len(tr.now) > 0 {
			for range max(tr.r.IntN(6)-3, 0) {
				id := fmt.Sprint("c", tr.count)
				tr.add(chattest.Message{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{
					"id": id, "type": "function", "function": map[string]any{"name": "f", "arguments": `{"n":"` + id + `"}`},
				}}})
				tr.add(chattest.Message{"role": "tool", "tool_call_id": id, "content": tr.text("result")})
			}
			tr.add(chattest.Message{"role": "assistant", "content": tr.text("answer")})
		}
		tr.add(chattest.Message{"role": "user", "content": tr.text("question")})
	}
}

// move is what the client does next.
func (tr *tree) move() {
	tr.branches = append(tr.branches, tr.now)
	users := tr.users()
	at := users[tr.r.IntN(len(users))]
	switch tr.r.IntN(9) {
	case 0: // a question is edited, what follows is gone
		tr.now = tr.now[:at:at]
		tr.add(chattest.Message{"role": "user", "content": tr.text("edited")})
	case 1: // the last answer is asked for again
	case 2: // a turn is deleted
		if next := users[min(tr.r.IntN(len(users))+1, len(users)-1)]; next > at {
			tr.now = append(tr.now[:at:at], tr.now[next:]...)
		}
	case 3: // back to a question, word for word
		tr.now = tr.now[: at+1 : at+1]
	case 4: // another branch
		tr.now = tr.branches[tr.r.IntN(len(tr.branches))]
	case 5: // the oldest turns slide out
		if tr.r.IntN(4) == 0 {
			tr.now = tr.now[at:]
		}
	case 6: // the client compacts by itself
		if tr.r.IntN(4) == 0 {
			own := chattest.Message{"role": "user", "content": tr.text("Summary of the conversation so far:")}
			tr.now = append([]chattest.Message{own, {"role": "assistant", "content": "I see."}}, tr.now[at:]...)
		}
	default:
		tr.turns(1 + tr.r.IntN(3))
	}
}

func (tr *tree) users() []int {
	var list []int
	for i, m := range tr.now {
		if m["role"] == "user" {
			list = append(list, i)
		}
	}
	return list
}

func asJSON(messages []chattest.Message) string {
	b, err := json.Marshal(messages)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// request sends the branch in view, and judges what was chosen.
func (tr *tree) request(seen map[string]int) {
	tr.t.Helper()
	c, err := dialect.ByName("openai").Decode(chattest.Body(tr.now), nil)
	if err != nil {
		tr.t.Fatal(err)
	}
	o := chat.NewOutline(c)
	in := compaction.Input{
		Outline: o, Keys: chat.Keys(o, seed), Sizes: sizes(c), Window: tokens.Window{Size: tr.window, Source: "config"}, Options: &tr.options,
	}
	for _, k := range in.Keys {
		if cp := tr.stored[k]; cp != nil {
			in.Stored = append(in.Stored, *cp)
		}
	}
	d := compaction.Decide(in)
	tr.judge(&d, seen)
	tr.answered(&d, in.Keys)
}

// judge compares the decision with the rule.
func (tr *tree) judge(d *compaction.Decision, seen map[string]int) {
	tr.t.Helper()
	want, why := tr.named(d)
	if d.Provisional != nil { // over the budget and declared: deeper than the rule's
		if d.Used.Cut.Covers <= want {
			tr.t.Errorf("a provisional checkpoint at %d behind the one at %d", d.Used.Cut.Covers, want)
		}
		seen["provisional"]++
		return
	}
	seen[why]++
	if got := covers(d); got != want {
		tr.t.Errorf("covers %d, the rule names %d (%s); size %d, levels %+v", got, want, why, d.Pruned, d.Levels)
	}
	if d.Used != nil && tr.covered[d.Used.Checkpoint.Key] != asJSON(tr.now[:d.Used.Cut.Covers]) {
		tr.t.Errorf("the checkpoint at %d stands for other messages", d.Used.Cut.Covers)
	}
}

// named spells out the rule over all that is stored, by the messages themselves.
func (tr *tree) named(d *compaction.Decision) (want int, why string) {
	sizes := map[int]int{} // of what would be sent with the checkpoint at a cut
	for i := range d.Candidates {
		sizes[d.Candidates[i].Cut.Covers] = d.Candidates[i].Size
	}
	inUse, deepest, least := 0, 0, 0
	for n := 1; n < len(tr.now) && len(tr.now) >= tr.options.MinMessages; n++ {
		cp := tr.matching(n)
		if cp == nil {
			continue
		}
		size, ok := sizes[n]
		if !ok && n >= 12 { // a shorter one may save too little (P8)
			tr.t.Errorf("the checkpoint at %d matches and is no candidate", n)
		}
		if !ok {
			continue
		}
		deepest = n
		if cp.SentFor(tr.window) {
			inUse, least = n, 0
		} else if least == 0 && size < d.Levels.Prepare {
			least = n
		}
	}
	size := d.Pruned
	if inUse > 0 {
		size = sizes[inUse]
	}
	switch {
	case size < d.Levels.Swap && inUse == 0:
		return 0, "none"
	case size < d.Levels.Swap:
		return inUse, "stays"
	case least > inUse:
		return least, "deeper"
	}
	return deepest, "fallback"
}

// matching returns the stored checkpoint that stands for exactly the first n messages, where a cut is valid there.
func (tr *tree) matching(n int) *chat.Checkpoint {
	if !tr.valid(n) {
		return nil
	}
	text := asJSON(tr.now[:n])
	for k, cp := range tr.stored {
		if tr.covered[k] == text && (!cp.Provisional || cp.SentFor(tr.window)) {
			return cp
		}
	}
	return nil
}

// valid reports whether a checkpoint may end behind the first n messages: before a user message, or behind a finished
// round of a turn, in the newest one not behind its last round.
func (tr *tree) valid(n int) bool {
	if tr.now[n]["role"] == "user" {
		return true
	}
	if tr.now[n-1]["role"] != "tool" {
		return false
	}
	users := tr.users()
	if n < users[len(users)-1] {
		return true
	}
	for _, m := range tr.now[n:] {
		if m["tool_calls"] != nil {
			return true
		}
	}
	return false
}

// answered stores what a request leaves behind; summaries come some requests later, or never.
func (tr *tree) answered(d *compaction.Decision, keys []chat.Key) {
	put := func(cp chat.Checkpoint, covered string) {
		if old := tr.stored[cp.Key]; old != nil {
			cp.Windows = append(cp.Windows, old.Windows...)
		}
		tr.stored[cp.Key], tr.covered[cp.Key] = &cp, covered
	}
	if d.Provisional != nil {
		put(*d.Provisional, asJSON(tr.now[:d.Provisional.To]))
	}
	if d.Used != nil {
		cp := tr.stored[d.Used.Checkpoint.Key]
		if !cp.SentFor(tr.window) {
			cp.Windows = append(cp.Windows, tr.window)
		}
	}
	if d.Job != nil {
		tr.jobs = append(tr.jobs, d.Job)
		tr.covered[d.Job.Key()] = asJSON(tr.now[:d.Job.To()])
	}
	if n := 4 + tr.r.IntN(len(tr.now)); n < len(tr.now) { // another replica's: at any place, maybe sent, for whatever window
		cp := chat.Checkpoint{Key: keys[n-1], From: 1, To: n, RowFrom: 1, Text: strings.Repeat("fact ", 5+tr.r.IntN(60))}
		cp.Tokens = tokens.Estimate(cp.Text)
		if tr.r.IntN(4) == 0 {
			cp.Windows = []int{[]int{tr.window, 8000}[tr.r.IntN(2)]}
		}
		put(cp, asJSON(tr.now[:n]))
	}
	for len(tr.jobs) > 0 && tr.r.IntN(3) == 0 {
		at := tr.r.IntN(len(tr.jobs))
		j := tr.jobs[at]
		tr.jobs = append(tr.jobs[:at], tr.jobs[at+1:]...)
		text := fmt.Sprintf("Summary of %d messages.", j.To())
		put(chat.Checkpoint{Key: j.Key(), From: 1, To: j.To(), RowFrom: 1, Text: text, Tokens: tokens.Estimate(text)}, tr.covered[j.Key()])
	}
}
