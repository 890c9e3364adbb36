package cli

import (
	"strings"
	"time"

	"recap/internal/fakellm"
)

// demoModel plays the model: it answers from what stands in its prompt and from nothing else.
type demoModel struct {
	play  []task
	speed float64
}

// demoWindow is the model's context window in tokens, one that people with small machines know.
const demoWindow = 8192

func (m *demoModel) options() fakellm.Options {
	return fakellm.Options{Window: demoWindow, Reply: m.reply, Summary: m.summary, Models: []string{demoModelName}}
}

// pause is a time of a run at speed 1.
func pause(d time.Duration, speed float64) time.Duration {
	if speed <= 0 {
		return 0
	}
	return time.Duration(float64(d) / speed)
}

// reply goes on with the turn whose question is the newest in the prompt.
func (m *demoModel) reply(r *fakellm.Recorded) fakellm.Reply {
	out := fakellm.Reply{Delay: pause(60*time.Millisecond, m.speed), Gap: pause(12*time.Millisecond, m.speed), Chunk: 50}
	roles := r.Roles()
	newest, results := len(roles)-1, 0
	for ; newest > 0 && roles[newest] != "user"; newest-- {
		if roles[newest] == "tool" {
			results++
		}
	}
	t, ok := m.find(r.Said(newest))
	switch {
	case !ok:
		out.Text = "I do not understand."
	case results < len(t.calls):
		out.Calls = t.calls[results : results+1]
	case t.answer != "":
		out.Text = t.answer
	default:
		out.Text = recall(r.Text())
	}
	return out
}

// find looks a turn up by its question, which may have a summary in front.
func (m *demoModel) find(text string) (task, bool) {
	for i := len(m.play) - 1; i >= 0; i-- {
		if strings.HasSuffix(text, m.play[i].ask) {
			return m.play[i], true
		}
	}
	return task{}, false
}

// recall answers the last question of the chat from the prompt alone.
func recall(prompt string) string {
	var known, lost []string
	for _, f := range demoFacts {
		if strings.Contains(prompt, f.text) {
			known = append(known, f.text)
		} else {
			lost = append(lost, f.name)
		}
	}
	if len(lost) > 0 {
		return "I no longer know " + strings.Join(lost, " and ") + "."
	}
	return "You are " + known[0] + ", staging listens on port " + known[1] + ", and its ledger is " + known[2] + "."
}

// maxProgress is how many requests of the user a summary of the scripted model names.
const maxProgress = 14

// summary writes what a small model would: the course of things, in the sections that were asked for, but hardly one exact string.
func (m *demoModel) summary(prompt string) fakellm.Reply {
	before, record := between(prompt, "<recap-previous-summary>", "</recap-previous-summary>"), between(prompt, "<recap-record>", "</recap-record>")
	progress := bullets(between(before, "## Progress\n", "## Key"))
	for _, entry := range strings.Split("\n"+record, "\n## ") {
		head, text, _ := strings.Cut(entry, "\n")
		if strings.HasSuffix(head, " user") {
			if words := vague(text); words != "" {
				progress = append(progress, "- "+words)
			}
		}
	}
	progress = progress[max(len(progress)-maxProgress, 0):]
	next := "none"
	if len(progress) > 0 {
		next = strings.TrimPrefix(progress[len(progress)-1], "- ")
	}
	return fakellm.Reply{
		Delay: max(pause(800*time.Millisecond, m.speed), 10*time.Millisecond),
		Text: "## Goal\n- Get the invoice import ready.\n## Constraints & Preferences\n- The user must be asked before a restart.\n" +
			"## Progress\n" + strings.Join(progress, "\n") + "\n## Key Decisions\n- Trim first, then compare.\n## Next Steps\n- " + next +
			"\n## Critical Context\n- A name, a port and a path were told at the start.",
	}
}

// between returns what stands between two marks, "" without the first.
func between(text, from, to string) string {
	_, text, _ = strings.Cut(text, from)
	text, _, _ = strings.Cut(text, to)
	return text
}

func bullets(text string) (lines []string) {
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "- ") {
			lines = append(lines, line)
		}
	}
	return lines
}

// vague keeps the plain words of a text's beginning, as small models do.
func vague(text string) string {
	var words []string
	for _, word := range strings.Fields(text) {
		if len(words) < 9 && !strings.ContainsAny(word, "0123456789/_") {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}
