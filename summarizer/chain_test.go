package summarizer_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"recap/chat"
	"recap/internal/fakellm"
	"recap/summarizer"
)

// wordy is a summariser whose every answer has so many words.
func wordy(words int) fakellm.Options {
	n := 0
	return fakellm.Options{Summary: func(string) fakellm.Reply {
		n++
		text := fmt.Sprintf("Summary no. %d:", n)
		for i := range words {
			text += " " + []string{"apple", "table", "window", "engine", "paper", "garden"}[(i*7+n)%6]
		}
		return fakellm.Reply{Text: headed(text)}
	}}
}

// chain returns the rows that end with cp, oldest first. They must cover messages 1 to cp.To without a gap.
func (r *rig) chain(cp chat.Checkpoint, keys []chat.Key) []chat.Checkpoint {
	r.t.Helper()
	rows := []chat.Checkpoint{cp}
	for rows[0].RowFrom > 1 {
		before, err := r.store.Get(context.Background(), keys[rows[0].RowFrom-2])
		if err != nil || before.To != rows[0].RowFrom-1 || before.RowFrom >= rows[0].RowFrom {
			r.t.Fatalf("no row ends at message %d: %+v, %v", rows[0].RowFrom-1, before, err)
		}
		rows = append([]chat.Checkpoint{before}, rows...)
	}
	return rows
}

func weight(rows []chat.Checkpoint) (sum int) {
	for i := range rows {
		sum += rows[i].Size()
	}
	return sum
}

// pin pins a stored checkpoint.
func (r *rig) pin(key chat.Key, pinned bool) {
	r.t.Helper()
	if err := r.store.Change(context.Background(), key, func(cp *chat.Checkpoint) { cp.Pinned = pinned }); err != nil {
		r.t.Fatal(err)
	}
}

// N5: 150 turns with rowTokens set. The rows never outgrow their share of the window and cover everything, where the
// window has no room for a second row as where it holds many.
func TestN5ChainStaysWithinItsShare(t *testing.T) {
	f := func(window, share, atLeast int) {
		t.Helper()
		r := newRig(t, wordy(220))
		b := talk(150)
		keys := b.keys()
		most, rewrites, before := 0, 0, 0
		for n := 4; n <= len(b.list); n += 2 {
			cp := r.run(r.job(b, n, func(j *summarizer.Job) { j.Options.RowTokens, j.Window = 400, window }))
			rows := r.chain(cp, keys)
			if sum := weight(rows); sum > share {
				t.Fatalf("window %d, %d messages: %d rows weigh %d, want at most %d", window, n, len(rows), sum, share)
			}
			if len(rows) < before {
				rewrites++
			}
			before, most = len(rows), max(most, len(rows))
		}
		if most < atLeast || atLeast > 1 && rewrites == 0 {
			t.Errorf("window %d: at most %d rows, want %d; rewritten %d times", window, most, atLeast, rewrites)
		}
	}
	f(4096, 4096/4, 1)
	f(8192, 8192/4, 1)
	f(32768, 32768/4, 4)
}

// N5: rows that would outgrow their share are rewritten into one: all their texts in order and the fresh messages are
// read, the exact range is kept, and the ledger is that of the whole range.
func TestN5FullChainIsRewrittenIntoOneRow(t *testing.T) {
	r := newRig(t, wordy(150))
	b := talk(60)
	keys := b.keys()
	rows := func(j *summarizer.Job) {
		j.Options.RowTokens, j.Options.MaxSummaryTokens, j.Window = 10, 400, 16384
	}
	var old []chat.Checkpoint
	for n := 4; n <= len(b.list); n += 4 {
		cp := r.run(r.job(b, n, rows))
		now := r.chain(cp, keys)
		if len(now) > len(old) {
			old = now
			continue
		}
		base := old[len(old)-1]
		if len(now) != 1 || len(old) < 2 || cp.RowFrom != 1 || cp.From != base.To+1 || cp.Parent != base.Key || cp.Lineage != base.Lineage {
			t.Fatalf("%d rows after %d, the last %+v", len(now), len(old), cp)
		}
		prompt := r.llm.Summaries()[len(r.llm.Summaries())-1].Said(-1)
		at := 0
		for i := range old {
			next := strings.Index(prompt[at:], old[i].Text)
			if next < 0 {
				t.Fatalf("the text of row %d is not there in order", i)
			}
			at += next + len(old[i].Text)
		}
		if !strings.Contains(prompt, "<"+summarizer.PreviousTag+">") || strings.Contains(prompt, "Question 0:") ||
			!strings.Contains(prompt, fmt.Sprintf("Question %d:", (n-4)/2)) {
			t.Errorf("want the rows to be updated with the fresh messages only:\n%s", prompt)
		}
		if !strings.Contains(cp.Ledger, "Question 0:") {
			t.Errorf("the ledger does not begin at message 1: %s", cp.Ledger)
		}
		return
	}
	t.Fatalf("never rewritten: %d rows weigh %d", len(old), weight(old))
}

// A chain that grew under other options, and that the summariser's window cannot even read in one call, is brought back
// all the same: what does not fit beside the record is read as part of it.
func TestN5OvergrownChainHeals(t *testing.T) {
	var read strings.Builder
	answer := wordy(100).Summary
	r := newRig(t, fakellm.Options{Window: 4096, Summary: func(prompt string) fakellm.Reply {
		read.WriteString(prompt)
		return answer(prompt)
	}})
	b := talk(40)
	keys := b.keys()
	for n := 2; n <= 70; n += 2 {
		cp := chat.Checkpoint{
			Key: keys[n-1], Lineage: keys[1], From: n - 1, To: n, RowFrom: n - 1, Tokens: 300, Sealed: true,
			Text: fmt.Sprintf("Row %d. ", n) + strings.Repeat("many words ", 140),
		}
		if _, err := r.store.Put(context.Background(), cp); err != nil {
			t.Fatal(err)
		}
	}
	cp := r.run(r.job(b, 76, func(j *summarizer.Job) { j.Window, j.Options.RowTokens = 4096, 400 }))
	if cp.RowFrom != 1 || cp.From != 71 || cp.Size() > 614+409 {
		t.Errorf("got %+v", cp)
	}
	for n := 2; n <= 70; n += 2 {
		if !strings.Contains(read.String(), fmt.Sprintf("Row %d.", n)) {
			t.Errorf("row %d was never read", n)
		}
	}
}

// A pinned row stays as it is, and so does what stands in front of it; what follows is rewritten.
func TestPinnedRowsAreNotRewritten(t *testing.T) {
	r := newRig(t, wordy(220))
	b := talk(40)
	keys := b.keys()
	rows := func(j *summarizer.Job) { j.Options.RowTokens, j.Window = 400, 4096 }
	first := r.run(r.job(b, 8, rows))
	r.pin(first.Key, true)
	for n := 12; n <= len(b.list); n += 4 {
		cp := r.run(r.job(b, n, rows))
		got := r.chain(cp, keys)
		if len(got) != 2 || got[0].Key != first.Key || got[0].Text != first.Text || cp.RowFrom != 9 || cp.From != n-3 && n > 12 {
			t.Fatalf("%d messages: %d rows, the last %+v", n, len(got), cp)
		}
		if strings.Contains(r.llm.Summaries()[len(r.llm.Summaries())-1].Said(-1), first.Text) {
			t.Fatal("the text of a pinned row was given away to be rewritten")
		}
		if cp.LedgerTokens > 409/4+1 && weight(got) > 4096/4 {
			t.Errorf("the ledger takes %d tokens of a share that is used up, both rows %d", cp.LedgerTokens, weight(got))
		}
	}
}

// Pinned rows that leave no room for another are told of, once.
func TestPinnedRowsThatFillTheWindowAreTold(t *testing.T) {
	r := newRig(t, wordy(220))
	b := talk(40)
	told := func() (list []summarizer.Notice) {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, n := range r.notices {
			if n.Pinned > 0 {
				list = append(list, n)
			}
		}
		return list
	}
	weighs := 0
	for n := 8; n <= 40; n += 4 {
		cp := r.run(r.job(b, n, func(j *summarizer.Job) { j.Window = 4096 }))
		if n <= 16 {
			r.pin(cp.Key, true)
			weighs += cp.Size()
		}
		if n == 8 && len(told()) > 0 {
			t.Error("told although nothing was pinned")
		}
	}
	if list := told(); len(list) != 1 || list[0].Pinned > weighs || list[0].Pinned < weighs/3 || list[0].Share != 1024 {
		t.Errorf("told %d times: %+v, pinned rows weigh %d", len(list), list, weighs)
	}
}

// One rolling row, pinned again and again: the pinned rows stay while they are pinned. When they are not any more, and
// outgrow their share, the next pass makes one row of them.
func TestRowsOfFormerPinsAreRewritten(t *testing.T) {
	r := newRig(t, wordy(220))
	b := talk(30)
	keys := b.keys()
	plain := func(j *summarizer.Job) { j.Window = 4096 }
	var pinned []chat.Checkpoint
	for n := 8; n <= 40; n += 8 {
		cp := r.run(r.job(b, n, plain))
		if rows := r.chain(cp, keys); len(rows) != len(pinned)+1 {
			t.Fatalf("%d messages: %d rows, want the %d pinned ones and one more", n, len(rows), len(pinned))
		}
		r.pin(cp.Key, true)
		pinned = append(pinned, cp)
	}
	for _, cp := range pinned[1:] {
		r.pin(cp.Key, false)
	}
	cp := r.run(r.job(b, 48, plain))
	if rows := r.chain(cp, keys); len(rows) != 2 || rows[0].Text != pinned[0].Text || cp.RowFrom != 9 || cp.From != 41 {
		t.Errorf("%d rows, the last %+v", len(rows), cp)
	}
	r.pin(pinned[0].Key, false)
	cp = r.run(r.job(b, 56, plain))
	if rows := r.chain(cp, keys); len(rows) != 1 || cp.Size() > 4096/4 {
		t.Errorf("%d rows, the last %+v", len(rows), cp)
	}
}

// An unknown window bounds nothing.
func TestN5NoWindowNoBound(t *testing.T) {
	r := newRig(t, wordy(220))
	b := talk(40)
	rows := 0
	for n := 4; n <= len(b.list); n += 4 {
		cp := r.run(r.job(b, n, func(j *summarizer.Job) { j.Options.RowTokens, j.Window = 400, 0 }))
		rows = len(r.chain(cp, b.keys()))
	}
	if rows != 20 {
		t.Errorf("%d rows, want 20", rows)
	}
}

// The share follows the level at which the chat is swapped, and is never less than what one checkpoint may take.
func TestShare(t *testing.T) {
	f := func(want, window int, edit func(*summarizer.Options)) {
		t.Helper()
		o := summarizer.Defaults()
		edit(&o)
		if got := summarizer.Share(&o, window); got != want {
			t.Errorf("window %d: got %d, want %d", window, got, want)
		}
	}
	f(0, 0, func(*summarizer.Options) {})
	f(1024, 4096, func(*summarizer.Options) {})
	f(32000, 128000, func(*summarizer.Options) {})
	f(16000, 128000, func(o *summarizer.Options) { o.Trigger = summarizer.Trigger{Type: "token_ratio", Value: 0.5} })
	f(2048+2600, 128000, func(o *summarizer.Options) { o.Trigger = summarizer.Trigger{Type: "token_ratio", Value: 0.01} })
	f(32000, 128000, func(o *summarizer.Options) { o.Trigger = summarizer.Trigger{Type: "token_count", Value: 200} })
}

// A21: where rows stay in front, the ledger takes what they and the summary leave of the share.
func TestLedgerTakesWhatTheRowsLeave(t *testing.T) {
	r := newRig(t, wordy(400))
	b := &builder{}
	for i := range 40 {
		b.user(fmt.Sprintf("Copy /srv/data/part-%d/file-%d.json to https://host-%d.example.org/in/%d, for order ORD-%d.", i, i*7, i, i, 10000+i))
		b.assistant(strings.Repeat("It is done, as far as anybody can tell by now. ", 12))
	}
	plain := func(j *summarizer.Job) { j.Window, j.Options.MaxSummaryTokens = 8192, 600 }
	first := r.run(r.job(b, 40, plain))
	r.pin(first.Key, true)
	second := r.run(r.job(b, 80, plain))
	left := 8192/4 - first.Size() - second.Tokens
	if first.LedgerTokens < left+50 || second.LedgerTokens > max(left, 819/4) || second.LedgerTokens < 100 {
		t.Errorf("ledgers of %d and %d tokens, %d were left", first.LedgerTokens, second.LedgerTokens, left)
	}
}
