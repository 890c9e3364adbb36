package workload

import (
	"fmt"
	"strings"
)

// factKinds are the twelve kinds of exact strings that a summary must not lose, and how each is said.
var factKinds = []struct {
	kind, say string
	make      func(w *writer) string
}{
	{"path", "The file to change is %s.", func(w *writer) string { return "/srv/" + w.path() }},
	{"url", "The ticket is at %s today.", func(w *writer) string {
		return "https://tracker.example.org/" + w.pick(stems) + "/" + w.hex(8) + "?page=2"
	}},
	{"uuid", "Use the tenant %s for it.", func(w *writer) string {
		return w.hex(8) + "-" + w.hex(4) + "-4" + w.hex(3) + "-a" + w.hex(3) + "-" + w.hex(12)
	}},
	{"sha", "The last good commit is %s as far as I know.", func(w *writer) string { return w.hex(40) }},
	{"port", "The service listens on port %s now.", func(w *writer) string { return fmt.Sprint(w.between(20000, 60000)) }},
	{"money", "The budget is %s in total.", func(w *writer) string {
		return fmt.Sprintf("€%d,%03d.%02d", w.between(1, 90), w.rand.IntN(1000), w.rand.IntN(100))
	}},
	{"date", "The deadline is %s sharp.", func(w *writer) string {
		return fmt.Sprintf("20%d-%02d-%02d", w.between(27, 80), w.between(1, 12), w.between(1, 28))
	}},
	{"version", "Stay on version %s please.", func(w *writer) string {
		return fmt.Sprintf("v%d.%d.%d-rc.%d", w.rand.IntN(20), w.rand.IntN(90), w.rand.IntN(900), w.rand.IntN(9))
	}},
	{"error", "It fails with %s each time.", func(w *writer) string { return "ERR_" + strings.ToUpper(w.pick(stems)) + "_" + w.hex(5) }},
	{"name", "The person to ask is %s there.", func(w *writer) string { return "Zofia Wiśniewska-" + strings.ToUpper(w.hex(4)) }},
	{"never", "Remember: %s!", func(w *writer) string { return "never touch the table " + w.pick(stems) + "_" + w.hex(6) }},
	{"value", "The retry limit is now %s.", func(w *writer) string { return "RETRY_LIMIT=" + fmt.Sprint(w.between(1000, 900000)) }},
}

// planting says which facts are due at which turn.
type planting struct {
	w     *writer
	due   map[int][]int // turn → kinds
	facts []Fact
}

// newPlanting spreads one fact of each kind over the turns, at a depth of its own, and has the value replaced twice.
func newPlanting(w *writer, turns int) *planting {
	p := &planting{w: w, due: map[int][]int{}}
	for kind := range factKinds {
		turn := w.rand.IntN(max(turns*3/4, 1))
		p.due[turn] = append(p.due[turn], kind)
	}
	value := len(factKinds) - 1
	for range 2 {
		turn := w.rand.IntN(max(turns*3/4, 1))
		p.due[turn] = append(p.due[turn], value)
	}
	return p
}

// say returns the sentences of a turn, said in the message with that index.
func (p *planting) say(turn, message int) string {
	text := ""
	for _, kind := range p.due[turn] {
		row := factKinds[kind]
		f := Fact{Kind: row.kind, Text: row.make(p.w), Message: message}
		for i := range p.facts {
			if old := &p.facts[i]; old.Kind == "value" && f.Kind == "value" && old.Until == 0 {
				old.Until, old.By = message, f.Text
			}
		}
		p.facts = append(p.facts, f)
		text += " " + fmt.Sprintf(row.say, f.Text)
	}
	return text
}
