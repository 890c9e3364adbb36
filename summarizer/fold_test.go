package summarizer_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"recap/internal/fakellm"
	"recap/summarizer"
)

// A16, N10: what the summariser's window cannot hold is folded in several calls, each within the window, and every
// message was read by some call; one message alone over the window is split.
func TestA16FoldsWhatIsTooLong(t *testing.T) {
	var seen strings.Builder
	r := newRig(t, fakellm.Options{Window: 2048, Summary: func(prompt string) fakellm.Reply {
		seen.WriteString(prompt)
		return fakellm.Reply{Text: "sum so far"}
	}})
	b := talk(20)
	var huge strings.Builder
	for i := range 2500 {
		fmt.Fprintf(&huge, "word%d ", i)
	}
	b.user(huge.String()).assistant("ok")
	cp := r.run(r.job(b, len(b.list), func(j *summarizer.Job) {
		j.Window, j.Options.Model, j.Target.Name = 128000, "small", "u"
	}))
	if cp.Text != "sum so far" || cp.From != 1 || cp.To != len(b.list) {
		t.Errorf("got %+v", cp)
	}
	for i := range 20 {
		if !strings.Contains(seen.String(), fmt.Sprintf("Question %d:", i)) {
			t.Errorf("message of turn %d was never read", i)
		}
	}
	for i := range 2500 {
		if !strings.Contains(seen.String(), fmt.Sprintf("word%d ", i)) && !strings.Contains(seen.String(), fmt.Sprintf("word%d\n", i)) {
			t.Fatalf("word%d of the long message was never read", i)
		}
	}
	calls := r.llm.Summaries()
	over := 0
	for _, c := range calls {
		if c.Overflow {
			over++
		}
	}
	if len(calls) < 5 || over > 6 {
		t.Errorf("%d calls, %d of them over the window", len(calls), over)
	}
	// What was learned stays: the next job does not run into the wall again.
	r.llm.Reset()
	r.run(r.job(talk(8), 16, func(j *summarizer.Job) { j.Window, j.Options.Model = 128000, "small" }))
	for _, c := range r.llm.Summaries() {
		if c.Overflow {
			t.Error("a known window was exceeded again")
		}
	}
}

// A16: a window that nothing fits into ends the job; it does not loop.
func TestA16HopelessWindowEnds(t *testing.T) {
	r := newRig(t, fakellm.Options{Window: 100})
	if got := r.refused(r.job(talk(4), 6)); got != "overflow" && got != "input" {
		t.Errorf("reason %q", got)
	}
	if n := len(r.llm.Summaries()); n > 8 {
		t.Errorf("%d calls", n)
	}
}

// N10: maxInputChars bounds what one call reads; the rest goes to further calls.
func TestN10MaxInputChars(t *testing.T) {
	var records []string
	r := newRig(t, fakellm.Options{Summary: func(prompt string) fakellm.Reply {
		_, record, _ := strings.Cut(prompt, "<recap-record>\n")
		record, _, _ = strings.Cut(record, "\n</recap-record>")
		records = append(records, record)
		return fakellm.Reply{Text: "sum"}
	}})
	b := talk(8)
	b.user(strings.Repeat("żółć😀 ", 1200)).assistant("ok")
	r.run(r.job(b, len(b.list), func(j *summarizer.Job) { j.Options.MaxInputChars = 3000 }))
	all := strings.Join(records, "")
	for i, rec := range records {
		if n := utf8.RuneCountInString(rec); n > 3000 {
			t.Errorf("call %d reads %d characters", i, n)
		}
		if !utf8.ValidString(rec) {
			t.Errorf("call %d: a character was cut", i)
		}
	}
	if got := strings.Count(all, "😀"); got != 1200 {
		t.Errorf("%d of 1200 characters were read", got)
	}
	if len(records) < 4 {
		t.Errorf("%d calls", len(records))
	}
}

// A context that ends while folding stores nothing.
func TestCloseEndsAJobAtWork(t *testing.T) {
	r := newRig(t, fakellm.Options{})
	r.llm.NextSummaryFault(fakellm.Fault{Break: fakellm.BreakHang})
	j := r.job(talk(4), 6)
	r.queue.Submit(j)
	if _, err := r.llm.Wait(1, 5e9, fakellm.IsSummary); err != nil {
		t.Fatal(err)
	}
	if err := r.queue.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	kinds, last := r.kinds()
	if kinds != "queued started dropped" || last.Reason != "cancelled" {
		t.Errorf("notices %s, last %+v", kinds, last)
	}
	if state := r.queue.Submit(r.job(talk(5), 6)); state != summarizer.Due {
		t.Errorf("a closed queue says %s", state)
	}
	if _, err := r.store.Get(context.Background(), j.Key()); err == nil {
		t.Error("something was stored")
	}
}
