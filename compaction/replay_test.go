package compaction_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"recap/chat"
	"recap/compaction"
	"recap/config"
	"recap/dialect"
	"recap/internal/chattest"
	"recap/pruning"
	"recap/summarizer"
	"recap/tokens"
)

// replay sends a growing chat request by request; summaries land late requests after they became due.
type replay struct {
	chat    *chat.Chat
	sizes   tokens.Sizes
	window  int
	options summarizer.Options
	pruner  *pruning.Pruner
	late    int
	rand    *rand.Rand

	stored []chat.Checkpoint
	job    *summarizer.Job
	wait   int
	recall *chat.Recall

	outline *chat.Outline // of the request
	urgent  bool          // it was pruned beyond the batches
}

func newReplay(t testing.TB, body string, window, late int) *replay {
	t.Helper()
	c, err := dialect.ByName("openai").Decode(body, nil)
	if err != nil {
		t.Fatalf("decode: %v", err)
	}
	return &replay{
		chat: c, sizes: sizes(c), window: window, options: config.Default().Summarization,
		pruner: pruning.New(10000), late: late, rand: rand.New(rand.NewPCG(uint64(window), uint64(late))),
	}
}

// request decides on the first n messages.
func (r *replay) request(n int) compaction.Decision {
	part := *r.chat
	part.Messages = part.Messages[:n]
	part.Before, part.After = r.recall, &chat.Recall{}
	r.recall = part.After
	o := chat.NewOutline(&part)
	r.outline, r.urgent = o, false
	in := compaction.Input{
		Outline: o, Keys: chat.Keys(o, seed), Window: tokens.Window{Size: r.window, Source: "config"}, Options: &r.options,
		Sizes: tokens.Sizes{Messages: r.sizes.Messages[:n], Fixed: r.sizes.Fixed[:n]},
	}
	for _, cp := range r.stored {
		if cp.To <= len(in.Keys) && in.Keys[cp.To-1] == cp.Key {
			in.Stored = append(in.Stored, cp)
		}
	}
	if r.options.ContextPruning.Enabled {
		in.Prune = func(urgent bool) pruning.Result {
			r.urgent = r.urgent || urgent
			return r.pruner.Prune(&part, &r.options.ContextPruning, r.window, urgent)
		}
	}
	return compaction.Decide(in)
}

// answered does what the middleware does behind the answer.
func (r *replay) answered(d *compaction.Decision) {
	if d.Provisional != nil {
		r.put(*d.Provisional)
	}
	if d.Used != nil {
		for i := range r.stored {
			if cp := &r.stored[i]; cp.Key == d.Used.Checkpoint.Key && !cp.SentFor(r.window) {
				cp.Windows = append(cp.Windows, r.window)
			}
		}
	}
	if r.job == nil && d.Job != nil {
		r.job, r.wait = d.Job, r.late
	}
	if r.job != nil {
		if r.wait--; r.wait < 0 {
			r.land()
		}
	}
}

// land stores the summary of the job: as long as allowed, or shorter.
func (r *replay) land() {
	j := r.job
	r.job = nil
	most := min(r.options.MaxSummaryTokens+r.options.Ledger.UserTokens+r.options.Ledger.FactTokens, r.window/4, j.Replaces/2)
	words := most/4 + r.rand.IntN(most-most/4+1)
	text := strings.Repeat("fact ", words)
	r.put(chat.Checkpoint{Key: j.Key(), From: 1, To: j.To(), RowFrom: 1, Text: text, Tokens: tokens.Estimate(text)})
}

// put keeps the stored ones in order; a real one takes the place of a provisional one and its marks.
func (r *replay) put(cp chat.Checkpoint) {
	at := 0
	for at < len(r.stored) && r.stored[at].To < cp.To {
		at++
	}
	if at < len(r.stored) && r.stored[at].Key == cp.Key {
		cp.Windows = r.stored[at].Windows
		r.stored[at] = cp
		return
	}
	r.stored = append(r.stored[:at], append([]chat.Checkpoint{cp}, r.stored[at:]...)...)
}

// points are the lengths at which the client sends: before each answer.
func (r *replay) points() []int {
	var list []int
	for i := 1; i < len(r.chat.Messages); i++ {
		if r.chat.Messages[i].Role == chat.Assistant {
			list = append(list, i)
		}
	}
	return list
}

// growing are chats like W1, W3 and W4 of evaluation.md, of about so many tokens.
func growing(r *rand.Rand, kind string, size int) string {
	var list []string
	words, calls := 0, 0
	say := func(word string, chars int) {
		list = append(list, fmt.Sprintf("%s:%d", word, chars))
		words += chars/4 + 5
	}
	skewed := func(p50, p90 float64) int { // log-normal
		return min(max(int(p50*math.Exp(math.Log(p90/p50)/1.2816*r.NormFloat64())), 40), 30000)
	}
	round := func(p50, p90 float64) {
		ids := []string{}
		for range 1 + max(r.IntN(14)-12, 0) {
			ids = append(ids, fmt.Sprint("c", calls))
			calls++
		}
		list = append(list, "A("+strings.Join(ids, ",")+")")
		for _, id := range ids {
			chars := skewed(p50, p90)
			list = append(list, fmt.Sprintf("T(%s:%d)", id, chars))
			words += chars/4 + 30
		}
	}
	say("S", 400)
	if kind == "W3" {
		say("U", 600)
	}
	for words < size {
		switch kind {
		case "W1":
			say("U", 60+r.IntN(340))
			say("A", 150+r.IntN(750))
		case "W3":
			round(3200, 10500)
		case "W4":
			say("U", 60+r.IntN(300))
			for range 1 + r.IntN(5) {
				round(1600, 5200)
			}
			say("A", 100+r.IntN(400))
		}
	}
	return chattest.OpenAIBody(strings.Join(append(list, "U"), ","))
}
