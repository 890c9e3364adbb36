package summarizer

import (
	"context"
	"errors"
	"strings"
	"time"

	"recap/chat"
	"recap/dialect"
	"recap/tokens"
)

// The modes: how the summariser sees the chat.
const (
	TranscriptMode = "transcript" // as one record in one user message
	SuffixMode     = "suffix"     // as the chat's own request, with the instruction behind it
)

// transcriptRest is how long a server and model that do not take or follow a summary call in suffix mode are asked by
// transcript.
const transcriptRest = 30 * time.Minute

// compose has the summary of a pass written: in suffix mode as a continuation of the live request, where that shows all
// that the summary stands for, else from a transcript. What the first refuses, the second is tried for.
func (w *writer) compose(ctx context.Context, p *pass) (string, error) {
	if w.follows(p) {
		text, err := w.continued(ctx, p)
		if err == nil || !unfit(err) {
			w.suffix = err == nil
			return text, err
		}
		w.memory.change(w.place(), func(l *lesson) { l.byTranscript = time.Now().Add(transcriptRest) })
		w.fellBack = true
	}
	running, entries := w.previous(p.rewrite)
	return w.fold(ctx, append(entries, transcript(w.job.Covered[p.from-1:], p.from)...), running)
}

// follows reports whether a pass may be written in suffix mode: by the server and model that hold the chat in their prompt
// cache, and where one row stands for all from message 1 on, since that is what the live request shows.
func (w *writer) follows(p *pass) bool {
	return w.job.Options.Mode == SuffixMode && w.job.Live != nil && w.own && p.rowFrom == 1 &&
		time.Now().After(w.memory.get(w.place()).byTranscript)
}

// continued has the summary written behind the live request. Its messages end where the summary's range ends: so the
// summary can speak of nothing else, and the cached prefix is used all the same.
func (w *writer) continued(ctx context.Context, p *pass) (string, error) {
	w.live = w.job.Live
	defer func() { w.live = nil }()
	q := prompt{options: &w.job.Options, suffix: true, updates: w.live.Noted, words: wordsFor(w.limit)}
	output := min(w.output(), w.left(q.String()))
	if output < w.limit+w.limit/4 {
		return "", refusal{reason: ReasonInput}
	}
	by := w.words("", "")
	by.source = newSupport(said(w.job.Covered), textOf(p.rewrite))
	by.previous, by.fresh = textOf(p.rewrite), said(w.job.Covered[p.from-1:])
	return w.twice(by, &q, func() (string, error) { return w.ask(ctx, q.String(), output) })
}

// left is how many tokens the summariser's window leaves for the answer behind the live request.
func (w *writer) left(question string) int {
	ratio := max(w.memory.get(w.place()).ratio, firstRatio)
	return w.window - int(float64(w.asked(question))*ratio) - 32
}

// asked is how many tokens a question takes by the fixed measure, with all that stands in front of it.
func (w *writer) asked(question string) int {
	n := tokens.Estimate(question)
	if w.live == nil {
		return n
	}
	if w.liveSize == 0 {
		built, err := w.asker.Ask(dialect.Question{Live: w.live})
		if err != nil {
			return 1 << 30
		}
		w.liveSize = tokens.Estimate(string(built.Body))
	}
	return w.liveSize + n
}

// said is all that messages say: texts, arguments and results.
func said(messages []chat.Message) string {
	var b strings.Builder
	for i := range messages {
		m := &messages[i]
		b.WriteString(m.Text() + "\n")
		for _, c := range m.Calls {
			b.WriteString(c.Name + " " + argumentText(c.Args.Of(m.Raw)) + "\n")
		}
		for at := range m.Results {
			b.WriteString(m.ResultText(at) + "\n")
		}
	}
	return b.String()
}

// unfit reports whether a call failed for what it was, and not for who was asked: then a transcript may do.
func unfit(err error) bool {
	var r refusal
	if !errors.As(err, &r) {
		var over overflow
		return errors.As(err, &over)
	}
	switch r.reason {
	case ReasonNetwork, ReasonTimeout, ReasonCancelled, ReasonStore,
		"http-401", "http-402", "http-403", "http-407", "http-408", "http-429", "http-502", "http-503", "http-504":
		return false
	}
	return true
}
