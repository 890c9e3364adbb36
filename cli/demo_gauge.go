package cli

import (
	"fmt"
	"strings"
)

// barCells is how long the gauge is where there is room for it.
func (s *screen) barCells() int {
	switch {
	case s.width >= 90:
		return 20
	case s.width >= 80:
		return 12
	case s.width >= 60:
		return 10
	}
	return 0
}

// gauge is the line of a turn: the client's chat, what is sent of it, how much of the window that takes, and how much of
// it the prompt cache held.
func (d *demo) gauge(s *step) string {
	t := &d.count
	line := fmt.Sprintf("%-9sclient %6s → sent %5s of %s", fmt.Sprintf("turn %d", d.turn), number(s.size), number(s.reply.prompt), number(s.window))
	if n := d.out.barCells(); n > 0 {
		line += " " + d.out.paint(level(s.reply.prompt, s.window), bar(s.reply.prompt, s.window, n))
	}
	if d.out.width < 80 {
		return line
	}
	line += fmt.Sprintf(" cache %2d %%", percent(t.turnCached, t.turnSent))
	why := strings.Join(t.turnLost, ", ")
	if why != "" && d.out.width < plainWidth {
		why = t.turnLost[len(t.turnLost)-1]
	}
	if why != "" {
		line += d.out.paint(dim, " ← "+why)
	}
	return line
}

// level is the colour of a gauge.
func level(used, window int) style {
	switch share := percent(used, window); {
	case share < 60:
		return green
	case share < 85:
		return yellow
	}
	return red
}

// live is what stands below the lines while a turn goes on.
func (d *demo) live(heard string) string {
	state := ""
	if d.writing > 0 {
		state = "  ✎ a summary is being written"
	}
	text := strings.ReplaceAll(heard, "\n", " ")
	if text == "" {
		text = "calls a tool"
	}
	return fmt.Sprintf("%-9s", fmt.Sprintf("turn %d", d.turn)) + d.out.paint(dim, "model: "+clip(text, max(d.out.width-16-cells(state), 12))) + d.out.paint(blue, state)
}

func percent(part, whole int) int {
	if whole <= 0 {
		return 0
	}
	return (part*100 + whole/2) / whole
}

// things counts: one thing, 2 things.
func things(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + many
}

// intro says who plays, and what must not get lost.
func (d *demo) intro() {
	line := func(st style, format string, args ...any) { d.out.line(st, fmt.Sprintf(format, args...)) }
	line(bold, "Recap demo: a chat of %d turns through a window of %s tokens", len(d.play), number(demoWindow))
	line(plain, "")
	line(plain, "  agent ──▶ recap %s ──▶ model %s", d.app.Addr(), strings.TrimPrefix(d.model.URL(), "http://"))
	line(dim, "  The model's words are scripted; HTTP, streams, pruning, summaries and refusals are real.")
	line(dim, "  While this runs: %s/metrics, /api/events", d.adminURL())
	line(dim, "  client: tokens of the whole chat · sent: what Recap makes of it · cache: what the model reuses")
	line(plain, "")
	line(plain, "  The user's first words. Their exact values must never get lost:")
	line(bold, "  «%s»", demoFirst)
	line(plain, "")
}
