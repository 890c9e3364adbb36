package summarizer

import (
	"fmt"
	"strconv"
	"strings"

	"recap/chat"
)

// Bounds of what a transcript shows of one call or result, in code points.
const (
	maxArguments  = 600
	resultHead    = 1500
	resultTail    = 700
	resultDigest  = 400 // of the exact strings in what lies between
	markerOfEntry = "## "
)

// transcript renders messages one by one, the first of them numbered. Each entry begins with a line that names the number, the role
// and the tool; content cannot forge such a line, nor close the wrapper. No message is left out, system ones are
// never among them.
func transcript(messages []chat.Message, first int) []string {
	entries := make([]string, len(messages))
	for i := range messages {
		entries[i] = entry(&messages[i], first+i)
	}
	return entries
}

func entry(m *chat.Message, number int) string {
	var b strings.Builder
	b.WriteString(markerOfEntry + strconv.Itoa(number) + " " + m.Role.String())
	if m.Role == chat.Tool && len(m.Results) == 1 {
		writeTool(&b, &m.Results[0])
	}
	b.WriteByte('\n')
	writeParts(&b, m.Raw, m.Parts)
	for i := range m.Calls {
		writeCall(&b, m, &m.Calls[i])
	}
	for i := range m.Results {
		if m.Role != chat.Tool || len(m.Results) > 1 {
			b.WriteString("[tool result")
			writeTool(&b, &m.Results[i])
			b.WriteString("]\n")
		}
		b.WriteString(shortened(guard(m.ResultText(i))))
		writeMedia(&b, m.Results[i].Parts)
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), "\n")
}

func writeTool(b *strings.Builder, r *chat.Result) {
	if r.Name != "" {
		b.WriteString(" " + oneLine(r.Name, 80))
	}
	if r.Failed {
		b.WriteString(" (failed)")
	}
}

func writeParts(b *strings.Builder, raw string, parts []chat.Part) {
	if text := strings.TrimSpace(chat.JoinText(raw, parts)); text != "" {
		b.WriteString(guard(text) + "\n")
	}
	if writeMedia(b, parts) {
		b.WriteByte('\n')
	}
}

// writeMedia names parts that are no text; their bytes are never shown (A12).
func writeMedia(b *strings.Builder, parts []chat.Part) bool {
	wrote := false
	for _, p := range parts {
		word := ""
		switch p.Kind {
		case chat.Image:
			word = "[image]"
		case chat.Audio:
			word = "[audio]"
		case chat.File:
			word = "[file]"
		case chat.Other:
			word = "[attachment]"
		default:
			continue
		}
		b.WriteString(word)
		wrote = true
	}
	return wrote
}

func writeCall(b *strings.Builder, m *chat.Message, c *chat.Call) {
	args := strings.TrimSpace(chat.Unquote(c.Args.Of(m.Raw)))
	fmt.Fprintf(b, "[calls %s %s]\n", oneLine(c.Name, 80), guard(clipChars(args, maxArguments*2/3, maxArguments/3)))
}

// guard keeps content from forging the lines that begin an entry, and the tags of the wrapper.
func guard(text string) string {
	text = Neutralise(strings.ToValidUTF8(text, "\uFFFD"))
	if !strings.Contains(text, markerOfEntry) {
		return text
	}
	if strings.HasPrefix(text, markerOfEntry) {
		text = " " + text
	}
	return strings.ReplaceAll(text, "\n"+markerOfEntry, "\n "+markerOfEntry)
}

// shortened represents a long result by its head, its tail, and the exact strings of what lies between.
func shortened(text string) string {
	head, tail := headOf(text, charBytes(text, resultHead)), ""
	if rest := text[len(head):]; rest != "" {
		tail = lastChars(rest, resultTail)
		middle := rest[:len(rest)-len(tail)]
		if middle == "" {
			return text
		}
		return head + "\n[… " + strconv.Itoa(len(middle)) + " bytes left out" + digest(middle, resultDigest) + " …]\n" + tail
	}
	return head
}

// digest lists the exact strings of a text that weigh most, "" where there are none.
func digest(text string, chars int) string {
	g := newGatherer()
	g.add(text, fromTool)
	var b strings.Builder
	for _, f := range g.best(maxOtherFacts) {
		if b.Len()+len(f.text)+2 > chars {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		b.WriteString(f.text)
	}
	if b.Len() == 0 {
		return ""
	}
	return ", among them: " + b.String()
}

// clipChars keeps so many code points of a text's head and tail.
func clipChars(text string, head, tail int) string {
	h := charBytes(text, head+tail)
	if h == len(text) {
		return text
	}
	return headOf(text, charBytes(text, head)) + " … " + lastChars(text, tail)
}

// charBytes is how many bytes the first n code points of a text take.
func charBytes(text string, n int) int {
	if len(text) <= n {
		return len(text)
	}
	for at := range text {
		if n == 0 {
			return at
		}
		n--
	}
	return len(text)
}

// lastChars returns the last n code points of a text.
func lastChars(text string, n int) string {
	at := len(text)
	for at > 0 && n > 0 {
		at--
		for at > 0 && text[at]&0xC0 == 0x80 {
			at--
		}
		n--
	}
	return text[at:]
}

func oneLine(text string, chars int) string {
	return strings.Join(strings.Fields(guard(clipChars(text, chars, 0))), " ")
}
