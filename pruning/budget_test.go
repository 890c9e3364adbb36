package pruning_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"recap/pruning"
	"recap/tokens"
)

// agentRun is one prompt and rounds of one call each, results of size characters.
func agentRun(rounds, size int) []message {
	list := []message{user("do it")}
	for i := range rounds {
		id := fmt.Sprint("c", i)
		list = append(list, call("read", id), result(id, long(i, size)))
	}
	return list
}

func TestBudgetProtectsTheNewest(t *testing.T) {
	list := agentRun(20, 4000)
	c := build(t, list)
	each := tokens.ResultTokens(&c.Messages[2], 0)
	f := func(protect, keep, want int) {
		t.Helper()
		o := options(budget, everyRequest, func(o *pruning.Options) { o.ProtectTokens, o.KeepLastAssistants = protect, keep })
		r := pruning.Prune(c, o, 0, false)
		if len(r.Trims) != want {
			t.Errorf("protect %d tokens and %d messages: %d cleared, want %d", protect, keep, len(r.Trims), want)
		}
		for i, trim := range r.Trims {
			if trim.Message != 2*i+2 {
				t.Errorf("cleared message %d, want the oldest first", trim.Message)
			}
		}
	}
	f(5*each+each/2, 0, 15)
	f(0, 3, 17)
	f(0, 0, 19) // P5: the last one stays
	f(1<<30, 0, 0)
}

// E6: the border moves in steps of at least clearAtLeast, 15 % of a small window.
func TestE6BudgetMovesInBatches(t *testing.T) {
	o := options(budget)
	list := agentRun(60, 4000)
	c, p := build(t, list), pruning.New(1000)
	steps, last, trims := 0, 0, 0
	for n := 3; n <= len(list); n += 2 {
		r := p.Prune(upTo(c, n), o, 32000, false)
		if len(r.Trims) == trims {
			continue
		}
		if gain := r.Saved - last; gain < 4800 {
			t.Errorf("at %d messages a batch freed %d tokens, want at least 4800", n, gain)
		}
		steps, last, trims = steps+1, r.Saved, len(r.Trims)
	}
	if steps < 3 || steps > 20 {
		t.Errorf("the border moved %d times in 60 rounds", steps)
	}
}

func TestBudgetKeepsErrorsAndExcludedTools(t *testing.T) {
	list := []message{
		user("do it"),
		call("read", "a"), result("a", long(1, 8000)),
		call("skill_load", "b"), result("b", long(2, 8000)),
		call("bash", "c"), result("c", "Error: exit status 2\n"+long(3, 8000)),
		call("bash", "d"), result("d", "Errorless output\n"+long(4, 8000)),
		call("bash", "e"), result("e", `{"error": "no route"}`+long(5, 8000)),
		call("bash", "f"), result("f", "Traceback (most recent call last):\n"+long(6, 8000)),
		user("next"), agent("ok"), user("last"),
	}
	o := options(budget, everyRequest, func(o *pruning.Options) {
		o.ProtectTokens, o.KeepLastAssistants, o.ExcludeTools = 0, 0, []string{"skill_*"}
	})
	if got := describe(o, pruning.Prune(build(t, list), o, 0, false)); got != "2c 8c" {
		t.Errorf("got %s, want 2c 8c", got)
	}
}

func TestBudgetDigest(t *testing.T) {
	text := "see src/app/main.go:118 and src/app/main.go:120, call parseConfig with MAX_RETRIES=3 on port 8443.\n" +
		strings.Repeat("nothing of note stands in this line at all\n", 200) + "commit 9f81c2ab in https://example.org/r/77\n"
	list := []message{user("u"), call("read", "a"), result("a", text), user("next"), agent("ok"), user("last")}
	for _, chars := range []int{0, 60, 400} {
		o := options(budget, everyRequest, func(o *pruning.Options) {
			o.ProtectTokens, o.KeepLastAssistants, o.DigestChars = 0, 0, chars
		})
		r := pruning.Prune(build(t, list), o, 0, false)
		if len(r.Trims) != 1 {
			t.Fatalf("%d trims", len(r.Trims))
		}
		got, ok := strings.CutPrefix(r.Trims[0].Text, o.HardClear.Placeholder)
		if !ok || chars == 0 && got != "" || utf8.RuneCountInString(got) > chars+len("\nIt mentioned: ") {
			t.Errorf("digest of %d: %q", chars, got)
		}
		if chars == 400 {
			for _, word := range []string{"src/app/main.go", "parseConfig", "MAX_RETRIES", "8443", "9f81c2ab", "https://example.org/r/77"} {
				if !strings.Contains(got, word) {
					t.Errorf("digest lacks %s: %q", word, got)
				}
			}
		}
	}
}

// A15: a newest result larger than the window is sent as it is, or cut to head and tail when that is asked for.
func TestA15NewestResultTooLarge(t *testing.T) {
	huge := long(7, 60000)
	list := []message{user("u"), call("read", "a"), result("a", huge)}
	for _, o := range []*pruning.Options{options(), options(everyRequest), options(budget), options(budget, everyRequest)} {
		if r := pruning.Prune(build(t, list), o, 4000, true); len(r.Trims) != 0 {
			t.Errorf("%s, %s: the newest result was pruned", o.Strategy, o.Cadence)
		}
	}
	o := options(budget, func(o *pruning.Options) { o.CapNewChars = 8000 })
	r := pruning.Prune(build(t, list), o, 4000, false)
	if len(r.Trims) != 1 || !strings.HasPrefix(r.Trims[0].Text, huge[:1500]) || !strings.HasSuffix(r.Trims[0].Text, huge[60000-1500:]) {
		t.Fatalf("got %d trims, want head and tail of 1500", len(r.Trims))
	}
	if n := len(r.Trims[0].Text); n > 3060 {
		t.Errorf("%d characters are left", n)
	}
	list[2]["content"] = huge[:8000]
	if r := pruning.Prune(build(t, list), o, 4000, false); len(r.Trims) != 0 {
		t.Error("8000 characters were capped at 8000")
	}
}

// A result that was capped at first sight is cleared with its batch like any other.
func TestCappedResultsAreClearedLater(t *testing.T) {
	o := options(budget, func(o *pruning.Options) { o.CapNewChars, o.ClearAtLeast, o.ProtectTokens = 8000, 2000, 1000 })
	list := agentRun(12, 20000)
	r := pruning.Prune(build(t, list), o, 0, false)
	got := describe(o, r)
	if !strings.HasPrefix(got, "2c ") || !strings.HasSuffix(got, " 24t") || len(r.Trims) != 12 {
		t.Errorf("got %s, want all capped and the old ones cleared", got)
	}
}

// A25: arguments, ids and other roles stay; text is cut between characters; array content is handled.
func TestA25OnlyContentChanges(t *testing.T) {
	args := `{"text":"` + strings.Repeat("x", 10000) + `"}`
	list := []message{
		user("u"),
		{"role": "assistant", "content": nil, "tool_calls": []any{message{"id": "c1", "type": "function", "function": message{"name": "write", "arguments": args}}}},
		{"role": "tool", "tool_call_id": "c1", "content": []any{message{"type": "text", "text": strings.Repeat("ż😀", 30000)}, message{"type": "text", "text": "end"}}},
		agent("a"), user("u"), agent("a"), user("u"), agent("a"), user("u"), agent("a"), user("last"),
	}
	for _, o := range []*pruning.Options{
		options(everyRequest), options(everyRequest, func(o *pruning.Options) { o.HardClear.Enabled = false }),
		options(everyRequest, budget, func(o *pruning.Options) { o.ProtectTokens = 0 }),
	} {
		c := build(t, list)
		r := pruning.Prune(c, o, 0, false)
		if len(r.Trims) != 1 || !utf8.ValidString(r.Trims[0].Text) {
			t.Fatalf("%s: %d trims", o.Strategy, len(r.Trims))
		}
		sent := applied(t, c, r)
		for i := range c.Messages {
			if i != 2 && sent.Messages[i].Raw != c.Messages[i].Raw {
				t.Errorf("message %d changed", i)
			}
		}
		if got := sent.Messages[2].Results[0]; got.ID != "c1" || sent.Messages[2].ResultText(0) != r.Trims[0].Text {
			t.Errorf("the result became %+v", got)
		}
		if again := pruning.Prune(sent, o, 0, true); len(again.Trims) != 0 {
			t.Errorf("a second pass changed %d results", len(again.Trims))
		}
	}
}

// What was capped has little left to free: its batch goes when it frees the gate, or stands for a quarter more than the gate
// by what the client sent; so a cap breaks the prefix less often, and batches do not wait for ever.
func TestE6CappedResultsWaitForABatch(t *testing.T) {
	moves := func(capAt int) int {
		o := options(budget, func(o *pruning.Options) { o.CapNewChars = capAt })
		c, p := build(t, agentRun(80, 9000)), pruning.New(1000)
		cleared, times := 0, 0
		for n := 3; n <= len(c.Messages); n += 2 {
			r := p.Prune(upTo(c, n), o, 128000, false)
			if now := strings.Count(describe(o, r), "c"); now != cleared {
				cleared = now
			} else {
				continue
			}
			times++
		}
		return times
	}
	whole, capped := moves(0), moves(8000)
	if capped >= whole || capped < whole/2 {
		t.Errorf("the border moved %d times with a cap, %d without; want somewhat less", capped, whole)
	}
}

// Every word that docs/pruning.md lists keeps a result, in any case and behind the marks of logs and JSON.
func TestDocumentedFailureWords(t *testing.T) {
	page, err := os.ReadFile("../docs/pruning.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "<!-- failure words: begin -->")
	list, _, found := strings.Cut(rest, "<!-- failure words: end -->")
	if !found {
		t.Fatal("docs/pruning.md has no marked list")
	}
	words := strings.Split(strings.Join(strings.Fields(list), " "), ", ")
	if len(words) != pruning.FailureWords {
		t.Errorf("the page lists %d words, the code has %d", len(words), pruning.FailureWords)
	}
	o := options(budget, everyRequest, func(o *pruning.Options) { o.ProtectTokens, o.KeepLastAssistants = 0, 0 })
	for i, word := range words {
		open := []string{word, strings.ToUpper(word), `{"` + word + `"`, "[" + word + "]", "  \n" + word}[i%5]
		list := []message{user("u"), call("f", "a"), result("a", open+": "+long(i, 8000)), user("next"), agent("ok"), user("last")}
		if got := describe(o, pruning.Prune(build(t, list), o, 0, false)); got != "" {
			t.Errorf("%q: cleared", open)
		}
	}
}
