package cli

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"
)

// style is a colour of a line.
type style string

// The styles, as terminals know them.
const (
	plain  style = ""
	dim    style = "\x1b[2m"
	bold   style = "\x1b[1m"
	red    style = "\x1b[31m"
	green  style = "\x1b[32m"
	yellow style = "\x1b[33m"
	blue   style = "\x1b[36m"
	reset        = "\x1b[0m"
)

// screen shows lines, and on a terminal one live line below them.
type screen struct {
	w      io.Writer
	width  int  // of a terminal, in cells
	live   bool // it is a terminal: lines may be written over
	colour bool
	shown  bool // a live line stands there
}

// plainWidth is the width that lines are made for where there is no terminal.
const plainWidth = 100

func newScreen(s *shell) *screen {
	out := &screen{w: s.out, width: plainWidth}
	term, _ := s.lookup("TERM")
	file, ok := s.out.(*os.File)
	if !ok || term == "dumb" {
		return out
	}
	if width, ok := terminalWidth(file); ok {
		none, _ := s.lookup("NO_COLOR")
		out.width, out.live, out.colour = width, true, none == ""
	}
	return out
}

// The escapes around a live line: it is cut at the terminal's edge, since a line that wraps cannot be written over.
const (
	lineStart = "\r\x1b[K"
	noWrap    = "\x1b[?7l"
	doWrap    = "\x1b[?7h"
)

// line writes a line that stays, broken between words where it is too long.
func (s *screen) line(st style, text string) {
	s.entry(st, text, len(text)-len(strings.TrimLeft(text, " "))+2)
}

// entry is line with a column of its own for what does not fit the first line.
func (s *screen) entry(st style, text string, column int) {
	s.clear()
	fmt.Fprintln(s.w, s.paint(st, wrap(text, s.width, column)))
}

// show writes the live line, nothing where there is no terminal.
func (s *screen) show(text string) {
	if s.live {
		fmt.Fprint(s.w, lineStart+noWrap+text+doWrap)
		s.shown = true
	}
}

// clear takes the live line away.
func (s *screen) clear() {
	if s.shown {
		fmt.Fprint(s.w, lineStart)
		s.shown = false
	}
}

func (s *screen) paint(st style, text string) string {
	if !s.colour || st == plain {
		return text
	}
	return string(st) + text + reset
}

// noteIndent is where the lines between two turns begin.
const noteIndent = "         "

func note(text string) string { return noteIndent + text }

// wrap breaks text at spaces into lines of at most width cells; those after the first begin at a column.
func wrap(text string, width, column int) string {
	if cells(text) <= width || strings.ContainsRune(text, '\x1b') {
		return text
	}
	if column*2 > width {
		column = 2
	}
	var b strings.Builder
	at := 0
	for i, word := range strings.Split(text, " ") { // an empty word is a space more
		switch n := cells(word); {
		case i == 0:
			b.WriteString(word)
			at = n
		case at+1+n > width && at > column:
			b.WriteString("\n" + strings.Repeat(" ", column) + word)
			at = column + n
		default:
			b.WriteString(" " + word)
			at += 1 + n
		}
	}
	return b.String()
}

// cells is how wide a text is on a terminal; emoji take two cells.
func cells(text string) (n int) {
	for _, r := range text {
		n++
		if r >= 0x1F300 {
			n++
		}
	}
	return n
}

// clip cuts a text to so many characters.
func clip(text string, chars int) string {
	if utf8.RuneCountInString(text) <= chars {
		return text
	}
	return string([]rune(text)[:chars-1]) + "…"
}

// number writes 23410 as 23,410.
func number(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// bar draws how much of a window is used, in so many cells.
func bar(used, window, cells int) string {
	full := 0
	if window > 0 {
		full = min((used*cells+window/2)/window, cells)
	}
	return "[" + strings.Repeat("█", full) + strings.Repeat("░", cells-full) + "]"
}
