package promises_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"recap/chat"
	"recap/dialect"
	"recap/internal/fakellm"
)

// history is what a client holds of one branch of its chat. Each message says a mark of its own, MARKnX, and a summary
// says the marks of what it was made from: what is sent can be traced to what the client said.
type history struct {
	dialect string
	list    []string // each message's JSON
}

var (
	marks   = regexp.MustCompile(`MARK\d+X`)
	counter atomic.Int64 // tests run side by side
)

func mark() string {
	return fmt.Sprintf("MARK%dX ", counter.Add(1))
}

// ask adds a user's message, and says the answer (with a tool's round in every third) that will follow it.
func (h *history) ask() (reply []string) {
	h.list = append(h.list, fmt.Sprintf(`{"role":"user","content":"%s%s"}`, mark(), strings.Repeat("what of it? ", 20)))
	if n := len(h.list); n%3 == 0 {
		id, args := fmt.Sprint("c", n), `"{}"`
		if h.dialect == "ollama" {
			args = "{}"
		}
		reply = append(reply,
			fmt.Sprintf(`{"role":"assistant","content":"","tool_calls":[{"id":"%s","type":"function","function":{"name":"f","arguments":%s}}]}`, id, args),
			fmt.Sprintf(`{"role":"tool","tool_call_id":"%s","content":"%s%s"}`, id, mark(), strings.Repeat("found. ", 30)))
	}
	return append(reply, fmt.Sprintf(`{"role":"assistant","content":"%s%s"}`, mark(), strings.Repeat("it is so. ", 25)))
}

func (h *history) fork(n int) *history {
	return &history{dialect: h.dialect, list: append([]string{}, h.list[:n]...)}
}

func (h *history) body(system string) []byte {
	list := h.list
	if system != "" {
		list = append([]string{`{"role":"system","content":"` + system + `"}`}, list...)
	}
	return []byte(`{"model":"fake-model","stream":false,"messages":[` + strings.Join(list, ",") + `]}`)
}

// marked is an upstream whose summaries say the marks of what they were made from.
func marked() fakellm.Options {
	return fakellm.Options{Summary: func(prompt string) fakellm.Reply {
		found := marks.FindAllString(prompt, -1)
		return fakellm.Reply{Text: "The chat went over " + strings.Join(found[:min(len(found), 30)], " ") + "."}
	}}
}

// send sends a history and judges what went upstream: nothing that this client did not say in it, the checkpoint that
// the rule of design.md §2 names, and the range it stands for exactly.
func (r *rig) send(h *history, system string) answer {
	r.t.Helper()
	body := h.body(system)
	rule := r.explained(h.dialect, body)
	a := r.chat(h.dialect, body)
	if a.code != 200 {
		r.t.Fatalf("%d %s", a.code, a.body)
	}
	if err := fakellm.CheckKept(h.dialect, body, r.sent()); err != nil {
		r.t.Fatalf("%s: %v", a.status(), err)
	}
	for _, m := range marks.FindAllString(string(r.sent()), -1) {
		if !strings.Contains(string(body), m) {
			r.t.Errorf("%s: %s was sent, which is not in this branch", a.status(), m)
		}
	}
	r.prefixOf(h.dialect, body, a)
	if used, _, _ := strings.Cut(strings.Trim(a.header.Get("X-Recap-Checkpoint"), `"`), `"`); has(a.status(), "compacted") || has(a.status(), "clear") {
		if want := rule.choice(); used != want {
			r.t.Errorf("%s: checkpoint %q is used, the rule names %q of %+v", a.status(), used, want, rule)
		}
	}
	r.settle()
	return a
}

// prefixOf makes sure that the checkpoint in use names a prefix of the request.
func (r *rig) prefixOf(format string, body []byte, a answer) {
	r.t.Helper()
	name, _, _ := strings.Cut(strings.Trim(a.header.Get("X-Recap-Checkpoint"), `"`), `"`)
	if name == "" {
		return
	}
	key, err := chat.ParseKey(name)
	if err != nil {
		r.t.Fatal(err)
	}
	r.settle() // the provisional one is stored behind the answer
	cp, err := r.app.Store.Get(r.t.Context(), key)
	if err != nil {
		r.t.Fatalf("%s: %v", a.status(), err)
	}
	c, err := dialect.ByName(format).Decode(string(body), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	keys := chat.Keys(chat.NewOutline(c), chat.Seed(cp.Tenant, cp.Upstream, cp.Recipe))
	if cp.To != covered(a) || cp.To > len(keys) || keys[cp.To-1] != key {
		r.t.Errorf("%s: the checkpoint covers %d and is not that prefix of the request", a.status(), cp.To)
	}
}

// rule is what is known before a request is sent: the stored checkpoints that fit, and what would be sent with each.
type rule struct {
	Levels     struct{ Budget, Swap, Prepare int }
	Pruned     int // without any
	Candidates []struct {
		Key          string
		Covers, Size int
		Sent         bool
	}
}

func (r *rig) explained(format string, body []byte) (told rule) {
	r.t.Helper()
	a, err := do("POST", "http://"+r.app.AdminAddr()+"/api/explain?path="+paths[format], string(body))
	if err != nil || json.Unmarshal(a.body, &told) != nil {
		r.t.Fatalf("explain: %v %s", err, a.body)
	}
	return told
}

// choice is the rule of design.md §2 «Choice», read from the page: the key of the checkpoint, "" = none.
func (told rule) choice() string {
	sent, deepest, least := -1, -1, -1
	for i, c := range told.Candidates {
		if c.Sent && (sent < 0 || c.Covers > told.Candidates[sent].Covers) {
			sent = i
		}
	}
	if sent >= 0 && told.Candidates[sent].Size < told.Levels.Swap {
		return told.Candidates[sent].Key
	}
	if sent < 0 && told.Pruned < told.Levels.Swap {
		return ""
	}
	for i, c := range told.Candidates {
		if sent >= 0 && c.Covers <= told.Candidates[sent].Covers {
			continue
		}
		if deepest < 0 || c.Covers > told.Candidates[deepest].Covers {
			deepest = i
		}
		if c.Size < told.Levels.Prepare && (least < 0 || c.Covers < told.Candidates[least].Covers) {
			least = i
		}
	}
	switch {
	case least >= 0:
		return told.Candidates[least].Key
	case deepest >= 0:
		return told.Candidates[deepest].Key
	case sent >= 0:
		return told.Candidates[sent].Key
	}
	return ""
}

// P4, E3: a client edits, branches, regenerates, deletes and goes back over checkpoints, with its branches interleaved:
// each request gets the checkpoint that the rule names, and never one of another branch.
func TestE3P4BranchesInterleaved(t *testing.T) {
	for _, format := range []string{"openai", "ollama"} {
		for _, window := range []int{3000, 6000} {
			t.Run(fmt.Sprint(format, " ", window), func(t *testing.T) {
				t.Parallel()
				r := newRig(t, window, marked(), nil)
				turns := window / 150
				rng := rand.New(rand.NewPCG(7, uint64(window)))
				branches := []*history{{dialect: format}}
				used := map[string]bool{}
				for n := range turns + 40 {
					at := rng.IntN(len(branches))
					h := branches[at]
					switch what := rng.IntN(8); {
					case n < turns: // the first branch grows past its first checkpoints
						h = branches[0]
					case what == 0 && len(branches) < 5: // an edit, near the end or far back
						h = h.fork(cutBefore(h, rng))
						branches = append(branches, h)
					case what == 1: // two messages deleted in the middle
						h = remove(h, rng)
						branches[at] = h
					case what == 2: // the last question sent again
						again := h.fork(lastUserOf(h) + 1)
						r.send(again, "")
						continue
					}
					reply := h.ask()
					a := r.send(h, "")
					used[a.header.Get("X-Recap-Checkpoint")] = true
					h.list = append(h.list, reply...)
				}
				if len(branches) < 3 || len(used) < 3 || len(r.up.Refusals()) > 0 {
					t.Errorf("%d branches, %d checkpoints, %d refusals: the test proves little", len(branches), len(used), len(r.up.Refusals()))
				}
			})
		}
	}
}

func lastUserOf(h *history) int {
	for i := len(h.list) - 1; i > 0; i-- {
		if strings.HasPrefix(h.list[i], `{"role":"user"`) {
			return i
		}
	}
	return 0
}

// cutBefore picks a place before a user's message.
func cutBefore(h *history, rng *rand.Rand) int {
	at := rng.IntN(len(h.list))
	for at > 0 && !strings.HasPrefix(h.list[at], `{"role":"user"`) {
		at--
	}
	return at
}

// remove leaves a whole turn out.
func remove(h *history, rng *rand.Rand) *history {
	from := cutBefore(h, rng)
	to := from + 1
	for to < len(h.list) && !strings.HasPrefix(h.list[to], `{"role":"user"`) {
		to++
	}
	return &history{dialect: h.dialect, list: append(append([]string{}, h.list[:from]...), h.list[to:]...)}
}

// P4, E3: gone back across a checkpoint, and forth: each branch keeps to its own, and the shared one serves both.
func TestE3RewindAcrossACheckpoint(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"openai", "ollama"} {
		r := newRig(t, 4096, marked(), nil)
		a := &history{dialect: format}
		grow := func(h *history, turns int) (last answer) {
			for range turns {
				reply := h.ask()
				last = r.send(h, "")
				h.list = append(h.list, reply...)
			}
			return last
		}
		first := grow(a, 26)
		if covered(first) == 0 {
			t.Fatalf("%s: no checkpoint: %s", format, first.status())
		}
		b := a.fork(turnAt(a, covered(first)/2)) // inside what is covered
		if early := grow(b, 1); covered(early) >= covered(first) {
			t.Errorf("%s: gone back to %d messages, %d are covered", format, len(b.list), covered(early))
		}
		for range 6 { // both go on, one turn each
			grow(a, 1)
			grow(b, 3)
		}
		onA, onB := grow(a, 1), grow(b, 1)
		if covered(onA) == 0 || covered(onB) == 0 || onA.header.Get("X-Recap-Checkpoint") == onB.header.Get("X-Recap-Checkpoint") {
			t.Errorf("%s: %q and %q", format, onA.header.Get("X-Recap-Checkpoint"), onB.header.Get("X-Recap-Checkpoint"))
		}
		c := a.fork(turnAt(a, len(a.list)-2)) // behind what is covered: the checkpoint serves this branch too
		if late := grow(c, 1); late.header.Get("X-Recap-Checkpoint") != onA.header.Get("X-Recap-Checkpoint") && covered(late) < covered(onA) {
			t.Errorf("%s: an edit of the newest message uses %q, before %q", format, late.header.Get("X-Recap-Checkpoint"), onA.header.Get("X-Recap-Checkpoint"))
		}
	}
}

// turnAt is the place of the user's message at or before at.
func turnAt(h *history, at int) int {
	for at > 0 && !strings.HasPrefix(h.list[at], `{"role":"user"`) {
		at--
	}
	return at
}
