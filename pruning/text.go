package pruning

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"recap/chat"
	"recap/tokens"
)

// note is what is remembered of one result.
type note struct {
	tokens  int32
	opening string // how its text begins
	whole   bool   // opening is all of it
	trimmed bool   // it carries our marker
	failed  bool   // it begins as errors do
}

// maxOpening is the size in bytes of what is remembered of a text.
const maxOpening = 256

// note returns what is known of each result of m.
func (p *Pruner) note(m *chat.Message) []note {
	if p.notes != nil {
		if notes, ok := p.notes.Get(m.Facts); ok {
			return notes
		}
	}
	notes := make([]note, len(m.Results))
	for i := range notes {
		text, trimmed := sight(m, i)
		opening := text[:min(len(text), maxOpening)]
		notes[i] = note{
			tokens:  int32(tokens.ResultTokens(m, i)),
			opening: strings.Clone(opening),
			whole:   len(opening) == len(text),
			trimmed: trimmed,
			failed:  looksFailed(opening),
		}
	}
	if p.notes != nil {
		p.notes.Put(m.Facts, notes)
	}
	return notes
}

// sight returns how the text of a result begins, by more than maxOpening bytes or all of it, and whether it carries our
// marker.
func sight(m *chat.Message, i int) (text string, trimmed bool) {
	if parts := m.Results[i].Parts; len(parts) == 1 && parts[0].Kind == chat.Text {
		token := parts[0].Span.Of(m.Raw)
		if len(token) > maxSight+2 && !mayHaveMarker(token) {
			return chat.Unquote(beginning(token)), false
		}
	}
	text = m.ResultText(i)
	return text, hasMarker(text)
}

// maxSight is how many bytes of a string token are more than maxOpening bytes of text for certain: without \u none of these
// takes more than two, and the last ones may be cut through.
const maxSight = 2*maxOpening + 16

// beginning returns a string token of about the first maxSight bytes of a longer one that has no \u in it.
func beginning(token string) string {
	end := 1
	for end < maxSight {
		if token[end] == '\\' {
			end++
		}
		end++
	}
	for !utf8.RuneStart(token[end]) {
		end++
	}
	return token[:end] + `"`
}

// mayHaveMarker reports whether the text of a string token may carry our marker: what is neither there nor written as
// \uXXXX is not in it.
func mayHaveMarker(token string) bool {
	return strings.Contains(token, strings.TrimSpace(markerClose)) || strings.Contains(token, `\u`)
}

// isPlaceholder reports whether the text is what clearing leaves: the placeholder, or that with what may follow it.
func (n *note) isPlaceholder(placeholder string) bool {
	if limit := maxOpening - maxFollow; len(placeholder) > limit {
		return strings.HasPrefix(n.opening, placeholder[:limit])
	}
	rest, ok := strings.CutPrefix(n.opening, placeholder)
	if !ok {
		return false
	}
	return rest == "" && n.whole || strings.HasPrefix(rest, digestIntro) ||
		strings.HasPrefix(rest, repeatNotes[newer]) || strings.HasPrefix(rest, repeatNotes[again])
}

// maxFollow bounds, in bytes, the beginning of what may follow a placeholder.
const maxFollow = 80

// shortened is what is left of a result.
type shortened struct {
	text   string
	tokens int32
}

// textKey names what is left of one result: what shapes it are sizes from the options and, for a digest, all that
// is shown beside it.
type textKey struct {
	facts       *chat.Facts
	result      int32
	repeat      repeat
	placeholder string
	sizes       [3]int
	shown       uint64
}

// remember returns the shortened text under key, made on first use.
func (p *Pruner) remember(key textKey, build func() shortened) shortened {
	if p.texts == nil {
		return build()
	}
	if s, ok := p.texts.Get(key); ok {
		return s
	}
	s := build()
	p.texts.Put(key, s)
	return s
}

// trimmed returns a result cut to its head and tail. Results with media stay: a text would take their place.
func (p *Pruner) trimmed(m *chat.Message, i int, t SoftTrim) shortened {
	key := textKey{facts: m.Facts, result: int32(i), sizes: [3]int{t.MaxChars, t.HeadChars, t.TailChars}}
	return p.remember(key, func() shortened {
		weight := p.note(m)[i].tokens
		if hasMedia(&m.Results[i]) {
			return shortened{tokens: weight}
		}
		return cut(m.ResultText(i), weight, t)
	})
}

// capHead and capTail are what capNewChars leaves, in code points.
const capHead, capTail = 1500, 1500

// capped returns a result cut at its first sight.
func (p *Pruner) capped(m *chat.Message, i, maxChars int) shortened {
	room := max(maxChars-maxMarker, 0) / 2
	return p.trimmed(m, i, SoftTrim{MaxChars: maxChars, HeadChars: min(capHead, room), TailChars: min(capTail, room)})
}

// cut keeps the head and the tail of a text that is longer than maxChars and weighs so much.
func cut(old string, weight int32, t SoftTrim) shortened {
	same := shortened{tokens: weight}
	chars := utf8.RuneCountInString(old)
	gone := chars - t.HeadChars - t.TailChars
	if chars <= t.MaxChars || gone <= 0 || t.HeadChars < 0 || t.TailChars < 0 {
		return same
	}
	text := head(old, t.HeadChars) + marker(gone) + tail(old, t.TailChars)
	if !smaller(text, old) {
		return same
	}
	if n := int32(tokens.Estimate(text)); n < same.tokens {
		return shortened{text: text, tokens: n}
	}
	return same
}

// smaller reports whether a text is shorter than another in characters and in bytes.
func smaller(text, than string) bool {
	return len(text) < len(than) && utf8.RuneCountInString(text) < utf8.RuneCountInString(than)
}

// head returns the first n code points of text.
func head(text string, n int) string {
	end := 0
	for ; n > 0 && end < len(text); n-- {
		_, width := utf8.DecodeRuneInString(text[end:])
		end += width
	}
	return text[:end]
}

// tail returns the last n code points of text.
func tail(text string, n int) string {
	start := len(text)
	for ; n > 0 && start > 0; n-- {
		_, width := utf8.DecodeLastRuneInString(text[:start])
		start -= width
	}
	return text[start:]
}

const (
	markerOpen  = "\n\n["
	markerClose = " characters cut by Recap]\n\n"
	maxMarker   = 60
)

// marker stands where n characters were taken out.
func marker(n int) string { return markerOpen + strconv.Itoa(n) + markerClose }

// hasMarker reports whether text carries a marker: it was shortened before, and that is final.
func hasMarker(text string) bool {
	for {
		before, after, found := strings.Cut(text, markerClose)
		if !found {
			return false
		}
		digits := strings.LastIndex(before, markerOpen)
		if digits >= 0 {
			if n, err := strconv.Atoi(before[digits+len(markerOpen):]); err == nil && n > 0 {
				return true
			}
		}
		text = after
	}
}

// hasMedia reports whether a result holds more than text.
func hasMedia(r *chat.Result) bool {
	for _, p := range r.Parts {
		if p.Kind != chat.Text {
			return true
		}
	}
	return false
}
