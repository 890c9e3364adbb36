package tokens

import (
	"slices"
	"sync/atomic"

	"recap/chat"
)

// What a message costs beside its texts, in tokens.
const (
	messageTokens = 4 // role and the marks around the message
	callTokens    = 5 // the frame of one tool call
	primingTokens = 3 // what opens the answer
	mediaTokens   = 1000
)

// weight is what is known of one message, or of the bytes of one Extra. It is shared by all requests that hold it.
type weight struct {
	fixed int32                       // by the fixed measure, overhead included
	guess [likenessCount]int32        // by the same walk over the text, but for other vocabularies; overhead included
	base  int32                       // the overhead alone
	media int32                       // images, sounds and files
	exact [encodingCount]atomic.Int32 // tokens + 1, overhead included; 0 = not counted yet
	asked [encodingCount]atomic.Bool  // in the worker's queue
}

// count returns the exact count for an encoding, -1 while it is not known.
func (w *weight) count(e encoding) int32 { return w.exact[e].Load() - 1 }

// text is one piece of text in a message: a JSON string token, or bytes that count as they are.
type text struct {
	raw    string
	quoted bool
}

// tally takes the text apart.
func (t text) tally() (y tally) {
	if t.quoted {
		y.quoted(t.raw)
	} else {
		y.text(t.raw)
	}
	return y
}

func (t text) estimate() int {
	y := t.tally()
	return whole(y.fixed())
}

// plain returns the text itself.
func (t text) plain() string {
	if t.quoted {
		return chat.Unquote(t.raw)
	}
	return t.raw
}

// maxOther is the size in bytes from which a part of unknown kind is taken for a medium.
const maxOther = 4096

// content returns the texts of a message, the number of its media and its overhead: text, reasoning, names, calls
// with their arguments, results.
func content(m *chat.Message) (texts []text, media, overhead int) { return contentBut(m, nil) }

// contentBut is content without the results that trims are about.
func contentBut(m *chat.Message, trims []chat.Trim) (texts []text, media, overhead int) {
	overhead = messageTokens
	if m.Name != "" {
		texts = append(texts, text{raw: m.Name})
	}
	texts, media = parts(texts, m.Raw, m.Parts)
	for i := range m.Calls {
		overhead += callTokens
		texts = append(texts, text{raw: m.Calls[i].Name})
		if args := m.Calls[i].Args.Of(m.Raw); args != "" {
			texts = append(texts, text{raw: args, quoted: args[0] == '"'})
		}
	}
	for i := range m.Results {
		if slices.ContainsFunc(trims, func(t chat.Trim) bool { return t.Result == i }) {
			continue
		}
		var more int
		texts, more = parts(texts, m.Raw, m.Results[i].Parts)
		media += more
	}
	return texts, media, overhead
}

func parts(texts []text, raw string, list []chat.Part) ([]text, int) {
	media := 0
	for _, p := range list {
		switch {
		case p.Kind == chat.Text || p.Kind == chat.Reasoning:
			texts = append(texts, text{raw: p.Span.Of(raw), quoted: true})
		case p.Kind == chat.Other && p.Span.Len() < maxOther:
			texts = append(texts, text{raw: p.Span.Of(raw)})
		default:
			media++
		}
	}
	return texts, media
}

// newWeight measures a message by the fixed measure.
func newWeight(m *chat.Message) *weight {
	texts, media, overhead := content(m)
	w := &weight{base: int32(overhead), media: int32(media)}
	w.fixed = w.base
	for l := range w.guess {
		w.guess[l] = w.base
	}
	for _, t := range texts {
		w.add(t)
	}
	return w
}

// add measures one text more.
func (w *weight) add(t text) {
	y := t.tally()
	w.fixed += int32(whole(y.fixed()))
	for l := range w.guess {
		w.guess[l] += int32(whole(y.cost(likeness(l))))
	}
}

// ResultTokens is what the i-th result of m weighs by the fixed measure: its text, and its media at the default cost. Where m
// was weighed and holds nothing else, its text is not read again.
func ResultTokens(m *chat.Message, i int) int {
	alone := len(m.Results) == 1 && len(m.Parts) == 0 && len(m.Calls) == 0 && m.Name == ""
	if w, ok := m.Weight.Load().(*weight); ok && alone {
		return int(w.fixed-w.base) + int(w.media)*mediaTokens
	}
	texts, media := parts(nil, m.Raw, m.Results[i].Parts)
	sum := media * mediaTokens
	for _, t := range texts {
		sum += t.estimate()
	}
	return sum
}
