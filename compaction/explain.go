package compaction

import (
	"fmt"
	"io"
	"text/tabwriter"

	"recap/chat"
)

// Explanation is a decision as `recap explain` and the API tell it: numbers and places, never text of messages.
type Explanation struct {
	Dialect  string `json:"dialect"`
	Upstream string `json:"upstream"`
	Model    string `json:"model"`
	Status   string `json:"status"`
	Reason   string `json:"reason,omitempty"`

	Messages int    `json:"messages"` // non-system ones
	Window   int    `json:"window"`   // tokens
	Source   string `json:"source"`   // of the window
	Levels   Levels `json:"levels"`
	Before   int    `json:"before"` // tokens as the client sent them
	Pruned   int    `json:"pruned"` // after pruning, without a checkpoint
	After    int    `json:"after"`  // as they would be sent

	Trims      []ExplainedTrim      `json:"trims"`
	Candidates []ExplainedCandidate `json:"candidates"`
	Dropped    int                  `json:"dropped"` // messages that leave
	JobCovers  int                  `json:"jobCovers,omitempty"`
	JobBase    int                  `json:"jobBase,omitempty"` // messages that the checkpoint covers on which the job builds
	Why        []string             `json:"why"`
}

// ExplainedTrim is one tool result that gets shorter.
type ExplainedTrim struct {
	Message int    `json:"message"` // its number among all messages, from 1
	Tool    string `json:"tool,omitempty"`
	Before  int    `json:"before"` // characters
	After   int    `json:"after"`
}

// ExplainedCandidate is a stored checkpoint that matches.
type ExplainedCandidate struct {
	Key         string `json:"key"`
	Covers      int    `json:"covers"`
	Rows        int    `json:"rows"`
	Size        int    `json:"size"` // tokens of what would be sent with it
	Sent        bool   `json:"sent"` // already used for this window
	Provisional bool   `json:"provisional"`
	Used        bool   `json:"used"`
}

// Explain tells what d decided about in. Who asked whom is the caller's to fill in.
func Explain(in *Input, d *Decision) Explanation {
	c := in.Outline.Chat
	e := Explanation{
		Model: c.Model, Status: string(d.Status), Messages: in.Outline.Len(),
		Window: in.Window.Size, Source: in.Window.Source, Levels: d.Levels,
		Before: d.Before, Pruned: d.Pruned, After: d.After,
		Dropped: len(d.Plan.Drop), Trims: []ExplainedTrim{}, Candidates: []ExplainedCandidate{},
	}
	for _, t := range d.Plan.Trims {
		r := &c.Messages[t.Message].Results[t.Result]
		e.Trims = append(e.Trims, ExplainedTrim{Message: t.Message + 1, Tool: r.Name, Before: r.Chars, After: len([]rune(t.Text))})
	}
	for i := range d.Candidates {
		e.Candidates = append(e.Candidates, explainCandidate(&d.Candidates[i], d.Used))
	}
	if d.Provisional != nil {
		e.Candidates = append(e.Candidates, explainCandidate(d.Used, d.Used))
	}
	if d.Job != nil {
		e.JobCovers = d.Job.To()
		if d.Job.Base != nil {
			e.JobBase = d.Job.Base.To
		}
	}
	e.Why = why(in, d)
	return e
}

func explainCandidate(c, used *Candidate) ExplainedCandidate {
	return ExplainedCandidate{
		Key: c.Checkpoint.Key.String(), Covers: c.Cut.Covers, Rows: len(c.Rows), Size: c.Size, Sent: c.Sent,
		Provisional: c.Checkpoint.Provisional, Used: used != nil && c.Checkpoint.Key == used.Checkpoint.Key,
	}
}

// why says in sentences which rules led to the decision.
func why(in *Input, d *Decision) []string {
	l := &d.Levels
	say := []string{fmt.Sprintf("the window is %d tokens (%s); %d are kept for the reply and %d may be sent",
		in.Window.Size, in.Window.Source, l.Reply, l.Budget)}
	switch {
	case in.Window.Cut:
		say = append(say, "the window was learned: the upstream cut a longer prompt without a word (upstreams[].noTruncate has it refuse instead)")
	case in.Window.Source == "learned":
		say = append(say, "the window was learned: the upstream refused a longer prompt")
	case in.Window.Guessed:
		say = append(say, "the window is a guess: the upstream has not told it (models[].contextWindow sets it)")
	}
	switch {
	case in.Prune == nil:
		say = append(say, "pruning is off (summarization.contextPruning.enabled)")
	case len(d.Plan.Trims) > 0:
		say = append(say, fmt.Sprintf("%d tool results get shorter", len(d.Plan.Trims)))
	case d.Pruned < d.Before:
		say = append(say, "pruning would do, but all it would shorten leaves with the checkpoint")
	default:
		say = append(say, "no tool result is due to be pruned")
	}
	return append(append(say, whyUsed(in, d)), whyJob(in, d))
}

func whyUsed(in *Input, d *Decision) string {
	switch {
	case d.Status == chat.OverWindow && in.Window.Guessed && d.Used == nil:
		return fmt.Sprintf("%d tokens do not fit a window that is a guess, and on a guess no provisional checkpoint is made", d.After)
	case d.Status == chat.OverWindow:
		return fmt.Sprintf("it does not fit: %d tokens, and nothing older can be replaced (summarization.overflow)", d.After)
	case d.Provisional != nil:
		return fmt.Sprintf("it does not fit and no summary is there yet: a provisional checkpoint stands for messages 1–%d",
			d.Used.Cut.Covers)
	case d.Used != nil && d.Used.Sent:
		return fmt.Sprintf("the checkpoint for messages 1–%d was already sent and stays in use", d.Used.Cut.Covers)
	case d.Used != nil:
		if d.Stepped {
			return fmt.Sprintf("the checkpoint for messages 1–%d is swapped in together with a new batch of prunings", d.Used.Cut.Covers)
		}
		return fmt.Sprintf("the checkpoint for messages 1–%d is swapped in", d.Used.Cut.Covers)
	case len(d.Candidates) > 0:
		return fmt.Sprintf("no checkpoint is needed: %d tokens are under the swap level of %d", d.Pruned, d.Levels.Swap)
	}
	return fmt.Sprintf("no checkpoint matches; %d tokens against a swap level of %d", d.Pruned, d.Levels.Swap)
}

func whyJob(in *Input, d *Decision) string {
	switch {
	case d.Job != nil:
		return fmt.Sprintf("a summary of messages 1–%d is due after the answer", d.Job.To())
	case in.Side:
		return "it is a side request: it never starts a summary"
	case in.Outline.Len() < in.Options.MinMessages:
		return fmt.Sprintf("it has fewer than %d messages (summarization.minMessages): never summarised", in.Options.MinMessages)
	}
	return fmt.Sprintf("no summary is due: that begins at %d tokens, or what it could cover is too little", d.Levels.Prepare)
}

// Write prints e for people.
func (e *Explanation) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "status\t%s\n", e.statusLine())
	fmt.Fprintf(t, "chat\t%s, model %q, upstream %s, %d messages\n", e.Dialect, e.Model, e.Upstream, e.Messages)
	if e.Window == 0 {
		for _, s := range e.Why {
			fmt.Fprintf(t, "why\t%s\n", s)
		}
		return t.Flush()
	}
	fmt.Fprintf(t, "tokens\t%d before, %d after pruning, %d sent\n", e.Before, e.Pruned, e.After)
	fmt.Fprintf(t, "window\t%d (%s)\n", e.Window, e.Source)
	fmt.Fprintf(t, "levels\tbudget %d, swap %d, prepare %d\n", e.Levels.Budget, e.Levels.Swap, e.Levels.Prepare)
	for _, c := range e.Candidates {
		mark := " "
		if c.Used {
			mark = "*"
		}
		fmt.Fprintf(t, "checkpoint\t%s %s covers %d, %d tokens with it\n", mark, c.Key, c.Covers, c.Size)
	}
	for _, p := range e.Trims {
		fmt.Fprintf(t, "pruned\tmessage %d %s: %d → %d characters\n", p.Message, p.Tool, p.Before, p.After)
	}
	for _, s := range e.Why {
		fmt.Fprintf(t, "why\t%s\n", s)
	}
	return t.Flush()
}

func (e *Explanation) statusLine() string {
	if e.Reason != "" {
		return e.Status + " (" + e.Reason + ")"
	}
	return e.Status
}

// whyBypass says what the reasons of a bypass mean.
var whyBypass = map[string]string{
	"unknown-window": "the context window is not known: the upstream did not tell it and no table has the model; set models[].contextWindow",
	"invalid-json":   "the body is not valid JSON",
	"duplicate-key":  "a key comes twice: servers differ in which one they read",
	"odd-key":        "a key differs from a known one in case alone: servers differ in whether they read it",
	"wrong-type":     "a member is of another type than the format says",
	"unknown-role":   "a message has a role that the format does not know",
	"no-messages":    "there are no messages",
	"server-history": "the history lies on the server",
}

// Bypassed explains a request that would be relayed untouched.
func Bypassed(reason string) Explanation {
	say, ok := whyBypass[reason]
	if !ok {
		say = "it cannot be read"
	}
	return Explanation{
		Status: string(chat.Bypass), Reason: reason, Trims: []ExplainedTrim{}, Candidates: []ExplainedCandidate{},
		Why: []string{say + "; it is relayed untouched"},
	}
}
